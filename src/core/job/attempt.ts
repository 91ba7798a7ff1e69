import type { HostId } from '../host/hostSpec';

/** Made by the client before anything runs: a launch that is repeated with the same id starts nothing twice. */
export type AttemptId = string;

/** One launch of a job, as the job directory on the host tells of it. */
export interface Attempt {
  readonly id: AttemptId;
  readonly host: HostId;
  readonly spec: AttemptSpec;
  readonly status: AttemptStatus;
}

/**
 * What the client wrote at launch (spec.json), opaque to the host. Holds no value of the environment: those are in a file of
 * their own that only the job reads.
 */
export interface AttemptSpec {
  readonly format: 1;
  readonly job: string;
  /**
   * The command as the user gave it: `{attempt}` and `{value}` stand in it unfilled, or who launches it again would write
   * into the outputs of this attempt.
   */
  readonly run: string;
  readonly cwd: string;
  /** The parameters' values, by name. */
  readonly values: Readonly<Record<string, number>>;
  readonly parent: AttemptId | null;
  /** UUIDs the attempt is pinned to; null when it is not. */
  readonly gpus: readonly string[] | null;
  /** By the clock of the client, milliseconds since the epoch: only for the order on screen. */
  readonly createdAtMs: number;
  /** The job file it came from and its content's hash, to tell when it changed; null for a pasted command. */
  readonly source: { readonly file: string; readonly hash: string } | null;
}

/** Moments are seconds since the epoch by the host's clock, and compared with no other clock. */
export type AttemptStatus =
  /** Staged; no supervisor has claimed it. */
  | { readonly kind: 'queued' }
  /** Claimed; the command has not been started yet. */
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly started: Started }
  | { readonly kind: 'finished'; readonly started: Started | null; readonly ended: Ended; readonly outcome: Outcome }
  /** Nobody is left to tell how it ended. */
  | { readonly kind: 'lost'; readonly started: Started | null; readonly reason: LostReason }
  /** Written by a later version of Headroom: shown, never touched. */
  | { readonly kind: 'unknownFormat'; readonly format: string };

export type LostReason = 'rebooted' | 'supervisorGone' | 'neverStarted';

/** The file `started`. */
export interface Started {
  readonly atS: number;
  readonly bootId: string;
  readonly supervisor: ProcessIdentity;
  /** The command: leader of a session of its own. */
  readonly command: ProcessIdentity;
  readonly log: string;
}

/** A pid means a process only together with when it began: pids are used again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks since boot. */
  readonly startTicks: number;
}

/** The file `status`. */
export interface Ended {
  readonly atS: number;
  /** 128 + n may be death by signal n: a shell's `$?` cannot tell. */
  readonly exitCode: number;
  /** Kernel kills on the host while it ran (`oom_kill` of /proc/vmstat), null where the kernel does not count. */
  readonly oomKills: number | null;
  readonly peak: Peak | null;
}

export interface Peak {
  readonly bytes: number;
  readonly kind: 'allocated' | 'reserved' | 'preallocated' | 'sampled';
}

export type Outcome =
  | { readonly kind: 'succeeded' }
  | { readonly kind: 'failed'; readonly exitCode: number }
  | { readonly kind: 'stopped'; readonly by: string; readonly reason: string }
  /** By a signal that Headroom did not send. 137 alone is no proof of anything else. */
  | { readonly kind: 'killed'; readonly signal: number }
  /** The command came back at once and left processes of its own behind. */
  | { readonly kind: 'detached' }
  | { readonly kind: 'failedToStart'; readonly message: string };
