import { gpuKey } from '../gpu/gpuKey';
import type { GpuReading } from '../gpu/reading';
import { isDrawingLittle } from '../gpu/underUsed';
import type { HostId } from '../host/hostSpec';
import type { GpuAnswer, GpuQueryState, HostIdentity, WatchFrame } from '../host/watchFrame';
import { queryIntervalMs } from '../host/watchPace';
import type { HostEvent } from './events';
import { withGpuSnapshot, withJobEvent } from './reduceJobs';
import type { GpuSnapshot, GpuWatch, HostState, State, WatchState } from './state';

/**
 * The one writer of the model. What an event does not touch stays the same object, the state itself included, so views can
 * compare by identity. Events about a host that was forgotten are passed over.
 */
export function reduce(state: State, event: HostEvent): State {
  switch (event.kind) {
    case 'hostAdded':
      return state.hosts.has(event.spec.id) ? state : withHost(state, newHost(event));
    case 'hostForgotten':
      return withoutHost(state, event.host);
    case 'connectionChanged':
      return update(state, event.host, host => withConnection(host, event.connection));
    case 'identified':
      return update(state, event.host, host => withIdentity(host, event.identity));
    case 'frame':
      return update(state, event.host, host => withFrame(host, event.frame, event.atMs));
    case 'paceChanged':
      return update(state, event.host, host =>
        host.intervalMs === event.intervalMs ? host : { ...host, intervalMs: event.intervalMs },
      );
    default:
      return update(state, event.host, host => withJobEvent(host, event));
  }
}

const newHost = ({ spec }: HostEvent & { readonly kind: 'hostAdded' }): HostState => ({
  spec,
  connection: { kind: 'disconnected' },
  intervalMs: null,
  identity: null,
  watch: null,
  jobs: null,
  gpuMembers: new Map(),
});

function withHost(state: State, host: HostState): State {
  return { ...state, hosts: new Map(state.hosts).set(host.spec.id, host) };
}

function withoutHost(state: State, id: HostId): State {
  if (!state.hosts.has(id)) return state;
  const hosts = new Map(state.hosts);
  hosts.delete(id);
  return { ...state, hosts };
}

function update(state: State, id: HostId, change: (host: HostState) => HostState): State {
  const host = state.hosts.get(id);
  if (host === undefined) return state;
  const changed = change(host);
  return changed === host ? state : withHost(state, changed);
}

function withConnection(host: HostState, connection: HostState['connection']): HostState {
  if (host.connection === connection) return host;
  const { watch } = host;
  // Nobody waits for the answer to a query whose link is gone.
  const left =
    connection.kind === 'ready' || watch === null || watch.gpu.unansweredForMs === null
      ? watch
      : { ...watch, gpu: { ...watch.gpu, unansweredForMs: null } };
  return { ...host, connection, watch: left };
}

/** One name can lead to another machine each time (login nodes): what the last one showed is not of this one. */
function withIdentity(host: HostState, identity: HostIdentity): HostState {
  const before = host.identity;
  const same = before === null || (before.machineId === identity.machineId && before.hostname === identity.hostname);
  return same ? { ...host, identity } : { ...host, identity, watch: null, jobs: null, gpuMembers: new Map() };
}

function withFrame(host: HostState, frame: WatchFrame, atMs: number): HostState {
  const watched = { ...host, watch: nextWatch(host.watch, frame, atMs) };
  return withGpuSnapshot(watched, host.watch?.gpu.reading ?? null);
}

function nextWatch(before: WatchState | null, frame: WatchFrame, atMs: number): WatchState {
  return {
    lastFrameAtMs: atMs,
    memory: frame.memory,
    oomKillsSeen: (before?.oomKillsSeen ?? 0) + newOomKills(before?.memory.oomKills ?? null, frame.memory.oomKills),
    gpu: nextGpuWatch(before?.gpu ?? unasked, frame.gpu, atMs),
  };
}

/** The counter begins at 0 again when the machine boots. */
function newOomKills(before: number | null, now: number | null): number {
  return before === null || now === null ? 0 : Math.max(0, now - before);
}

const unasked: GpuWatch = {
  noTool: false,
  unansweredForMs: null,
  broken: null,
  reading: null,
  lowPowerSinceMs: new Map(),
};

function nextGpuWatch(before: GpuWatch, query: GpuQueryState, atMs: number): GpuWatch {
  switch (query.kind) {
    case 'noTool':
      return { ...unasked, noTool: true };
    case 'idle':
      return before.unansweredForMs === null ? before : { ...before, unansweredForMs: null };
    case 'running':
      return { ...before, noTool: false, unansweredForMs: query.forMs, broken: null };
    case 'broken':
      return { ...before, noTool: false, unansweredForMs: null, broken: query.reason };
    case 'answered': {
      const reading = nextSnapshot(before.reading, query.answer, atMs - query.answer.ageMs);
      return { ...unasked, reading, lowPowerSinceMs: nextLowPower(before, reading) };
    }
  }
}

/** Processes and MIG devices are not asked for each time: the newest that is known stays. */
function nextSnapshot(before: GpuSnapshot | null, answer: GpuAnswer, atMs: number): GpuSnapshot {
  const { durationMs, processes, error, partial, message } = answer;
  return {
    atMs,
    durationMs,
    gpus: answer.gpus.map(gpu => withKnownMigDevices(gpu, before)),
    processes: processes === null ? (before?.processes ?? null) : { atMs, list: processes },
    error,
    partial,
    message,
  };
}

function withKnownMigDevices(gpu: GpuReading, before: GpuSnapshot | null): GpuReading {
  if (gpu.migEnabled !== true || gpu.migDevices !== null) return gpu;
  const known = before?.gpus.find(other => gpuKey(other) === gpuKey(gpu))?.migDevices ?? null;
  return known === null ? gpu : { ...gpu, migDevices: known };
}

/** Without a reading for so long, nobody can say that nothing changed in between. */
const longestGapMs = 30_000;

function nextLowPower(before: GpuWatch, reading: GpuSnapshot): ReadonlyMap<string, number> {
  const gapMs = reading.atMs - (before.reading?.atMs ?? reading.atMs);
  const unbroken = gapMs <= Math.max(longestGapMs, 3 * queryIntervalMs(reading.durationMs));
  const since = new Map<string, number>();
  for (const gpu of reading.gpus) {
    if (!isDrawingLittle(gpu)) continue;
    const key = gpuKey(gpu);
    since.set(key, (unbroken ? before.lowPowerSinceMs.get(key) : undefined) ?? reading.atMs);
  }
  return since;
}
