import type { Failure } from '../errors';
import type { AttemptId, Peak } from '../job/attempt';
import type { ListedAttempt } from '../job/directory/jobDirectory';
import type { Throughput } from '../job/log/throughput';

/** The jobs of one host, as its job directory told of them last. */
export interface JobsState {
  /** When the newest listing came, by the editor's clock; null before the first. */
  readonly readAtMs: number | null;
  /** Why the newest try to read gave nothing; what is known from before stays. */
  readonly failure: Failure | null;
  /** The host's clock minus the editor's: what the host says of moments is compared with no clock but its own. null: not known. */
  readonly clockAheadMs: number | null;
  /** In the order in which they were made. */
  readonly attempts: ReadonlyMap<AttemptId, AttemptState>;
}

export interface AttemptState {
  readonly attempt: ListedAttempt;
  /** What this window heard of its log; null for one that was not followed. */
  readonly log: LogFacts | null;
  /** The most VRAM that its processes were seen to hold on one GPU, and where they are now. */
  readonly gpu: AttemptGpu | null;
  /** A stop of it is under way in this window. */
  readonly isStopping: boolean;
}

export interface LogFacts {
  readonly throughput: Throughput | null;
  /** When it last grew, by the editor's clock: as heard, or as the host says of what was written before. */
  readonly outputAtMs: number;
  /** The newest lines, oldest first. Untrusted. */
  readonly lastLines: readonly string[];
}

export interface AttemptGpu {
  /** On one card. Seen now and then, so the true peak may be higher; null where the tool tells no memory of processes. */
  readonly peak: Peak | null;
  /** Keys of the cards (gpuKey.ts) on which it has processes now. */
  readonly cards: readonly string[];
}

/** A GPU process that was found to be an attempt's. A pid means it only as long as the tool goes on listing it. */
export interface GpuMember {
  readonly pid: number;
  /** null: nobody's of ours. */
  readonly attempt: AttemptId | null;
}
