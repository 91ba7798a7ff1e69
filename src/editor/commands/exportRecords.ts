import { l10n, window, workspace } from 'vscode';
import type { State } from '../../core/model/state';
import { recordsAsCsv, recordsAsJson } from '../../core/present/records';
import type { CommandHandler } from '../commandRegistry';

/** What is known of all attempts, as a document that the user may save where they like. */
export function exportRecords(state: () => State): CommandHandler {
  return async () => {
    const formats = [
      { label: 'JSON', language: 'json', write: recordsAsJson },
      { label: 'CSV', language: 'csv', write: recordsAsCsv },
    ];
    const chosen = await window.showQuickPick(formats, { placeHolder: l10n.t('Export the records of all jobs as') });
    if (chosen === undefined) return;
    const document = await workspace.openTextDocument({ language: chosen.language, content: chosen.write(state()) });
    await window.showTextDocument(document);
  };
}
