import type { HostId } from '../host/hostSpec';
import type { AttemptSpec, AttemptStatus } from './attempt';
import type { ListedAttempt } from './directory/jobDirectory';

/** An attempt that is over, and of which the user has not been told yet. */
export interface AttemptEnding {
  readonly host: HostId;
  readonly attempt: ListedAttempt & { readonly status: OverStatus };
  /** The last line of its log that looks like an error, else the last line; null when it was not followed. Untrusted. */
  readonly lastLine: string | null;
}

export type OverStatus = Extract<AttemptStatus, { readonly kind: 'finished' | 'lost' }>;

/** An attempt that runs and has gone quiet. */
export interface AttemptStall {
  readonly host: HostId;
  readonly attempt: Pick<ListedAttempt, 'id'> & { readonly spec: AttemptSpec };
  readonly quietForMs: number;
}

export function isOver(attempt: ListedAttempt): attempt is ListedAttempt & { readonly status: OverStatus } {
  return attempt.status.kind === 'finished' || attempt.status.kind === 'lost';
}

/** Its processes may be alive, or come to be. */
export function isUnderWay({ status }: ListedAttempt): boolean {
  return status.kind === 'running' || status.kind === 'starting' || status.kind === 'queued';
}
