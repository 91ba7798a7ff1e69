import { beforeEach, describe, expect, it } from 'vitest';
import { createFleet, type Fleet } from '../../../src/control/fleet';
import type { Log, Prompts } from '../../../src/control/ports';
import { authenticationFailed, refused, signInNeeded } from '../../../src/core/errors';
import type { HostSpec } from '../../../src/core/host/hostSpec';
import type { HostState } from '../../../src/core/model/state';
import { createFakeClock, FakeHost, settle, type FakeClock } from './fakeWorld';

const box: HostSpec = { id: 'box', destination: 'box', user: null, port: null };
const silent: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const somebody: Prompts = {
  acceptHostKey: () => Promise.resolve(true),
  secret: () => Promise.resolve(null),
  answers: () => Promise.resolve(null),
};

let clock: FakeClock;
let host: FakeHost;
let fleet: Fleet;

beforeEach(() => {
  clock = createFakeClock();
  host = new FakeHost(clock);
  fleet = createFleet({ connector: host, clock, log: silent, watchScript: () => 'true' });
});

function state(): HostState {
  const found = fleet.store.state.hosts.get('box');
  if (found === undefined) throw new Error('the host is not in the model');
  return found;
}
const kind = (): string => state().connection.kind;
const flags = (): string[] => host.ticks.map(tick => tick.flags);

describe('connecting', () => {
  it('ends ready, with the host known and its first frame asked for', async () => {
    expect(await fleet.connect(box, null)).toMatchObject({ kind: 'ready', interactive: false });
    await settle();
    expect(state()).toMatchObject({ identity: { system: 'Linux' }, watch: { lastFrameAtMs: clock.nowMs() } });
  });

  it('ends with a host that writes without end, and does not begin again by itself', async () => {
    host.flood = 'x'.repeat(100);
    await fleet.connect(box, null);
    await settle();
    expect(state().connection).toMatchObject({ kind: 'needsUser', failure: { kind: 'internal' } });
    expect(host.open).toBe(0);
    await clock.advance(600_000);
    expect(host.connects).toHaveLength(1);
  });

  it('shows the steps on the way', async () => {
    host.nextConnects.push('hang');
    void fleet.connect(box, null);
    await settle();
    expect(state().connection).toMatchObject({ kind: 'connecting', step: 'authenticating' });
  });

  it('is one try for all who ask at the same time', async () => {
    const both = await Promise.all([fleet.connect(box, null), fleet.connect(box, null)]);
    expect(both.map(end => end.kind)).toEqual(['ready', 'ready']);
    expect(host.connects).toHaveLength(1);
    expect((await fleet.connect(box, null)).kind).toBe('ready');
    expect(host.connects).toHaveLength(1);
  });

  it('asks the user after all, when a try that it joined could not', async () => {
    host.nextConnects.push(signInNeeded('box'), 'interactive');
    const [quiet, byHand] = await Promise.all([fleet.connect(box, null), fleet.connect(box, somebody)]);
    expect(quiet.kind).toBe('needsUser');
    expect(byHand).toMatchObject({ kind: 'ready', interactive: true });
    expect(host.connects.map(connect => connect.asked)).toEqual([false, true]);
  });

  it('tells why it failed, and does not try again what only the user can cure', async () => {
    host.nextConnects.push(authenticationFailed('box', 'ada', '1 key', []));
    expect(await fleet.connect(box, null)).toMatchObject({ kind: 'needsUser', failure: { kind: 'authentication' } });
    await clock.advance(3_600_000);
    expect(host.connects).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('refuses a host that is no Linux, and lets go of the link', async () => {
    host.system = 'Darwin';
    expect(await fleet.connect(box, null)).toMatchObject({ kind: 'needsUser', failure: { kind: 'notLinux' } });
    expect(host.open).toBe(0);
  });

  it('survives a connector that throws', async () => {
    const broken = createFleet({
      connector: { connect: () => Promise.reject(new Error('oops')) },
      clock,
      log: silent,
      watchScript: () => '',
    });
    expect(await broken.connect(box, null)).toMatchObject({ kind: 'needsUser', failure: { kind: 'internal' } });
  });
});

describe('giving up a try', () => {
  it.each([
    ['a signal', (abort: AbortController) => abort.abort()],
    ['disconnecting', () => fleet.disconnect('box')],
    ['disposing the fleet', () => fleet.dispose()],
    ['forgetting the host', () => fleet.forget('box')],
  ])('by %s ends it at once and closes a connection that comes late', async (_name, giveUp) => {
    host.nextConnects.push('hang');
    const abort = new AbortController();
    const end = fleet.connect(box, null, abort.signal);
    await settle();
    giveUp(abort);
    expect((await end).kind).toBe('disconnected');
    expect(host.signals[0]?.aborted).toBe(true);
    host.finishConnect();
    await settle();
    expect(host.open).toBe(0);
    expect(host.ticks).toEqual([]);
    expect(clock.pending).toBe(0);
  });

  it('does nothing when the signal comes too late', async () => {
    const abort = new AbortController();
    await fleet.connect(box, null, abort.signal);
    abort.abort();
    expect(kind()).toBe('ready');
  });
});

describe('a lost link', () => {
  it('comes back by itself, and nobody is asked', async () => {
    await fleet.connect(box, somebody);
    await clock.advance(60_000);
    host.loseLink();
    expect(state().connection).toMatchObject({ kind: 'waiting', attempt: 1 });
    expect(host.open).toBe(0);
    await clock.advance(2_000);
    expect(kind()).toBe('ready');
    expect(host.connects.map(connect => connect.asked)).toEqual([true, false]);
    expect(host.open).toBe(1);
  });

  it('is tried ever more rarely while the host is down', async () => {
    await fleet.connect(box, null);
    await clock.advance(60_000);
    host.nextConnects.push(...Array.from({ length: 20 }, () => refused('box', '127.0.0.1:22')));
    host.loseLink();
    await clock.advance(600_000);
    const [, ...tries] = host.connects.map(connect => connect.atMs - (host.connects[0]?.atMs ?? 0) - 60_000);
    expect(tries).toEqual([1_500, 13_500, 39_500, 91_500, 195_500, 403_500]);
  });

  it('is not signed in to again by itself when the user signed in by hand', async () => {
    host.nextConnects.push('interactive');
    await fleet.connect(box, somebody);
    host.loseLink();
    expect(state().connection).toMatchObject({ kind: 'needsUser', failure: { kind: 'signInNeeded' } });
    await clock.advance(3_600_000);
    expect(host.connects).toHaveLength(1);
    expect((await fleet.connect(box, somebody)).kind).toBe('ready');
  });

  it('is tried at once when the user says so', async () => {
    host.nextConnects.push(refused('box', '127.0.0.1:22'));
    expect((await fleet.connect(box, null)).kind).toBe('waiting');
    expect((await fleet.connect(box, somebody)).kind).toBe('ready');
    await clock.advance(60_000);
    expect(host.connects).toHaveLength(2);
  });

  it('is not tried any more once the user disconnects', async () => {
    await fleet.connect(box, null);
    host.loseLink();
    fleet.disconnect('box');
    await clock.advance(3_600_000);
    expect(kind()).toBe('disconnected');
    expect(host.connects).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });
});

describe('the pace', () => {
  it('follows the attention, from the next moment on', async () => {
    await fleet.connect(box, null);
    await clock.advance(20_000);
    expect(flags()).toEqual(['-', '-', '-']);
    expect(state().intervalMs).toBeNull();

    fleet.setAttention('box', 'full');
    expect(flags().slice(3)).toEqual(['gp']);
    await clock.advance(2_000);
    expect(flags().slice(4)).toEqual(['gp', 'gp']);
    expect(state().intervalMs).toBe(1_000);

    fleet.setAttention('box', 'brief');
    await clock.advance(4_000);
    expect(flags().slice(6)).toEqual(['-', 'g', 'g']);
  });

  it('is that of an attention which came before the host', async () => {
    fleet.setAttention('box', 'full');
    await fleet.connect(box, null);
    expect(flags()).toEqual(['gp']);
  });

  it('fetches the first answer as soon as it can be there', async () => {
    host.gpu = 'running 0';
    fleet.setAttention('box', 'full');
    await fleet.connect(box, null);
    await clock.advance(150);
    expect(flags()).toEqual(['gp', '-']);
    host.gpu = 'answered 100 0';
    await clock.advance(150);
    expect(state().watch?.gpu.reading).not.toBeNull();
    await clock.advance(700);
    expect(flags()).toEqual(['gp', '-', '-']);
  });

  it('never has two ticks on the way', async () => {
    host.answers = false;
    await fleet.connect(box, null);
    fleet.setAttention('box', 'full');
    fleet.setAttention('box', 'brief');
    await clock.advance(30_000);
    expect(host.ticks).toHaveLength(1);
  });
});

describe('a host that does not answer', () => {
  it('is given up as lost after 45 s, and connected to again', async () => {
    await fleet.connect(box, null);
    host.answers = false;
    await clock.advance(10_000);
    expect(host.ticks).toHaveLength(2);
    await clock.advance(44_900);
    expect(kind()).toBe('ready');
    await clock.advance(100);
    expect(state().connection).toMatchObject({ kind: 'waiting', failure: { kind: 'lost' } });
    expect(host.open).toBe(0);
    host.answers = true;
    await clock.advance(14_000);
    expect(kind()).toBe('ready');
  });

  it('goes on at its pace when the clock is set back, between ticks or during one', async () => {
    fleet.setAttention('box', 'full');
    await fleet.connect(box, null);
    await clock.advance(3_000);
    clock.suspend(-3_600_000);
    const before = host.ticks.length;
    await clock.advance(5_000);
    expect(
      flags()
        .slice(before)
        .filter(asked => asked === 'gp').length,
    ).toBeGreaterThan(3);

    host.holdNext = true;
    await clock.advance(1_000);
    clock.suspend(-3_600_000);
    host.releaseFrame();
    const held = host.ticks.length;
    await clock.advance(5_000);
    expect(host.ticks.length).toBeGreaterThan(held + 3);
  });

  it('is given up 5 s after a suspend during which it was asked', async () => {
    await fleet.connect(box, null);
    host.answers = false;
    await clock.advance(11_000);
    clock.suspend(3_600_000);
    await clock.advance(4_000 + 4_900);
    expect(kind()).toBe('ready');
    await clock.advance(200);
    expect(kind()).toBe('waiting');
  });

  it('is given up 5 s after the first tick that follows a suspend', async () => {
    await fleet.connect(box, null);
    await clock.advance(1_000);
    clock.suspend(3_600_000);
    host.answers = false;
    await clock.advance(9_000 + 4_900);
    expect(kind()).toBe('ready');
    await clock.advance(200);
    expect(kind()).toBe('waiting');
  });
});

it('a disposed fleet leaves no timer, no connection and starts nothing', async () => {
  await fleet.connect(box, null);
  fleet.dispose();
  expect(host.open).toBe(0);
  expect(clock.pending).toBe(0);
  expect((await fleet.connect(box, null)).kind).toBe('disconnected');
  expect(host.connects).toHaveLength(1);
});
