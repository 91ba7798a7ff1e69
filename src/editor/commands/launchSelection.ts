import { l10n, window, type TextEditor } from 'vscode';
import type { CommandHandler } from '../commandRegistry';
import type { LaunchText } from '../jobs/textLaunching';

/** What is selected in the editor; with nothing selected, the line of the cursor. */
export function launchSelection(launch: LaunchText): CommandHandler {
  return async () => {
    const editor = window.activeTextEditor;
    const text = editor === undefined ? '' : selectedText(editor);
    if (text.trim() === '') {
      void window.showInformationMessage(l10n.t('Open the file that the command stands in, and select it.'));
      return;
    }
    await launch({ text, place: null, title: l10n.t('Launch Selection') });
  };
}

function selectedText({ document, selection }: TextEditor): string {
  return document.getText(selection.isEmpty ? document.lineAt(selection.active).range : selection);
}
