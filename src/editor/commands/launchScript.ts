import { l10n, window, workspace, type Uri } from 'vscode';
import { scriptCommand } from '../../core/job/command/scriptCommand';
import type { CommandHandler } from '../commandRegistry';
import type { LaunchText } from '../jobs/textLaunching';

/** The script in the editor, by its path below the folder of the workspace, which is where it lies on the host too. */
export function launchScript(launch: LaunchText): CommandHandler {
  return async () => {
    const document = window.activeTextEditor?.document;
    const command = document === undefined ? null : scriptCommand(pathOnHost(document.uri));
    if (document === undefined || command === null) {
      void window.showInformationMessage(l10n.t('Open a Python or shell script first.'));
      return;
    }
    if (document.uri.scheme !== 'vscode-remote' && workspace.getWorkspaceFolder(document.uri) === undefined) {
      void window.showInformationMessage(l10n.t('This script is in no folder of the workspace, so no host has it.'));
      return;
    }
    // The host reads what is on the disk.
    if (document.isDirty) await document.save();
    await launch({ text: command, place: null, title: l10n.t('Launch This Script') });
  };
}

/** The job's directory is the folder of the workspace, the first one of several. */
function pathOnHost(uri: Uri): string {
  const isOnHost = uri.scheme === 'vscode-remote';
  return isOnHost && workspace.workspaceFolders?.length !== 1 ? uri.path : workspace.asRelativePath(uri, false);
}
