import type { CommandHandler } from '../commandRegistry';
import type { AttemptOfCommand } from '../jobs/attemptOfCommand';
import type { LogTerminals } from '../jobs/logTerminal';

export function showLog(
  pick: (row: unknown) => Promise<AttemptOfCommand | undefined>,
  terminals: LogTerminals,
): CommandHandler {
  return async row => {
    const target = await pick(row);
    if (target === undefined) return;
    const { id, spec } = target.state.attempt;
    terminals.show({ host: target.host, attempt: id, job: spec.job });
  };
}
