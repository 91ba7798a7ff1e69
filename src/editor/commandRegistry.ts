import { commands, l10n, window } from 'vscode';
import type { Log } from '../control/ports';
import type { Disposable } from '../core/base/disposable';
import { messageOf, stackOf } from '../core/base/thrown';
import { plain } from '../core/present/plain';
import { type CommandId, commandIds } from './ids';

/** What a command does; `row` is the tree row it was started from, if any. */
export type CommandHandler = (row: unknown) => Promise<void> | void;

/** Registers a command so that whatever goes wrong in it is in the log and told to the user. */
export function registerCommand(id: CommandId, log: Log, handler: CommandHandler): Disposable {
  return commands.registerCommand(id, async (row: unknown) => {
    try {
      await handler(row);
    } catch (error) {
      log.error(`${id}: ${stackOf(error)}`);
      void tell(error);
    }
  });
}

async function tell(error: unknown): Promise<void> {
  const reason = plain(messageOf(error), 300);
  const details = l10n.t('Show Output');
  const chosen = await window.showErrorMessage(l10n.t('Headroom could not do that: {0}', reason), details);
  if (chosen === details) await commands.executeCommand(commandIds.showOutput);
}
