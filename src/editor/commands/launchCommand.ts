import { l10n } from 'vscode';
import type { CommandHandler } from '../commandRegistry';
import type { CommandToLaunch } from '../jobs/commandToLaunch';
import type { LaunchText } from '../jobs/textLaunching';

/** A command that the user pastes or types, or one from before. */
export function launchCommand(ask: () => Promise<CommandToLaunch | undefined>, launch: LaunchText): CommandHandler {
  return async () => {
    const command = await ask();
    if (command !== undefined) await launch({ ...command, title: l10n.t('Launch Command') });
  };
}
