import { l10n, window } from 'vscode';
import type { CommandHandler } from '../commandRegistry';
import type { LaunchText } from '../jobs/textLaunching';

/** What is selected in the editor; with nothing selected, the line of the cursor. */
export function launchSelection(launch: LaunchText): CommandHandler {
  return async () => {
    const editor = window.activeTextEditor;
    if (editor === undefined) {
      void window.showInformationMessage(l10n.t('Open the file that the command stands in, and select it.'));
      return;
    }
    const { document, selection } = editor;
    const range = selection.isEmpty ? document.lineAt(selection.active).range : selection;
    await launch({ text: document.getText(range), place: null, title: l10n.t('Launch Selection') });
  };
}
