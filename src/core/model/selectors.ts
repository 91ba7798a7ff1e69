import { gpuKey } from '../gpu/gpuKey';
import type { GpuReading } from '../gpu/reading';
import type { ConnectionState } from '../host/connection';
import type { OwnedGpuProcess } from '../host/watchFrame';
import { queryIntervalMs } from '../host/watchPace';
import type { GpuSnapshot, HostState } from './state';

/** Whether what is shown of a host is of this moment. `none`: there is nothing to show yet. */
export type Freshness =
  { readonly kind: 'live' } | { readonly kind: 'stale'; readonly ageMs: number } | { readonly kind: 'none' };

/** No number is called stale sooner: a frame may be late once. */
const alwaysLiveMs = 3_000;
/** Nor live later, however slow the tool is: nobody takes a number for one of this moment that is older. */
const neverLiveMs = 15_000;

/** Of the host as a whole: its link and its newest frame. */
export function freshness({ connection, intervalMs, watch }: HostState, nowMs: number): Freshness {
  if (watch === null) return { kind: 'none' };
  return fresh(connection, nowMs - watch.lastFrameAtMs, intervalMs ?? 0);
}

/** Of the GPU readings, which can be older than the frames: a query hangs, or the tool is slow and is asked less often. */
export function gpuFreshness({ connection, intervalMs, watch }: HostState, nowMs: number): Freshness {
  const reading = watch?.gpu.reading ?? null;
  if (reading === null) return { kind: 'none' };
  return fresh(connection, nowMs - reading.atMs, Math.max(intervalMs ?? 0, queryIntervalMs(reading.durationMs)));
}

function fresh(connection: ConnectionState, ageMs: number, intervalMs: number): Freshness {
  const liveMs = Math.min(Math.max(3 * intervalMs, alwaysLiveMs), neverLiveMs);
  return connection.kind === 'ready' && ageMs <= liveMs
    ? { kind: 'live' }
    : { kind: 'stale', ageMs: Math.max(0, ageMs) };
}

/** Processes on one GPU, its MIG devices included, as of the newest list; null when none was asked for yet. */
export function processesOf({ watch }: HostState, gpu: GpuReading): readonly OwnedGpuProcess[] | null {
  const processes = watch?.gpu.reading?.processes ?? null;
  if (processes === null) return null;
  const names = namesOf(gpu);
  return processes.list.filter(process => process.gpu !== null && names.includes(process.gpu));
}

/** For how long a busy card has drawn far less than its limit; null when it does not, or when that is not known now. */
export function underUsedForMs(host: HostState, gpu: GpuReading, nowMs: number): number | null {
  const sinceMs = host.watch?.gpu.lowPowerSinceMs.get(gpuKey(gpu));
  return sinceMs === undefined || gpuFreshness(host, nowMs).kind !== 'live' ? null : nowMs - sinceMs;
}

/** The key of the card that a process is on, which may be told by its uuid, its index or a MIG device of it; null if none. */
export function gpuCardOf({ gpus }: Pick<GpuSnapshot, 'gpus'>, name: string | null): string | null {
  const card = name === null ? undefined : gpus.find(gpu => namesOf(gpu).includes(name));
  return card === undefined ? null : gpuKey(card);
}

const namesOf = (gpu: GpuReading): readonly string[] => [
  gpuKey(gpu),
  String(gpu.index),
  ...(gpu.migDevices ?? []).map(device => device.uuid),
];
