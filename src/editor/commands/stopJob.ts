import type { CommandHandler } from '../commandRegistry';
import type { AttemptOfCommand } from '../jobs/attemptOfCommand';
import type { Stopping } from '../jobs/stopping';

/** Ends an attempt with all that belongs to it. Needs no trust: it is the user's own job, wherever it was launched. */
export function stopJob(
  pick: (row: unknown) => Promise<AttemptOfCommand | undefined>,
  stopping: Stopping,
): CommandHandler {
  return async row => {
    const target = await pick(row);
    if (target !== undefined) await stopping.stop(target);
  };
}
