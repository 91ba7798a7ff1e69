import { gpuKey } from '../gpu/gpuKey';
import { isFree } from '../gpu/free';
import type { GpuReading } from '../gpu/reading';
import { isUnderWay } from '../job/ending';
import type { CardInUse } from '../job/gpuOffer';
import type { AttemptState } from './jobsState';
import { processesOf } from './selectors';
import type { HostState } from './state';

/** The cards of a host, with who is on them, and our own attempts that are. */
export function cardsInUse(host: HostState): readonly CardInUse[] {
  const attempts = attemptsUnderWay(host);
  return (host.watch?.gpu.reading?.gpus ?? []).map(reading => {
    const processes = processesOf(host, reading);
    const owners = (processes ?? []).map(({ user }) => user).filter(user => user !== null);
    return {
      reading,
      isFree: isFree(reading, processes),
      owners: [...new Set(owners)],
      attempts: attempts
        .filter(one => isOnCard(one, reading))
        .map(({ attempt }) => ({ id: attempt.id, job: attempt.spec.job })),
    };
  });
}

/** The attempts whose processes may be alive, the newest first. */
export function attemptsUnderWay({ jobs }: HostState): readonly AttemptState[] {
  return [...(jobs?.attempts.values() ?? [])].filter(({ attempt }) => isUnderWay(attempt)).reverse();
}

/** The cards of an attempt: those it is pinned to, else those it was seen on; empty when it was seen on none. */
export function cardsOf(one: AttemptState, host: HostState): readonly GpuReading[] {
  return (host.watch?.gpu.reading?.gpus ?? []).filter(reading => isOnCard(one, reading));
}

function isOnCard({ attempt, gpu }: AttemptState, reading: GpuReading): boolean {
  const key = gpuKey(reading);
  return attempt.spec.gpus === null ? gpu?.cards.includes(key) === true : attempt.spec.gpus.includes(key);
}

/** How long an attempt has run, or ran, ms; null when it has not begun or nobody knows. By the host's clock alone. */
export function durationMs({ attempt }: AttemptState, host: HostState, nowMs: number): number | null {
  const { status } = attempt;
  if (status.kind === 'finished' && status.started !== null) return (status.ended.atS - status.started.atS) * 1000;
  const ahead = host.jobs?.clockAheadMs ?? null;
  if (status.kind !== 'running' || ahead === null) return null;
  return Math.max(0, nowMs + ahead - status.started.atS * 1000);
}

/** For how long a running attempt has written nothing; null when it does not run or that is not known. */
export function quietForMs({ attempt, log }: AttemptState, nowMs: number): number | null {
  return attempt.status.kind !== 'running' || log === null ? null : Math.max(0, nowMs - log.outputAtMs);
}
