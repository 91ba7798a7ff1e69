import type { AttemptId } from '../job/attempt';
import type { JobListing, ListedAttempt } from '../job/directory/jobDirectory';
import { isUnderWay } from '../job/ending';
import { gpuCardOf } from './selectors';
import type { JobEvent } from './events';
import type { AttemptGpu, AttemptState, GpuMember, JobsState } from './jobsState';
import type { GpuSnapshot, HostState } from './state';

const noJobs: JobsState = { readAtMs: null, failure: null, clockAheadMs: null, attempts: new Map() };

/** What a job event makes of its host. What it does not touch stays the same object. */
export function withJobEvent(host: HostState, event: JobEvent): HostState {
  const jobs = host.jobs ?? noJobs;
  switch (event.kind) {
    case 'jobsListed':
      return { ...host, jobs: withListing(jobs, event.listing, event.atMs) };
    case 'jobsUnreadable':
      return { ...host, jobs: { ...jobs, failure: event.failure } };
    case 'attemptSeen':
      return { ...host, jobs: withAttempt(jobs, event.attempt) };
    case 'attemptsTold':
      return withEach(host, event.attempts, one => (one.attempt.told ? one : { ...one, attempt: told(one.attempt) }));
    case 'logsHeard':
      return withEach(host, [...event.logs.keys()], one => ({
        ...one,
        log: event.logs.get(one.attempt.id) ?? one.log,
      }));
    case 'stopChanged':
      return withEach(host, [event.attempt], one =>
        one.isStopping === event.isStopping ? one : { ...one, isStopping: event.isStopping },
      );
    case 'gpuMembersFound':
      return withMembers(host, event.members);
  }
}

/** Whose GPU processes are whose, by the newest list of them. A pid that is no longer listed may be given to another process. */
export function withGpuSnapshot(host: HostState, before: GpuSnapshot | null): HostState {
  const snapshot = host.watch?.gpu.reading ?? null;
  const processes = snapshot?.processes ?? null;
  if (processes === null || processes === (before?.processes ?? null)) return host;
  const listed = new Set(processes.list.map(({ pid }) => pid));
  const kept = [...host.gpuMembers].filter(([pid]) => listed.has(pid));
  const gpuMembers = kept.length === host.gpuMembers.size ? host.gpuMembers : new Map(kept);
  return withUse(gpuMembers === host.gpuMembers ? host : { ...host, gpuMembers });
}

function withListing(jobs: JobsState, listing: JobListing, atMs: number): JobsState {
  const attempts = new Map<AttemptId, AttemptState>();
  for (const attempt of listing.attempts) attempts.set(attempt.id, seen(jobs.attempts.get(attempt.id), attempt));
  return {
    readAtMs: atMs,
    failure: null,
    clockAheadMs: listing.nowS === null ? null : listing.nowS * 1000 - atMs,
    attempts,
  };
}

/** Ids begin with the moment they were made at, so their order is that of the attempts. */
function withAttempt(jobs: JobsState, attempt: ListedAttempt): JobsState {
  const isNew = !jobs.attempts.has(attempt.id);
  const attempts = new Map(jobs.attempts).set(attempt.id, seen(jobs.attempts.get(attempt.id), attempt));
  return {
    ...jobs,
    attempts: isNew ? new Map([...attempts].sort(([one], [other]) => (one < other ? -1 : 1))) : attempts,
  };
}

/** `told` is never taken back: a listing that was under way when it was written says otherwise. */
function seen(before: AttemptState | undefined, attempt: ListedAttempt): AttemptState {
  if (before === undefined) return { attempt, log: null, gpu: null, isStopping: false };
  return { ...before, attempt: before.attempt.told ? told(attempt) : attempt };
}

const told = (attempt: ListedAttempt): ListedAttempt => ({ ...attempt, told: true });

function withEach(host: HostState, ids: readonly AttemptId[], change: (one: AttemptState) => AttemptState): HostState {
  const { jobs } = host;
  if (jobs === null) return host;
  const changed = ids.flatMap(id => {
    const one = jobs.attempts.get(id);
    const next = one === undefined ? one : change(one);
    return next === undefined || next === one ? [] : [[id, next] as const];
  });
  if (changed.length === 0) return host;
  // A key that is there keeps its place.
  return { ...host, jobs: { ...jobs, attempts: new Map([...jobs.attempts, ...changed]) } };
}

function withMembers(host: HostState, members: readonly GpuMember[]): HostState {
  if (members.length === 0) return host;
  const listed = new Set(host.watch?.gpu.reading?.processes?.list.map(({ pid }) => pid));
  const found = members.filter(({ pid }) => listed.has(pid)).map(member => [member.pid, member] as const);
  return withUse({ ...host, gpuMembers: new Map([...host.gpuMembers, ...found]) });
}

/** What each attempt holds on each card by the newest list, and the most that it ever did. */
function withUse(host: HostState): HostState {
  const { jobs } = host;
  const reading = host.watch?.gpu.reading ?? null;
  if (jobs === null || reading === null) return host;
  const use = new Map<AttemptId, Map<string, number | null>>();
  for (const process of reading.processes?.list ?? []) {
    const attempt = host.gpuMembers.get(process.pid)?.attempt ?? null;
    const card = gpuCardOf(reading, process.gpu);
    if (attempt === null || card === null) continue;
    const cards = use.get(attempt) ?? new Map<string, number | null>();
    use.set(attempt, cards);
    const held = cards.get(card);
    cards.set(card, sum(held === undefined ? 0 : held, process.memoryBytes));
  }
  const touched = [...jobs.attempts.values()].filter(one => use.has(one.attempt.id) || isOnCards(one));
  return withEach(
    host,
    touched.map(({ attempt }) => attempt.id),
    one => ({ ...one, gpu: nextGpu(one, use.get(one.attempt.id) ?? new Map()) }),
  );
}

const isOnCards = ({ gpu, attempt }: AttemptState): boolean => isUnderWay(attempt) && (gpu?.cards.length ?? 0) > 0;

function nextGpu({ gpu }: AttemptState, cards: ReadonlyMap<string, number | null>): AttemptGpu | null {
  const held = [...cards.values()].filter(bytes => bytes !== null);
  const bytes = Math.max(gpu?.peak?.bytes ?? 0, ...held);
  return { peak: bytes === 0 ? null : { bytes, kind: 'sampled' }, cards: [...cards.keys()] };
}

const sum = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other;
