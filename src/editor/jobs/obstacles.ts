import { l10n, window } from 'vscode';
import type { PreparedLaunch } from '../../control/jobs';
import type { MissingCommand } from '../../core/job/environment/commandLookup';
import { plain } from '../../core/present/plain';

export type AfterObstacles =
  | { readonly kind: 'goOn' }
  | { readonly kind: 'giveUp' }
  /** The command lies elsewhere on the host, and this is the one that is meant. */
  | { readonly kind: 'useInstead'; readonly word: string; readonly path: string };

/** Tells what stands in the way of a launch. What may be passed, the user decides. */
export async function tellObstacles({ job, obstacles, lookup }: PreparedLaunch): Promise<AfterObstacles> {
  if (obstacles.length === 0) return { kind: 'goOn' };
  const words = plain(obstacles.map(({ message, advice }) => `${message} ${advice}`).join(' '), 800);
  if (!obstacles.every(({ passable }) => passable)) {
    void window.showErrorMessage(words);
    return { kind: 'giveUp' };
  }
  const command = lookup?.command;
  if (command?.kind === 'missing' && command.candidates.length > 0) return askWhichIsMeant(command);
  const anyway = l10n.t('Launch All the Same');
  const message = l10n.t('Something stands in the way of {0}.', plain(job.name));
  const chosen = await window.showWarningMessage(message, { modal: true, detail: words }, anyway);
  return { kind: chosen === anyway ? 'goOn' : 'giveUp' };
}

async function askWhichIsMeant({ word, candidates }: MissingCommand): Promise<AfterObstacles> {
  const anyway = { label: l10n.t('Launch all the same'), path: null };
  const items = [...candidates.map(path => ({ label: plain(path, 300), path })), anyway];
  const placeHolder = l10n.t('“{0}” is not in the environment of the job. Which one is meant?', plain(word));
  const chosen = await window.showQuickPick(items, { placeHolder });
  if (chosen === undefined) return { kind: 'giveUp' };
  return chosen.path === null ? { kind: 'goOn' } : { kind: 'useInstead', word, path: chosen.path };
}
