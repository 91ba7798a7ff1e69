import { l10n, window, workspace } from 'vscode';
import { scriptCommand } from '../../core/job/command/scriptCommand';
import type { CommandHandler } from '../commandRegistry';
import type { LaunchText } from '../jobs/textLaunching';

/** The script in the editor, by its path below the folder of the workspace, which is where it lies on the host too. */
export function launchScript(launch: LaunchText): CommandHandler {
  return async () => {
    const document = window.activeTextEditor?.document;
    const command = document === undefined ? null : scriptCommand(workspace.asRelativePath(document.uri, false));
    if (document === undefined || command === null) {
      void window.showInformationMessage(l10n.t('Open a Python or shell script first.'));
      return;
    }
    // The host reads what is on the disk.
    if (document.isDirty) await document.save();
    await launch({ text: command, place: null, title: l10n.t('Launch This Script') });
  };
}
