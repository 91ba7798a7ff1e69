import { launchRefused, unreadableAnswer, type Failure } from '../core/errors';
import type { HostId } from '../core/host/hostSpec';
import type { Attempt } from '../core/job/attempt';
import { parseJobListing, type JobListing, type ListedAttempt } from '../core/job/directory/jobDirectory';
import { parseLaunchAnswer } from '../core/job/directory/launchAnswer';
import type { Connection, JobPlace, JobScripts } from './ports';

/** An attempt, and what else the job directory tells of it. */
export type KnownAttempt = Attempt & ListedAttempt;

export interface ReconcileOptions {
  readonly host: HostId;
  readonly connection: Connection;
  readonly scripts: JobScripts;
  readonly place: JobPlace;
  readonly signal?: AbortSignal;
}

export type ReconcileResult =
  | {
      readonly kind: 'listed';
      readonly attempts: readonly KnownAttempt[];
      readonly machine: Omit<JobListing, 'attempts'>;
    }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** Thousands of attempts in a home directory on a slow network file system. */
const deadlineMs = 60_000;

/** Finds every attempt of this machine, in one round trip. What is lost or finished was so before anybody looked. */
export async function reconcile(options: ReconcileOptions): Promise<ReconcileResult> {
  const { host, connection, scripts, place, signal } = options;
  const script = scripts.list(place);
  const ran = await connection.run(script, signal === undefined ? { deadlineMs } : { deadlineMs, signal });
  if (ran.kind === 'lost') return { kind: 'failed', failure: ran.failure };
  const refused = parseLaunchAnswer(ran.stdout);
  if (refused?.kind === 'refused') return { kind: 'failed', failure: launchRefused(host, refused.refusal) };
  const listing = ran.kind === 'exited' && ran.code === 0 ? parseJobListing(ran.stdout) : null;
  if (listing === null) return { kind: 'failed', failure: unreadableAnswer(host) };
  const { attempts, ...machine } = listing;
  return { kind: 'listed', attempts: attempts.map(attempt => ({ ...attempt, host })), machine };
}
