import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GpuQueryState, WatchFrame } from '../../../src/core/host/watchFrame';
import {
  afterFrame,
  newHistory,
  nextDelayMs,
  nextRequest,
  paces,
  type Attention,
  type WatchHistory,
} from '../../../src/core/host/watchPace';

const frame = (gpu: GpuQueryState, queryStarted = false): WatchFrame => ({
  seq: 1,
  uptimeSeconds: 1,
  memory: {
    totalBytes: null,
    availableBytes: null,
    limitedBy: { kind: 'machine' },
    oomKills: null,
    pressureSome10: null,
  },
  gpu,
  queryStarted,
});

const check = (attention: Attention, history: Partial<WatchHistory>, nowMs: number, flags: string): void => {
  const request = nextRequest(paces[attention], { ...newHistory, ...history }, nowMs);
  const names = [request.gpus && 'g', request.processes && 'p', request.list && 'l'].filter(Boolean);
  expect(names.join('')).toBe(flags);
};

describe('what a tick asks', () => {
  it('is everything at first, but MIG devices where MIG is not known to be on', () => check('full', {}, 0, 'gp'));
  it('is no GPU while nothing shows one', () => check('none', {}, 0, ''));
  it('is no GPU within a second of the last query', () => {
    check('full', { queryStartedMs: 0 }, 900, '');
    check('full', { queryStartedMs: 0 }, 1_000, 'gp');
  });
  it('leaves a slow tool four times as long as it takes', () => {
    check('full', { queryStartedMs: 0, durationMs: 2_000 }, 7_900, '');
    check('full', { queryStartedMs: 0, durationMs: 2_000 }, 8_000, 'gp');
  });
  it('is the processes every ten seconds only, for the status bar', () => {
    check('brief', { queryStartedMs: 0, processesAskedMs: 0 }, 2_000, 'g');
    check('brief', { queryStartedMs: 8_000, processesAskedMs: 0 }, 10_000, 'gp');
  });
  it('is the MIG devices once a minute where MIG is on', () => {
    check('full', { migEnabled: true }, 0, 'gpl');
    check('full', { migEnabled: true, queryStartedMs: 0, listAskedMs: 0 }, 59_000, 'gp');
    check('full', { migEnabled: true, queryStartedMs: 0, listAskedMs: 0 }, 60_000, 'gpl');
  });
});

describe('the wait for the next tick', () => {
  const running: GpuQueryState = { kind: 'running', forMs: 0 };
  const wait = (attention: Attention, history: Partial<WatchHistory>, gpu: GpuQueryState, tookMs: number): number =>
    nextDelayMs(paces[attention], { ...newHistory, ...history }, frame(gpu), tookMs, 10_000);

  it('makes the interval whole', () => expect(wait('full', {}, { kind: 'idle' }, 30)).toBe(970));
  it('lets a host that answers late rest', () => expect(wait('full', {}, { kind: 'idle' }, 3_000)).toBe(1_000));
  it('is short while the first answer is awaited, and grows with it', () => {
    expect(wait('full', {}, running, 10)).toBe(150);
    expect(wait('full', {}, { kind: 'running', forMs: 600 }, 10)).toBe(600);
    expect(wait('full', {}, { kind: 'running', forMs: 5_000 }, 10)).toBe(990);
  });
  it('is the usual one once an answer is known', () =>
    expect(wait('full', { answeredMs: 9_000 }, running, 10)).toBe(990));
});

it('remembers a query only when the host began it', () => {
  const tick = { atMs: 5, request: { gpus: true, processes: true, list: false } };
  expect(afterFrame(newHistory, tick, frame({ kind: 'idle' }), 6)).toEqual(newHistory);
  expect(afterFrame(newHistory, tick, frame({ kind: 'running', forMs: 0 }, true), 6)).toEqual({
    ...newHistory,
    queryStartedMs: 5,
    processesAskedMs: 5,
  });
});

it('never asks the tool to run more than a quarter of the time, whatever it takes', () => {
  fc.assert(
    fc.property(
      fc.nat(60_000),
      fc.nat(100_000),
      fc.constantFrom<Attention>('full', 'brief'),
      (durationMs, nowMs, attention) => {
        const asks = nextRequest(paces[attention], { ...newHistory, queryStartedMs: 0, durationMs }, nowMs).gpus;
        expect(asks).toBe(nowMs >= Math.max(1_000, 4 * durationMs) - 5);
      },
    ),
  );
});
