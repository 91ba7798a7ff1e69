import type { GpuProcess, GpuReading, GpuToolFailure } from '../gpu/reading';
import type { HostMemory } from './hostMemory';

/** What the watch stream says once, before its first frame. Text from the host: untrusted. */
export interface HostIdentity {
  /** `uname -s`. Jobs run on Linux only. */
  readonly system: string;
  readonly hostname: string | null;
  /** /etc/machine-id, null where there is none (containers). */
  readonly machineId: string | null;
  readonly bootId: string | null;
  /** Whether this shell is in the machine's first pid namespace, where the pids that NVML reports mean something. */
  readonly firstPidNamespace: boolean | null;
  /** Where nvidia-smi was found, null if nowhere. */
  readonly nvidiaSmi: string | null;
}

/** One answer of the host to one tick. */
export interface WatchFrame {
  readonly seq: number;
  /** Seconds since the host booted, by its own clock. */
  readonly uptimeSeconds: number | null;
  readonly memory: HostMemory;
  readonly gpu: GpuQueryState;
  /** This tick began a query of the GPUs; what `gpu` tells is from before that. */
  readonly queryStarted: boolean;
}

/** Where the GPU query of the host stands. It is a background child there and never holds up a frame. */
export type GpuQueryState =
  /** No nvidia-smi on the host. */
  | { readonly kind: 'noTool' }
  /** Not asked, and nothing under way. */
  | { readonly kind: 'idle' }
  /** Asked and not answered yet, for so long. One query at a time: none is added while it hangs. */
  | { readonly kind: 'running'; readonly forMs: number }
  /** The script could not ask (no place for its scratch files, say); the reason in words. */
  | { readonly kind: 'broken'; readonly reason: string }
  | { readonly kind: 'answered'; readonly answer: GpuAnswer };

export interface GpuAnswer {
  /** How long the whole query took on the host. */
  readonly durationMs: number;
  /** How long before this frame the query ended, by the host's clock: an answer waits there until it is asked for. */
  readonly ageMs: number;
  readonly gpus: readonly GpuReading[];
  /** null when processes were not asked for in this query. */
  readonly processes: readonly OwnedGpuProcess[] | null;
  readonly error: GpuToolFailure | null;
  readonly partial: boolean;
  readonly message: string | null;
}

export interface OwnedGpuProcess extends GpuProcess {
  /** Login name, or the numeric uid as text; null where it cannot be known (other pid namespace, hidden /proc). */
  readonly user: string | null;
}

/** What one tick asks of the host. */
export interface WatchRequest {
  readonly gpus: boolean;
  readonly processes: boolean;
  /** MIG devices by `-L`; wanted once in a while, and only where MIG is on. */
  readonly list: boolean;
}
