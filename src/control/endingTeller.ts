import type { DisposableStore } from '../core/base/disposable';
import { stackOf } from '../core/base/thrown';
import type { HostId } from '../core/host/hostSpec';
import type { AttemptId } from '../core/job/attempt';
import { isOver, type AttemptEnding } from '../core/job/ending';
import { readClaims, tellingLine } from '../core/job/directory/telling';
import type { JobsContext } from './jobs';
import type { Connection } from './ports';

/** Tells the user how attempts of a host ended: each once, by one window of all that see it. */
export interface EndingTeller {
  /** Looks into the model for endings that nobody was told of. */
  tell(connection: Connection, life: DisposableStore): void;
  /** Another window is at it, or it could not be told: the job directory has to be read again to know. */
  readonly isWaiting: boolean;
}

/** In one script: a host that was away for long may have many. */
const mostAtOnce = 100;
const deadlineMs = 30_000;

export function createEndingTeller(host: HostId, context: JobsContext): EndingTeller {
  const { store, log, scripts, notices } = context;
  /** On screen, and not written down yet: never shown again by this window. */
  const shown = new Set<AttemptId>();
  let busy = false;
  /** More may have ended while one round was under way. */
  let again = false;
  let waits = false;

  const untold = (): readonly AttemptEnding['attempt'][] =>
    [...(store.state.hosts.get(host)?.jobs?.attempts.values() ?? [])]
      .map(({ attempt }) => attempt)
      .filter(attempt => !attempt.told)
      .filter(isOver)
      .slice(-mostAtOnce);

  /** Those of them that this window may show: it has asked, and no other had before. */
  const claimed = async (
    connection: Connection,
    attempts: readonly AttemptEnding['attempt'][],
  ): Promise<readonly AttemptEnding[]> => {
    if (attempts.length === 0) return [];
    const script = scripts.claimTelling(attempts.map(({ folder }) => folder));
    const ran = await connection.run(script, { deadlineMs });
    if (ran.kind === 'lost') return [];
    return readClaims(ran.stdout).flatMap(({ index, lastLines }) => {
      const attempt = attempts[index];
      return attempt === undefined ? [] : [{ host, attempt, lastLine: tellingLine(lastLines) }];
    });
  };

  const tellAll = async (connection: Connection, life: DisposableStore): Promise<void> => {
    const attempts = untold();
    const endings = await claimed(
      connection,
      attempts.filter(({ id }) => !shown.has(id)),
    );
    if (endings.length > 0 && (await notices.ended(endings))) {
      for (const { attempt } of endings) shown.add(attempt.id);
    }
    const told = attempts.filter(({ id }) => shown.has(id));
    waits = told.length < attempts.length;
    if (told.length === 0 || life.isDisposed) return;
    const ran = await connection.run(scripts.writeTold(told.map(({ folder }) => folder)), { deadlineMs });
    if (ran.kind === 'exited') store.dispatch({ kind: 'attemptsTold', host, attempts: told.map(({ id }) => id) });
  };

  const tell = (connection: Connection, life: DisposableStore): void => {
    if (busy) {
      again = true;
      return;
    }
    if (untold().length === 0) {
      waits = false;
      return;
    }
    busy = true;
    again = false;
    tellAll(connection, life)
      .catch((error: unknown) => log.error(`${host}: jobs: ${stackOf(error)}`))
      .finally(() => {
        busy = false;
        if (again && !life.isDisposed) tell(connection, life);
      });
  };

  return {
    get isWaiting() {
      return waits;
    },
    tell,
  };
}
