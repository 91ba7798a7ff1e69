import { env } from 'vscode';
import type { CommandHandler } from '../commandRegistry';
import type { AttemptOfCommand } from '../jobs/attemptOfCommand';

/** The name of the attempt's folder on the host, for whoever looks into it there. */
export function copyAttemptId(pick: (row: unknown) => Promise<AttemptOfCommand | undefined>): CommandHandler {
  return async row => {
    const target = await pick(row);
    if (target !== undefined) await env.clipboard.writeText(target.state.attempt.id);
  };
}
