import type { Failure } from '../errors';
import type { ConnectionState } from '../host/connection';
import type { HostId, HostSpec } from '../host/hostSpec';
import type { HostIdentity, WatchFrame } from '../host/watchFrame';
import type { AttemptId } from '../job/attempt';
import type { JobListing, ListedAttempt } from '../job/directory/jobDirectory';
import type { GpuMember, LogFacts } from './jobsState';

/** What can happen to the model. `atMs` is the editor's clock when it was heard. */
export type HostEvent =
  | { readonly kind: 'hostAdded'; readonly spec: HostSpec }
  | { readonly kind: 'hostForgotten'; readonly host: HostId }
  | { readonly kind: 'connectionChanged'; readonly host: HostId; readonly connection: ConnectionState }
  | { readonly kind: 'identified'; readonly host: HostId; readonly identity: HostIdentity }
  | { readonly kind: 'frame'; readonly host: HostId; readonly frame: WatchFrame; readonly atMs: number }
  /** The pace at which frames are asked for changed; null: nothing shows the host. */
  | { readonly kind: 'paceChanged'; readonly host: HostId; readonly intervalMs: number | null }
  | JobEvent;

export type JobEvent =
  | { readonly kind: 'jobsListed'; readonly host: HostId; readonly listing: JobListing; readonly atMs: number }
  | { readonly kind: 'jobsUnreadable'; readonly host: HostId; readonly failure: Failure }
  /** One attempt, as a launch or a look at it alone told of it. */
  | { readonly kind: 'attemptSeen'; readonly host: HostId; readonly attempt: ListedAttempt }
  /** The user has been told how these ended. */
  | { readonly kind: 'attemptsTold'; readonly host: HostId; readonly attempts: readonly AttemptId[] }
  | { readonly kind: 'logsHeard'; readonly host: HostId; readonly logs: ReadonlyMap<AttemptId, LogFacts> }
  | {
      readonly kind: 'stopChanged';
      readonly host: HostId;
      readonly attempt: AttemptId;
      readonly isStopping: boolean;
    }
  /** Whose GPU processes these are was found out. */
  | { readonly kind: 'gpuMembersFound'; readonly host: HostId; readonly members: readonly GpuMember[] };
