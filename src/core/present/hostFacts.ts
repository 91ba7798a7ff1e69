import type { OwnedGpuProcess } from '../host/watchFrame';
import { isFree } from '../gpu/free';
import type { GpuReading } from '../gpu/reading';
import { type Freshness, freshness, gpuFreshness, processesOf, underUsedForMs } from '../model/selectors';
import type { HostState } from '../model/state';
import { type GpuTrouble, gpuTrouble } from './gpuTrouble';
import { plain } from './plain';

/** What every view of a host begins with. */
export interface HostFacts {
  readonly host: HostState;
  /** The host's name, made plain. */
  readonly name: string;
  /** How old what is shown of the host is, when that has to be said; null when it is live, or when nothing is shown. */
  readonly ageMs: number | null;
  /** The same for the GPUs, which can be older than the rest. */
  readonly gpuAgeMs: number | null;
  /** By index. Empty before the first answer. */
  readonly gpus: readonly GpuFacts[];
  /** Why the GPUs cannot be read, or not all; null when there is nothing wrong with that. */
  readonly trouble: GpuTrouble | null;
}

export interface GpuFacts {
  readonly reading: GpuReading;
  readonly isFree: boolean;
  /** null when processes were not asked for yet. */
  readonly processes: readonly OwnedGpuProcess[] | null;
  /** Busy at full utilisation while drawing far less than it may, for long enough to say so. */
  readonly isUnderUsed: boolean;
  /** GPU and processor share one memory, so the card has none of its own to tell. */
  readonly hasUnifiedMemory: boolean;
}

/** A training step, an evaluation or a checkpoint can look under-used for some seconds. */
const underUsedAfterMs = 20_000;

export function hostFacts(host: HostState, nowMs: number): HostFacts {
  const reading = host.watch?.gpu.reading ?? null;
  return {
    host,
    name: plain(host.spec.id) || 'unnamed host',
    ageMs: ageOf(freshness(host, nowMs)),
    gpuAgeMs: ageOf(gpuFreshness(host, nowMs)),
    gpus: (reading?.gpus ?? []).toSorted((a, b) => a.index - b.index).map(gpu => gpuFacts(host, gpu, nowMs)),
    trouble: host.watch === null ? null : gpuTrouble(host.watch.gpu),
  };
}

function gpuFacts(host: HostState, reading: GpuReading, nowMs: number): GpuFacts {
  const processes = processesOf(host, reading);
  return {
    reading,
    isFree: isFree(reading, processes),
    processes,
    isUnderUsed: (underUsedForMs(host, reading, nowMs) ?? 0) >= underUsedAfterMs,
    hasUnifiedMemory: reading.memoryTotalBytes === null && /\b(GB10|Thor|Orin)\b/i.test(reading.name ?? ''),
  };
}

function ageOf(fresh: Freshness): number | null {
  return fresh.kind === 'stale' ? fresh.ageMs : null;
}
