import { l10n, window } from 'vscode';
import type { CommandNumber } from '../../core/job/command/commandNumbers';
import { numberChoices } from '../../core/present/launchQuestions';
import { plain } from '../../core/present/plain';
import { quickPickRow } from './quickPickRow';

/**
 * "Which number?": null for none of them, undefined when the user does not want to launch.
 *
 * @param runsWith what will run the command, to be seen before it does; null when nobody can tell
 */
export async function askForNumber(
  job: string,
  runsWith: string | null,
  numbers: readonly CommandNumber[],
): Promise<CommandNumber | null | undefined> {
  const rows = numberChoices(numbers).map(choice => ({ ...quickPickRow(choice), number: choice.number }));
  const none = { label: l10n.t('None of them'), description: l10n.t('launch without one'), number: null };
  const question = l10n.t('Which number do you change when memory runs out?');
  const chosen = await window.showQuickPick([...rows, none], {
    title: l10n.t('Launch {0}', plain(job)),
    placeHolder: runsWith === null ? question : `${question} ${runsWith}`,
    ignoreFocusOut: true,
  });
  return chosen?.number;
}
