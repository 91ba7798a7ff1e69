import { beforeEach, describe, expect, it } from 'vitest';
import { createLogFollower, type LogFollower, type LogWish } from '../../../src/control/logFollower';
import type { Connection, StreamOptions } from '../../../src/control/ports';
import { cancelled, streamEnded } from '../../../src/core/errors';
import type { LogEvent } from '../../../src/core/job/log/logFollow';
import { fromStart, fromTail } from '../../../src/core/job/log/logPoint';
import { createFakeClock, settle, type FakeClock } from '../control/fakeWorld';
import { bytesOf, joinBytes } from './chunks';

/** A host with logs in memory, which speaks as follow.sh does. */
class FakeLogs {
  readonly logs = new Map<string, string>();
  /** Lines that were sent, ticks left out, over all streams. */
  readonly lines: string[] = [];
  readonly tickedAtMs: number[] = [];
  opened = 0;
  open = 0;
  answers = true;
  /** For each tick so much is sent of a log at most. */
  most = 1_000_000;
  end: () => void = () => undefined;

  private readonly clock: FakeClock;

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  connection(): Connection {
    return {
      onClosed: () => ({ dispose: () => undefined }),
      run: () => Promise.resolve({ kind: 'lost', failure: cancelled() }),
      openStream: (_script, options) => Promise.resolve({ kind: 'open', stream: this.stream(options) }),
      dispose: () => undefined,
    };
  }

  private stream({ onLine, onEnd }: StreamOptions) {
    const followed = new Map<string, { attempt: string; offset: number }>();
    this.opened += 1;
    this.open += 1;
    this.end = () => onEnd(streamEnded('box', 'exit 1'));
    const say = (...lines: readonly (string | Uint8Array)[]): void =>
      lines.forEach(line =>
        onLine(typeof line === 'string' ? { kind: 'control', words: line } : { kind: 'bytes', bytes: line }),
      );
    const tick = (): void => {
      let more = false;
      for (const [key, one] of followed) {
        const all = bytesOf(this.logs.get(one.attempt) ?? '');
        const part = all.subarray(one.offset, one.offset + this.most);
        if (part.length === 0) continue;
        say(`bytes ${key} 7 ${one.offset}`, part, `sent ${part.length}`);
        one.offset += part.length;
        more ||= one.offset < all.length;
      }
      say(`end 1 ${more ? 'more' : 'all'}`);
    };
    return {
      send: (line: string): void => {
        const [word, key = '', attempt = '', offset] = line.split(' ');
        if (word !== 'tick') this.lines.push(line);
        if (word === 'follow') followed.set(key, { attempt, offset: offset === 'tail' ? 0 : Number(offset) });
        if (word === 'unfollow') followed.delete(key);
        if (word !== 'tick') return;
        this.tickedAtMs.push(this.clock.nowMs());
        if (this.answers) void Promise.resolve().then(tick);
      },
      dispose: () => void (this.open -= 1),
    };
  }
}

let clock: FakeClock;
let host: FakeLogs;
let follower: LogFollower;
let log: string[];

beforeEach(() => {
  clock = createFakeClock();
  host = new FakeLogs(clock);
  log = [];
  const write = (message: string): void => void log.push(message);
  follower = createLogFollower({
    host: 'box',
    clock,
    log: { info: write, warn: write, error: write },
    script: () => 'script',
  });
});

function subscribe(attempt: string, extra: Partial<LogWish> = {}) {
  const events: LogEvent[] = [];
  const subscription = follower.subscribe({ attempt, from: fromStart, live: false, ...extra }, event =>
    events.push(event.kind === 'bytes' ? { ...event, bytes: event.bytes.slice() } : event),
  );
  const text = (): string =>
    new TextDecoder().decode(joinBytes(events.flatMap(event => (event.kind === 'bytes' ? [event.bytes] : []))));
  return { subscription, events, text };
}

async function ticksIn(ms: number): Promise<number> {
  const before = host.tickedAtMs.length;
  await clock.advance(ms);
  return host.tickedAtMs.length - before;
}

describe('log follower', () => {
  it('has no stream while nobody follows anything, and one for all', async () => {
    const attached = follower.attach(host.connection());
    await clock.advance(10_000);
    expect(host.opened).toBe(0);
    const [a, b] = [subscribe('a'), subscribe('b', { from: fromTail })];
    await settle();
    expect(host.lines).toEqual(['follow 1 a 0 -', 'follow 2 b tail -']);
    a.subscription.dispose();
    expect(host.lines.at(-1)).toBe('unfollow 1');
    b.subscription.dispose();
    expect([host.opened, host.open, clock.pending]).toEqual([1, 0, 0]);
    subscribe('a');
    await settle();
    expect([host.opened, host.open]).toEqual([2, 1]);
    attached.dispose();
    expect([host.open, clock.pending]).toEqual([0, 0]);
  });

  it('goes on where it was when the next connection is there', async () => {
    host.logs.set('a', 'one');
    const { subscription, text } = subscribe('a');
    const attached = follower.attach(host.connection());
    await settle();
    expect(subscription.point).toEqual({ offset: 3, inode: '7' });
    attached.dispose();
    host.logs.set('a', 'one two');
    await clock.advance(60_000);
    expect(host.tickedAtMs).toHaveLength(1);
    follower.attach(host.connection());
    await settle();
    expect(host.lines.at(-1)).toBe('follow 1 a 3 7');
    expect(text()).toBe('one two');
  });

  it('looks five times a second, once a second when all has long been quiet, and at five again for what runs', async () => {
    host.logs.set('a', 'x');
    const { subscription } = subscribe('a');
    follower.attach(host.connection());
    await clock.advance(500);
    expect(await ticksIn(4_000)).toBe(20);
    await clock.advance(5_000);
    expect(await ticksIn(10_000)).toBe(10);
    host.logs.set('a', 'xy');
    await clock.advance(1_000);
    expect(await ticksIn(4_000)).toBe(20);
    await clock.advance(10_000);
    subscription.setLive(true);
    await clock.advance(1_000);
    expect(await ticksIn(10_000)).toBe(50);
  });

  it('asks at once for what is left, and for a log that is new', async () => {
    host.most = 10;
    host.logs.set('a', 'x'.repeat(1_000));
    const { text } = subscribe('a');
    follower.attach(host.connection());
    await clock.advance(1);
    expect(text()).toHaveLength(1_000);
    await clock.advance(20_000);
    host.logs.set('b', 'y');
    const b = subscribe('b');
    await settle();
    expect(b.text()).toBe('y');
  });

  it('gives its host rest when many logs grow', async () => {
    for (let index = 0; index < 50; index++) subscribe(`a${index}`, { live: true });
    follower.attach(host.connection());
    let opened = 0;
    let ticks = 0;
    for (let turn = 0; turn < 600; turn++) {
      for (let index = 0; index < 50; index++) host.logs.set(`a${index}`, 'x'.repeat(turn + 1));
      const ticked = await ticksIn(100);
      ticks += ticked;
      opened += 50 * ticked;
    }
    // Milliseconds of CPU in a minute, as measured on a host: 2 % of a core are 1,200.
    expect(2 * ticks + 1.2 * opened).toBeLessThan(1_400);
  });

  it('lets no line wait because many others came before it', async () => {
    for (let index = 0; index < 50; index++) {
      host.logs.set(`a${index}`, 'x');
      subscribe(`a${index}`, { live: true });
    }
    follower.attach(host.connection());
    await settle();
    expect(await ticksIn(2_000)).toBeGreaterThanOrEqual(8);
  });

  it('starts a stream again that ended by itself, less and less often', async () => {
    host.logs.set('a', 'one');
    host.answers = false;
    const { text } = subscribe('a');
    follower.attach(host.connection());
    await settle();
    for (const delayMs of [1_000, 2_000, 4_000]) {
      const { opened } = host;
      host.end();
      await clock.advance(delayMs - 1);
      expect(host.opened).toBe(opened);
      await clock.advance(1);
      expect(host.opened).toBe(opened + 1);
    }
    host.answers = true;
    host.end();
    await clock.advance(8_000);
    expect(text()).toBe('one');
    expect(host.open).toBe(1);
  });

  it('gives up a stream that says nothing any more', async () => {
    subscribe('a');
    follower.attach(host.connection());
    await clock.advance(500);
    host.answers = false;
    await clock.advance(47_000);
    expect(log.at(-1)).toContain('no word of the logs for 45 s');
    expect(host.opened).toBe(2);
  });

  it('ends a stream that sends more than it was asked for', async () => {
    host.most = 100_000_000;
    host.logs.set('a', 'x'.repeat(3_000_000));
    subscribe('a');
    follower.attach(host.connection());
    await settle();
    expect(log.at(-1)).toContain('more than can be read');
  });

  it('lets one subscriber fail without the others', async () => {
    host.logs.set('a', 'x');
    follower.subscribe({ attempt: 'a', from: fromStart, live: true }, () => {
      throw new Error('a view');
    });
    const { text } = subscribe('a');
    follower.attach(host.connection());
    await settle();
    expect(text()).toBe('x');
    expect(log).toEqual([expect.stringContaining('a view')]);
  });
});
