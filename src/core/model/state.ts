import type { OwnedGpuProcess, HostIdentity } from '../host/watchFrame';
import type { ConnectionState } from '../host/connection';
import type { GpuReading, GpuToolFailure } from '../gpu/reading';
import type { HostMemory } from '../host/hostMemory';
import type { HostId, HostSpec } from '../host/hostSpec';
import type { GpuMember, JobsState } from './jobsState';

/** The state of everything. One writer (`reduce`); every view reads from here. */
export interface State {
  /** In the order the user connected them. */
  readonly hosts: ReadonlyMap<HostId, HostState>;
}

export interface HostState {
  readonly spec: HostSpec;
  readonly connection: ConnectionState;
  /** The interval at which frames are asked for now; null while nothing shows this host: then only the few that must be heard. */
  readonly intervalMs: number | null;
  /** As of the last time the link was up; null before. */
  readonly identity: HostIdentity | null;
  /** null until the first frame. Kept when the link is lost: shown as stale, with its age. */
  readonly watch: WatchState | null;
  /** null until the job directory was asked for. Kept when the link is lost. */
  readonly jobs: JobsState | null;
  /** Which of the GPU processes belong to attempts, as far as that was asked, by pid. */
  readonly gpuMembers: ReadonlyMap<number, GpuMember>;
}

export interface WatchState {
  readonly lastFrameAtMs: number;
  readonly memory: HostMemory;
  /** By how much `memory.oomKills` grew since this host was first watched in this window; 0 where it is not available. */
  readonly oomKillsSeen: number;
  readonly gpu: GpuWatch;
}

export interface GpuWatch {
  readonly noTool: boolean;
  /** For how long the present query has been unanswered; null when none is under way. */
  readonly unansweredForMs: number | null;
  readonly broken: string | null;
  /** The newest answer; null before the first. */
  readonly reading: GpuSnapshot | null;
  /** By GPU key: since when the card has been busy while drawing far less than its limit, without a break. */
  readonly lowPowerSinceMs: ReadonlyMap<string, number>;
}

export interface GpuSnapshot {
  readonly atMs: number;
  readonly durationMs: number;
  readonly gpus: readonly GpuReading[];
  /** The newest list of processes, which may be older than the readings. */
  readonly processes: { readonly atMs: number; readonly list: readonly OwnedGpuProcess[] } | null;
  readonly error: GpuToolFailure | null;
  readonly partial: boolean;
  readonly message: string | null;
}

export const emptyState: State = { hosts: new Map() };
