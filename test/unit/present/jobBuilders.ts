import type { AttemptSpec, AttemptStatus, Outcome } from '../../../src/core/job/attempt';
import type { AttemptEnding, OverStatus } from '../../../src/core/job/ending';
import type { ListedAttempt } from '../../../src/core/job/directory/jobDirectory';
import type { AttemptState, JobsState } from '../../../src/core/model/jobsState';
import { now } from './builders';

/** What the host's clock shows is ahead of ours by so much. */
export const clockAheadMs = 7_000;

/** A moment of ours, in seconds by the host's clock. */
export const hostSeconds = (atMs: number): number => (atMs + clockAheadMs) / 1000;

export const minutes = 60_000;

export function spec(changes: Partial<AttemptSpec> = {}): AttemptSpec {
  return {
    format: 1,
    job: 'drafter',
    run: 'torchrun train.py --max-seq-len 8192',
    cwd: '~/train',
    values: { '--max-seq-len': 8192 },
    parent: null,
    gpus: null,
    createdAtMs: now - 10 * minutes,
    source: null,
    ...changes,
  };
}

export const identity = { pid: 4_711, startTicks: 12_345 };

export function running(forMs: number): AttemptStatus {
  return { kind: 'running', started: startedAt(now - forMs) };
}

export function startedAt(atMs: number) {
  const log = '/home/mia/.local/state/headroom/m/jobs/a/log';
  return { atS: hostSeconds(atMs), bootId: 'boot', supervisor: identity, command: identity, log };
}

export function finished(outcome: Outcome, ranMs: number, agoMs = 0, exitCode = 0): OverStatus {
  const atS = hostSeconds(now - agoMs);
  const ended = { atS, exitCode, oomKills: 0, peak: null };
  return { kind: 'finished', started: startedAt(now - agoMs - ranMs), ended, outcome };
}

export function listed<Status extends AttemptStatus>(
  id: string,
  status: Status,
  changes: Partial<AttemptSpec> = {},
): ListedAttempt & { readonly status: Status } {
  const folder = `/home/mia/.local/state/headroom/m/jobs/${id}`;
  return { id, spec: spec(changes), status, folder, told: false, relaunchedBy: null, output: null };
}

export function attempt(
  id: string,
  status: AttemptStatus,
  { spec: changes, ...more }: Partial<Omit<AttemptState, 'attempt'>> & { readonly spec?: Partial<AttemptSpec> } = {},
): AttemptState {
  return { attempt: listed(id, status, changes), log: null, gpu: null, isStopping: false, ...more };
}

export function jobs(...attempts: readonly AttemptState[]): JobsState {
  const byId = new Map(attempts.map(one => [one.attempt.id, one]));
  return { readAtMs: now - 1_000, failure: null, clockAheadMs, attempts: byId };
}

export function ending(status: OverStatus, lastLine: string | null = null): AttemptEnding {
  return { host: 'blackwell', attempt: listed('a', status), lastLine };
}
