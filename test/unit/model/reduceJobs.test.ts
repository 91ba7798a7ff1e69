import { describe, expect, it } from 'vitest';
import { failureOf, gib, gpu, gpuProcess, host as hostWith, now, stateOf } from '../present/builders';
import { attempt, jobs, listed, running, finished } from '../present/jobBuilders';
import type { JobListing, ListedAttempt } from '../../../src/core/job/directory/jobDirectory';
import type { WatchFrame, OwnedGpuProcess } from '../../../src/core/host/watchFrame';
import { durationMs, quietForMs } from '../../../src/core/model/jobSelectors';
import type { HostEvent } from '../../../src/core/model/events';
import { reduce } from '../../../src/core/model/reduce';
import type { HostState, State } from '../../../src/core/model/state';

const host = 'blackwell';

const listing = (...attempts: readonly ListedAttempt[]): JobListing => ({
  machine: 'm',
  bootId: 'boot',
  nowS: now / 1000 + 5,
  jobs: '/jobs',
  attempts,
});

const after = (state: State, ...events: readonly HostEvent[]): HostState =>
  events.reduce(reduce, state).hosts.get(host)!;

const empty = stateOf(hostWith());
const withA = stateOf(hostWith({ jobs: jobs(attempt('a', running(1_000))) }));

describe('a listing', () => {
  it('is all there is, and keeps what this window knows besides', () => {
    const log = { throughput: null, outputAtMs: now, lastLines: ['x'] };
    const state = stateOf(
      hostWith({ jobs: jobs(attempt('a', running(1_000), { log }), attempt('b', running(1_000))) }),
    );
    const over = listed('a', finished({ kind: 'succeeded' }, 1_000));
    const box = after(state, { kind: 'jobsListed', host, listing: listing(over), atMs: now });
    expect([...box.jobs!.attempts.keys()]).toEqual(['a']);
    expect(box.jobs!.attempts.get('a')).toEqual({ attempt: over, log, gpu: null, isStopping: false });
    expect(box.jobs).toMatchObject({ readAtMs: now, clockAheadMs: 5_000, failure: null });
  });

  it('that was under way when the user was told does not take it back', () => {
    const over = listed('a', finished({ kind: 'succeeded' }, 1_000));
    const box = after(
      empty,
      { kind: 'jobsListed', host, listing: listing(over), atMs: now },
      { kind: 'attemptsTold', host, attempts: ['a', 'gone'] },
      { kind: 'jobsListed', host, listing: listing(over), atMs: now },
    );
    expect(box.jobs!.attempts.get('a')?.attempt.told).toBe(true);
  });

  it('that failed leaves what was known', () => {
    const failure = failureOf('jobPlace');
    const box = after(withA, { kind: 'jobsUnreadable', host, failure });
    expect(box.jobs).toMatchObject({ failure });
    expect(box.jobs!.attempts.size).toBe(1);
  });
});

it('an attempt that was launched stands in its place', () => {
  const state = stateOf(hostWith({ jobs: jobs(attempt('a', running(1)), attempt('c', running(1))) }));
  const box = after(state, { kind: 'attemptSeen', host, attempt: listed('b', { kind: 'queued' }) });
  expect([...box.jobs!.attempts.keys()]).toEqual(['a', 'b', 'c']);
});

it('what changes nothing leaves the same state', () => {
  const stopping = reduce(withA, { kind: 'stopChanged', host, attempt: 'a', isStopping: true });
  expect(reduce(stopping, { kind: 'stopChanged', host, attempt: 'a', isStopping: true })).toBe(stopping);
  expect(reduce(withA, { kind: 'attemptsTold', host, attempts: ['b'] })).toBe(withA);
  expect(reduce(empty, { kind: 'stopChanged', host, attempt: 'a', isStopping: true })).toBe(empty);
  expect(reduce(withA, { kind: 'attemptsTold', host: 'nobody', attempts: ['a'] })).toBe(withA);
});

describe('the GPU memory of an attempt', () => {
  const frame = (...processes: readonly OwnedGpuProcess[]): HostEvent => ({
    kind: 'frame',
    host,
    atMs: now,
    frame: {
      seq: 1,
      uptimeSeconds: 1,
      memory: withA.hosts.get(host)!.watch!.memory,
      queryStarted: false,
      gpu: {
        kind: 'answered',
        answer: {
          durationMs: 10,
          ageMs: 0,
          gpus: [gpu(0), gpu(1)],
          processes,
          error: null,
          partial: false,
          message: null,
        },
      },
    } satisfies WatchFrame,
  });
  const found: HostEvent = {
    kind: 'gpuMembersFound',
    host,
    members: [
      { pid: 10, attempt: 'a' },
      { pid: 11, attempt: 'a' },
      { pid: 12, attempt: null },
    ],
  };
  const on = (index: number, pid: number, gigabytes: number | null): OwnedGpuProcess =>
    gpuProcess(index, pid, { memoryBytes: gigabytes === null ? null : gigabytes * gib });

  it('is the most of one card, as long as that was seen', () => {
    const first = [frame(on(0, 10, 3), on(1, 11, 5), on(1, 10, 2), on(0, 12, 50)), found];
    const box = after(withA, ...first);
    expect(box.jobs!.attempts.get('a')?.gpu).toEqual({
      peak: { bytes: 7 * gib, kind: 'sampled' },
      cards: ['GPU-0', 'GPU-1'],
    });
    const later = after(withA, ...first, frame(on(0, 10, 4)));
    expect(later.jobs!.attempts.get('a')?.gpu).toEqual({ peak: { bytes: 7 * gib, kind: 'sampled' }, cards: ['GPU-0'] });
  });

  it('is not known where the tool tells none of processes', () => {
    const box = after(withA, frame(on(0, 10, null)), found);
    expect(box.jobs!.attempts.get('a')?.gpu).toEqual({ peak: null, cards: ['GPU-0'] });
  });

  it('is nobody’s any more once the pid was away: it may be another process’s', () => {
    const box = after(withA, frame(on(0, 10, 3)), found, frame(), frame(on(1, 10, 90)));
    expect(box.jobs!.attempts.get('a')?.gpu).toEqual({ peak: { bytes: 3 * gib, kind: 'sampled' }, cards: [] });
  });
});

describe('time', () => {
  const box = hostWith({ jobs: jobs(attempt('a', running(90_000))) });
  const one = box.jobs!.attempts.get('a')!;

  it('of an attempt is told by the host’s clock', () => {
    expect(durationMs(one, box, now)).toBe(90_000);
    expect(durationMs(attempt('b', finished({ kind: 'succeeded' }, 61_000, 500_000)), box, now)).toBe(61_000);
    expect(durationMs(attempt('b', { kind: 'queued' }), box, now)).toBeNull();
  });

  it('of silence is not known of a log that nobody follows', () => {
    expect(quietForMs(one, now)).toBeNull();
    const log = { throughput: null, outputAtMs: now - 1_000, lastLines: [] };
    expect(quietForMs({ ...one, log }, now)).toBe(1_000);
  });
});
