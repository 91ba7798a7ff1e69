import type { Clock } from '../core/base/clock';
import { launchForbidden, notConnected } from '../core/errors';
import type { AttemptId, AttemptSpec } from '../core/job/attempt';
import { attemptIdBytes, newAttemptId } from '../core/job/attemptId';
import { numberOf } from '../core/job/command/commandNumbers';
import { runTexts } from '../core/job/directory/runScript';
import type { LaunchChoices, LaunchOutcome, PreparedLaunch } from './jobs';
import type { JobSession } from './jobSession';
import { launchAttempt } from './launch';
import type { JobPlace, JobScripts, LaunchOrder } from './ports';
import type { Store } from './store';

export interface LaunchContext {
  readonly session: JobSession;
  readonly store: Store;
  readonly clock: Clock;
  readonly scripts: JobScripts;
  readonly place: () => JobPlace;
  readonly randomBytes: (count: number) => Uint8Array;
}

/** For so long a link that was lost during a launch is waited for. */
const waitForLinkMs = 120_000;

/** Never rejects: neither do the ports. */
export async function launchPrepared(
  prepared: PreparedLaunch,
  choices: LaunchChoices,
  context: LaunchContext,
  signal?: AbortSignal,
): Promise<LaunchOutcome> {
  const { session, store, clock, scripts, place, randomBytes } = context;
  const { host } = prepared.job;
  if (!prepared.obstacles.every(({ passable }) => passable)) return { kind: 'refused', failure: launchForbidden(host) };
  const nowMs = clock.nowMs();
  const order = launchOrder(newAttemptId(nowMs, randomBytes(attemptIdBytes)), prepared, choices, nowMs);
  // Asked once: an order that is repeated into another folder would start a second time.
  const where = place();
  let { connection } = session;
  for (;;) {
    connection ??= await session.whenConnected(null, waitForLinkMs, signal);
    if (connection === null) return { kind: 'unknown', id: order.id, failure: notConnected(host) };
    const options = { host, connection, scripts, place: where, order };
    const result = await launchAttempt(signal === undefined ? options : { ...options, signal });
    switch (result.kind) {
      case 'launched':
      case 'waiting':
        store.dispatch({ kind: 'attemptSeen', host, attempt: result.attempt });
        session.attemptsChanged();
        return result;
      case 'relaunched':
      case 'refused':
        return result;
      case 'unknown': {
        if (result.failure.kind === 'internal') {
          // The link works and the answer does not: the records tell more than waiting does.
          session.attemptsChanged();
          return { kind: 'unknown', id: order.id, failure: result.failure };
        }
        // Launched again over the next connection, the same order finds what it has started.
        const next = await session.whenConnected(connection, waitForLinkMs, signal);
        if (next === null) return { kind: 'unknown', id: order.id, failure: result.failure };
        connection = next;
      }
    }
  }
}

function launchOrder(
  id: AttemptId,
  { job, login, numbers }: PreparedLaunch,
  { number, gpus, parent, source }: LaunchChoices,
  nowMs: number,
): LaunchOrder {
  const value = number?.value ?? null;
  const values = new Map<string, number>();
  for (const { name, place } of job.parameters) {
    const found = numberOf(numbers, place)?.value ?? null;
    if (found !== null) values.set(name, found);
  }
  if (number !== null && value !== null && job.parameters.every(({ place }) => numberOf([number], place) === null))
    values.set(number.name, value);
  const functions = [...login.functions].map(([name, body]) => [`BASH_FUNC_${name}%%`, body] as const);
  const texts = runTexts({ attempt: id, job, value, login: new Map([...login.variables, ...functions]), gpus });
  const spec: AttemptSpec = {
    format: 1,
    job: job.name,
    run: job.run,
    cwd: job.cwd,
    values: Object.fromEntries(values),
    parent,
    gpus,
    createdAtMs: nowMs,
    source,
  };
  return { id, spec, ...texts };
}
