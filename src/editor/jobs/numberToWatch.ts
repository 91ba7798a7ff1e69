import { l10n, window } from 'vscode';
import type { CommandNumber } from '../../core/job/commandNumbers';
import { plain } from '../../core/present/plain';

/** "Which number?": null for none of them, undefined when the user does not want to launch. */
export async function askForNumber(
  job: string,
  runsWith: string | null,
  numbers: readonly CommandNumber[],
): Promise<CommandNumber | null | undefined> {
  const items = numbers.map(number => ({
    label: plain(number.bare ? number.name : `${number.name} ${number.text}`),
    description:
      number.knob === null
        ? ''
        : number.knob.memory === 'gpu'
          ? l10n.t('trades GPU memory for speed')
          : l10n.t('trades host memory for speed'),
    number,
  }));
  const none = { label: l10n.t('None of them'), description: l10n.t('launch without one'), number: null };
  const question = l10n.t('Which number is it that you change when memory runs out?');
  const chosen = await window.showQuickPick([...items, none], {
    title: l10n.t('Launch {0}', plain(job)),
    placeHolder: runsWith === null ? question : `${question} ${l10n.t('(runs {0})', plain(runsWith, 200))}`,
    ignoreFocusOut: true,
  });
  return chosen?.number;
}
