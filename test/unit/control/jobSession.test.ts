import { beforeEach, describe, expect, it } from 'vitest';
import { createJobSession, type JobSession } from '../../../src/control/jobSession';
import type { Connection, RunResult, StreamOptions } from '../../../src/control/ports';
import { createStore, type Store } from '../../../src/control/store';
import { linkLost } from '../../../src/core/errors';
import { hostSpec } from '../../../src/core/host/hostSpec';
import type { AttemptStall } from '../../../src/core/job/ending';
import { jobScripts } from '../../../src/hosts/jobScripts';
import { createFakeClock, settle, type FakeClock } from './fakeWorld';

const host = 'box';
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
const attempt = '20260101t000000-abcdef';

let clock: FakeClock;
let store: Store;
let session: JobSession;
/** What the next listing says of the one attempt there is; null for none. */
let records: readonly string[] | null;
let lists: number;
let streams: StreamOptions[];
let openStreams: number;
let sent: string[];
let stalls: AttemptStall[];
let answer: RunResult | null;

const runs = [
  `${attempt}/alive:supervisor=yes`,
  `${attempt}/alive:command=yes`,
  `./${attempt}/spec.json:${JSON.stringify({ format: 1, job: 'drafter', run: 'train', createdAtMs: 0 })}`,
  ...['format=1', 'at=900', 'boot_id=b', 'supervisor=10 1', 'command=11 1', 'log=/jobs/log'].map(
    line => `./${attempt}/started:${line}`,
  ),
];
const ended = ['format=1', 'at=950', 'exit=0'].map(line => `./${attempt}/status:${line}`);

const connection: Connection = {
  onClosed: () => ({ dispose: () => undefined }),
  run() {
    lists += 1;
    const nowS = Math.floor(clock.nowMs() / 1000);
    const lines = ['format=1', 'machine=m', 'boot_id=b', `now=${nowS}`, 'jobs=/jobs', ...(records ?? [])];
    return Promise.resolve(answer ?? { kind: 'exited', code: 0, stdout: lines.join('\n'), stderr: '' });
  },
  openStream(_script, options) {
    streams.push(options);
    openStreams += 1;
    const stream = {
      send(line: string) {
        sent.push(line);
        if (line.startsWith('tick')) options.onLine({ kind: 'control', words: `end ${sent.length} all` });
      },
      dispose: () => void (openStreams -= 1),
    };
    return Promise.resolve({ kind: 'open', stream });
  },
  dispose: () => undefined,
};

beforeEach(() => {
  clock = createFakeClock();
  store = createStore(error => {
    throw error;
  });
  store.dispatch({ kind: 'hostAdded', spec: hostSpec(host) });
  [lists, openStreams, records, answer] = [0, 0, null, null];
  [streams, sent, stalls] = [[], [], []];
  session = createJobSession(host, {
    store,
    clock,
    log: silent,
    scripts: jobScripts,
    place: () => ({ state: null, logs: null }),
    notices: { ended: () => Promise.resolve(true), stalled: stall => void stalls.push(stall) },
    stallAfterMs: () => 20 * 60_000,
  });
});

const status = () => store.state.hosts.get(host)?.jobs?.attempts.get(attempt)?.attempt.status.kind;
const minutes = 60_000;

describe('a host on which nothing runs', () => {
  it('is asked once for each connection, and then for nothing', async () => {
    session.attach(connection);
    await clock.advance(30 * minutes);
    expect([lists, streams.length]).toEqual([1, 0]);
    expect(clock.pending).toBe(0);
  });

  it('that could not answer is asked again, but not by the user’s patience', async () => {
    answer = { kind: 'lost', failure: linkLost(host, 'slow') };
    session.attach(connection);
    await settle();
    expect(store.state.hosts.get(host)?.jobs?.failure).toMatchObject({ kind: 'lost' });
    answer = null;
    await clock.advance(minutes);
    expect(store.state.hosts.get(host)?.jobs).toMatchObject({ failure: null, readAtMs: expect.any(Number) as number });
  });
});

describe('a host on which a job runs', () => {
  beforeEach(async () => {
    records = runs;
    session.attach(connection);
    await clock.advance(1_000);
  });

  it('has one channel for its log, and is listed once a minute', async () => {
    expect(status()).toBe('running');
    await clock.advance(10 * minutes);
    expect(openStreams).toBe(1);
    expect(lists).toBeGreaterThanOrEqual(10);
    expect(lists).toBeLessThanOrEqual(12);
  });

  it('tells at once that it has ended, and leaves nothing open', async () => {
    const key = sent.find(line => line.startsWith('follow'))!.split(' ')[1]!;
    records = [...runs, ...ended, `./${attempt}/told:format=1`];
    streams[0]!.onLine({ kind: 'control', words: `ended ${key}` });
    await settle();
    expect(status()).toBe('finished');
    await clock.advance(2_000);
    expect(openStreams).toBe(0);
    expect(clock.pending).toBe(0);
  });

  it('is told of once when it is silent for long', async () => {
    await clock.advance(19 * minutes);
    expect(stalls).toEqual([]);
    await clock.advance(40 * minutes);
    expect(stalls).toMatchObject([{ host, attempt: { id: attempt } }]);
  });
});

describe('who waits for a connection', () => {
  it('gets the next one, or none when it does not come, or they give up', async () => {
    const next = session.whenConnected(null, minutes);
    session.attach(connection);
    const first = await next;
    expect(first).not.toBeNull();
    const other = session.whenConnected(first, minutes);
    await clock.advance(minutes);
    expect(await other).toBeNull();
    const abort = new AbortController();
    const given = session.whenConnected(first, minutes, abort.signal);
    abort.abort();
    expect(await given).toBeNull();
    const last = session.whenConnected(first, minutes);
    session.dispose();
    expect(await last).toBeNull();
    expect(clock.pending).toBe(0);
  });
});

it('who asks during a reading gets one that began after they asked', async () => {
  session.attach(connection);
  records = runs;
  const [one, other] = [session.refresh(), session.refresh()];
  expect(await Promise.all([one, other])).toEqual([null, null]);
  expect(lists).toBe(2);
  expect(status()).toBe('running');
});
