import { launchRefused, unreadableAnswer, type Failure } from '../core/errors';
import type { HostId } from '../core/host/hostSpec';
import type { AttemptId } from '../core/job/attempt';
import { parseLaunchAnswer } from '../core/job/directory/launchAnswer';
import type { Connection, JobPlace, JobScripts, LaunchOrder } from './ports';
import type { KnownAttempt } from './reconcile';

export interface LaunchOptions {
  readonly host: HostId;
  readonly connection: Connection;
  readonly scripts: JobScripts;
  readonly place: JobPlace;
  readonly order: LaunchOrder;
  readonly signal?: AbortSignal;
}

export type LaunchResult =
  /** It runs, or has ended already. */
  | { readonly kind: 'launched'; readonly attempt: KnownAttempt }
  /** It is in place and was not seen to start in time: the listing will tell. Launching it again does no harm. */
  | { readonly kind: 'waiting'; readonly attempt: KnownAttempt }
  /** Nothing was started: another attempt has taken the place of the parent. */
  | { readonly kind: 'relaunched'; readonly by: AttemptId }
  /** Nothing was started and nothing is left behind. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** Nobody knows: the link was lost. Launching the same order again finds it, or starts it. */
  | { readonly kind: 'unknown'; readonly failure: Failure };

/** The script itself waits up to 10 s for the start; a slow home directory takes its time before. */
const deadlineMs = 60_000;

/**
 * Launches an attempt. However often it is called with the same order, over however many connections, the attempt is
 * started once at most.
 */
export async function launchAttempt(options: LaunchOptions): Promise<LaunchResult> {
  const { host, connection, scripts, place, order, signal } = options;
  const script = scripts.launch(order, place);
  const ran = await connection.run(script, signal === undefined ? { deadlineMs } : { deadlineMs, signal });
  if (ran.kind === 'lost') return { kind: 'unknown', failure: ran.failure };
  const answer = parseLaunchAnswer(ran.stdout);
  // Killed on the way, or cut off: it may have come as far as the start.
  if (answer === null) return { kind: 'unknown', failure: unreadableAnswer(host) };
  switch (answer.kind) {
    case 'launched':
    case 'waiting':
      return { kind: answer.kind, attempt: { ...answer.attempt, host } };
    case 'relaunched':
      return answer;
    case 'refused':
      return { kind: 'refused', failure: launchRefused(host, answer.refusal) };
  }
}
