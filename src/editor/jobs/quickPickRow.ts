import type { QuickPickItem } from 'vscode';
import type { Choice } from '../../core/present/launchQuestions';

/** A row of a view model as VS Code takes it. */
export function quickPickRow({ label, description, detail }: Choice): QuickPickItem {
  return { label, description, ...(detail === null ? {} : { detail }) };
}
