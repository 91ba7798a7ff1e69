import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linkLost } from '../../../src/core/errors';
import { isFree } from '../../../src/core/gpu/free';
import type { GpuReading } from '../../../src/core/gpu/reading';
import type { ConnectionState } from '../../../src/core/host/connection';
import type { GpuAnswer, GpuQueryState, HostIdentity, OwnedGpuProcess } from '../../../src/core/host/watchFrame';
import type { HostEvent } from '../../../src/core/model/events';
import { reduce } from '../../../src/core/model/reduce';
import { freshness, gpuFreshness, processesOf, underUsedForMs } from '../../../src/core/model/selectors';
import { emptyState, type HostState, type State } from '../../../src/core/model/state';

const spec = (id: string) => ({ id, destination: id, user: null, port: null });
const added = (id: string): HostEvent => ({ kind: 'hostAdded', spec: spec(id) });
const connection = (state: ConnectionState): HostEvent => ({
  kind: 'connectionChanged',
  host: 'box',
  connection: state,
});
const ready: ConnectionState = { kind: 'ready', sinceMs: 0, interactive: false, attempt: 0 };
const waiting: ConnectionState = {
  kind: 'waiting',
  sinceMs: 0,
  retryAtMs: 1,
  attempt: 1,
  failure: linkLost('box', 'reset'),
};
const pace = (intervalMs: number | null): HostEvent => ({ kind: 'paceChanged', host: 'box', intervalMs });

const card = (change: Partial<GpuReading> = {}): GpuReading => ({
  index: 0,
  uuid: 'GPU-a',
  name: 'NVIDIA H100',
  memoryTotalBytes: 80 * 2 ** 30,
  memoryUsedBytes: 0,
  utilization: 0,
  powerWatts: 80,
  powerLimitWatts: 700,
  temperatureC: 30,
  migEnabled: false,
  migDevices: null,
  fault: null,
  ...change,
});
const lazy = card({ utilization: 100, powerWatts: 200 });
const busy = card({ utilization: 100, powerWatts: 650 });

const answered = (gpus: readonly GpuReading[], change: Partial<GpuAnswer> = {}): GpuQueryState => ({
  kind: 'answered',
  answer: { durationMs: 50, ageMs: 0, gpus, processes: null, error: null, partial: false, message: null, ...change },
});
const frame = (atMs: number, gpu: GpuQueryState, oomKills: number | null = 0): HostEvent => ({
  kind: 'frame',
  host: 'box',
  atMs,
  frame: {
    seq: 1,
    uptimeSeconds: 1,
    memory: { totalBytes: 1, availableBytes: 1, limitedBy: { kind: 'machine' }, oomKills, pressureSome10: null },
    gpu,
    queryStarted: false,
  },
});
const idle: GpuQueryState = { kind: 'idle' };

const after = (...events: readonly HostEvent[]): State => [added('box'), ...events].reduce(reduce, emptyState);
function box(...events: readonly HostEvent[]): HostState {
  const host = after(...events).hosts.get('box');
  if (host === undefined) throw new Error('no host');
  return host;
}

describe('hosts', () => {
  it('stay in the order in which they were added', () =>
    expect([...after(added('b'), added('a'), added('b')).hosts.keys()]).toEqual(['box', 'b', 'a']));

  it('are not touched by what happens to another, or by what changes nothing', () => {
    const before = after(added('other'), frame(0, idle));
    const next = reduce(before, frame(1, idle));
    expect(next.hosts.get('other')).toBe(before.hosts.get('other'));
    expect(next.hosts.get('box')).not.toBe(before.hosts.get('box'));
    for (const event of [added('other'), pace(null), connection(before.hosts.get('box')?.connection ?? ready)])
      expect(reduce(before, event)).toBe(before);
  });

  it('that were forgotten do not come back by a late event', () => {
    const gone = reduce(after(), { kind: 'hostForgotten', host: 'box' });
    expect(gone.hosts.size).toBe(0);
    for (const event of [connection(ready), frame(0, idle), pace(1)]) expect(reduce(gone, event)).toBe(gone);
  });

  it('keep what was seen when the link is lost, and wait for no answer any more', () => {
    const { watch } = box(frame(0, answered([card()])), frame(1, { kind: 'running', forMs: 9 }), connection(waiting));
    expect(watch?.gpu.reading?.gpus).toHaveLength(1);
    expect(watch?.gpu.unansweredForMs).toBeNull();
  });

  it('show nothing of the machine that had the name before', () => {
    const identity: HostIdentity = {
      system: 'Linux',
      hostname: 'login01',
      machineId: 'a',
      bootId: 'x',
      firstPidNamespace: true,
      nvidiaSmi: null,
    };
    const identified = (change: Partial<HostIdentity>): HostEvent => ({
      kind: 'identified',
      host: 'box',
      identity: { ...identity, ...change },
    });
    expect(box(identified({}), frame(0, idle), identified({ bootId: 'y' })).watch).not.toBeNull();
    expect(box(identified({}), frame(0, idle), identified({ hostname: 'login02', machineId: 'b' })).watch).toBeNull();
  });
});

describe('kernel kills', () => {
  const seen = (...counts: readonly (number | null)[]): number | undefined =>
    box(...counts.map((count, at) => frame(at, idle, count))).watch?.oomKillsSeen;

  it('count from when watching began', () => expect(seen(7, 7, 9, 10)).toBe(3));
  it('do not shrink when the machine boots', () => expect(seen(7, 8, 0, 1)).toBe(2));
  it('are none where they are not told', () => expect(seen(null, null)).toBe(0));
});

describe('the GPU query', () => {
  const gpu = (...queries: readonly GpuQueryState[]) => box(...queries.map((query, at) => frame(at, query))).watch?.gpu;

  it('keeps the newest reading while another is under way', () =>
    expect(gpu(answered([card()]), { kind: 'running', forMs: 40 })).toMatchObject({
      unansweredForMs: 40,
      reading: { atMs: 0, gpus: [{ uuid: 'GPU-a' }] },
    }));

  it('keeps the newest processes when they were not asked for', () => {
    const process: OwnedGpuProcess = { gpu: 'GPU-a', pid: 4, name: 'python3', memoryBytes: 1, user: 'ada' };
    expect(gpu(answered([card()], { processes: [process] }), answered([card()]))?.reading).toMatchObject({
      atMs: 1,
      processes: { atMs: 0, list: [process] },
    });
  });

  it('keeps the MIG devices of a card, as long as MIG is on', () => {
    const devices = [{ index: 0, uuid: 'MIG-a', profile: '1g.10gb' }];
    const on = card({ migEnabled: true });
    const listed = answered([{ ...on, migDevices: devices }]);
    expect(gpu(listed, answered([on]), answered([on]))?.reading?.gpus[0]?.migDevices).toEqual(devices);
    expect(gpu(listed, answered([card()]))?.reading?.gpus[0]?.migDevices).toBeNull();
  });

  it('is dated by when it ended, not by when it was heard', () => {
    const host = box(frame(60_000, answered([card()], { ageMs: 50_000 })));
    expect(host.watch?.gpu.reading?.atMs).toBe(10_000);
  });

  it('tells that it is broken until it is not', () => {
    const broken: GpuQueryState = { kind: 'broken', reason: 'no folder' };
    expect(gpu(broken, idle)?.broken).toBe('no folder');
    expect(gpu(broken, answered([card()]))?.broken).toBeNull();
  });

  it('shows no reading where there is no tool', () =>
    expect(gpu(answered([card()]), { kind: 'noTool' })).toMatchObject({ noTool: true, reading: null }));
});

describe('a card that draws little', () => {
  const forMs = (nowMs: number, ...readings: readonly (readonly [number, readonly GpuReading[]])[]): number | null => {
    const host = box(connection(ready), ...readings.map(([atMs, gpus]) => frame(atMs, answered(gpus))));
    return underUsedForMs(host, card(), nowMs);
  };

  it('is under-used since the first such reading', () =>
    expect(forMs(21_000, [1_000, [lazy]], [11_000, [lazy]], [21_000, [lazy]])).toBe(20_000));
  it('begins anew after a reading that breaks the run', () =>
    expect(forMs(21_000, [1_000, [lazy]], [11_000, [busy]], [21_000, [lazy]])).toBe(0));
  it('begins anew after a reading without it', () =>
    expect(forMs(21_000, [1_000, [lazy]], [11_000, []], [21_000, [lazy]])).toBe(0));
  it('begins anew when nobody looked for a while', () =>
    expect(forMs(60_000, [1_000, [lazy]], [60_000, [lazy]])).toBe(0));
  it('is not said to be when it works', () => expect(forMs(1_000, [1_000, [busy]])).toBeNull());
  it('is not said to be by an old reading', () => expect(forMs(90_000, [1_000, [lazy]])).toBeNull());
});

describe('freshness', () => {
  const check = (host: HostState, nowMs: number, whole: object, gpus: object): void => {
    expect(freshness(host, nowMs)).toEqual(whole);
    expect(gpuFreshness(host, nowMs)).toEqual(gpus);
  };
  const live = { kind: 'live' };
  const none = { kind: 'none' };
  const stale = (ageMs: number): object => ({ kind: 'stale', ageMs });

  it('is none before anything was heard', () => check(box(connection(ready)), 0, none, none));
  it('is live for three intervals, and never less than three seconds', () => {
    const host = (intervalMs: number | null): HostState =>
      box(connection(ready), frame(0, answered([card()])), pace(intervalMs));
    check(host(1_000), 3_000, live, live);
    check(host(1_000), 3_001, stale(3_001), stale(3_001));
    check(host(2_000), 6_000, live, live);
    check(host(null), 3_001, stale(3_001), stale(3_001));
  });
  it('is stale at once when the link is lost', () =>
    check(box(connection(ready), frame(0, answered([card()])), connection(waiting)), 10, stale(10), stale(10)));
  it('goes its own way for the GPUs when a query hangs', () =>
    check(
      box(connection(ready), frame(0, answered([card()])), frame(9_000, { kind: 'running', forMs: 8_000 })),
      9_000,
      live,
      stale(9_000),
    ));
  it('allows a slow tool its rest', () =>
    check(
      box(connection(ready), frame(0, answered([card()], { durationMs: 2_000 })), frame(15_000, idle)),
      15_000,
      live,
      live,
    ));
  it('is never live after 15 s, however slow the tool is', () => {
    const slow = (nowMs: number): HostState =>
      box(connection(ready), frame(0, answered([card()], { durationMs: 24_000 })), frame(nowMs, idle));
    check(slow(15_000), 15_000, live, live);
    check(slow(15_001), 15_001, live, stale(15_001));
  });
});

describe('processes and free cards', () => {
  const process = (gpu: string | null): OwnedGpuProcess => ({
    gpu,
    pid: 4,
    name: 'python3',
    memoryBytes: 1,
    user: 'ada',
  });
  const second = card({ index: 1, uuid: null });
  const split = card({
    index: 2,
    uuid: 'GPU-c',
    migEnabled: true,
    migDevices: [{ index: 0, uuid: 'MIG-c', profile: '1g.10gb' }],
  });
  const list = [process('GPU-a'), process('1'), process('MIG-c'), process(null)];
  const cards = [card(), second, split, card({ index: 3, uuid: 'GPU-d' })];
  const host = box(frame(0, answered(cards, { processes: list })));

  it('belong to a card by uuid, by index, or by one of its MIG devices', () => {
    expect(processesOf(host, card())).toEqual([list[0]]);
    expect(processesOf(host, second)).toEqual([list[1]]);
    expect(processesOf(host, split)).toEqual([list[2]]);
  });
  it('are not known before they were asked for', () =>
    expect(processesOf(box(frame(0, answered([card()]))), card())).toBeNull());
  it('leave those cards free that have none', () =>
    expect(cards.filter(gpu => isFree(gpu, processesOf(host, gpu))).map(gpu => gpu.index)).toEqual([3]));
});

it('a run of low power never begins before the reading that began it, whatever is heard', () => {
  const gpus = fc.subarray([lazy, { ...busy, uuid: 'GPU-b' }, { ...lazy, uuid: 'GPU-c' }]);
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(50_000), gpus)), readings => {
      let state = after();
      let nowMs = 0;
      for (const [waitMs, cards] of readings) {
        nowMs += waitMs;
        state = reduce(state, frame(nowMs, answered(cards)));
        const since = state.hosts.get('box')?.watch?.gpu.lowPowerSinceMs ?? new Map<string, number>();
        expect([...since.keys()]).toEqual(cards.filter(gpu => gpu.powerWatts === 200).map(gpu => gpu.uuid));
        for (const sinceMs of since.values()) expect(sinceMs).toBeLessThanOrEqual(nowMs);
      }
    }),
  );
});
