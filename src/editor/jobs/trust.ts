import { commands, l10n, window, workspace } from 'vscode';
import type { CommandHandler } from '../commandRegistry';

/**
 * Refuses in a window that is not trusted, where menus do not offer the command either: what is launched could come from its
 * files. Watching, and stopping what runs, go on.
 */
export function whenTrusted(handler: CommandHandler): CommandHandler {
  return async row => {
    if (workspace.isTrusted) await handler(row);
    else void tell();
  };
}

async function tell(): Promise<void> {
  const manage = l10n.t('Manage Workspace Trust');
  const message = l10n.t('Jobs are not launched from a workspace that you have not trusted.');
  if ((await window.showWarningMessage(message, manage)) === manage)
    await commands.executeCommand('workbench.trust.manage');
}
