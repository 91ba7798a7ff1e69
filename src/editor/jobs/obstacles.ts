import { l10n, window } from 'vscode';
import type { LaunchObstacle } from '../../control/jobs';
import { plain } from '../../core/present/plain';

/** Why a job cannot be launched as it is, and what to do, one sentence or two. */
export function obstacleWords(obstacle: LaunchObstacle, host: string): string {
  const on = plain(host);
  switch (obstacle.kind) {
    case 'detaching':
      return l10n.t(
        '“{0}” would come back while its work goes on elsewhere. {1}',
        plain(obstacle.detaching.what),
        plain(obstacle.detaching.advice, 300),
      );
    case 'loginNode':
      return l10n.t(
        '{0} is a login node: it has {1} and no GPU. Launch on a machine whose GPUs you may use directly.',
        on,
        plain(obstacle.scheduler),
      );
    case 'folderMissing':
      return l10n.t('The directory {0} is not there on {1}. Choose another one.', plain(obstacle.cwd, 200), on);
    case 'commandMissing':
      return l10n.t(
        '“{0}” is not found in the environment of the job on {1}. Install it there, or put what activates its environment before it.',
        plain(obstacle.word),
        on,
      );
    case 'setupFailed':
      return l10n.t(
        'The setup line “{0}” fails with exit code {1}. Correct it first.',
        plain(obstacle.line),
        String(obstacle.code),
      );
    case 'setupBroken':
      return l10n.t('The setup lines hang, or leave their shell. Try them in a terminal on {0}.', on);
    case 'envFileMissing':
      return l10n.t('The file of variables {0} cannot be read on {1}.', plain(obstacle.file, 200), on);
    case 'noSuchGpu':
      return l10n.t('{0} has no GPU {1}. Name others in “gpus”.', on, obstacle.indices.join(', '));
  }
}

/**
 * Tells what stands in the way. Where the command lies elsewhere on the host, the user may choose which is meant: resolves to
 * its path, else to undefined.
 */
export async function tellObstacles(
  obstacles: readonly LaunchObstacle[],
  host: string,
): Promise<{ readonly word: string; readonly path: string } | undefined> {
  const [first, ...more] = obstacles;
  if (first === undefined) return undefined;
  if (more.length === 0 && first.kind === 'commandMissing' && first.candidates.length > 0) {
    const items = first.candidates.map(path => ({ label: plain(path, 300), path }));
    const placeHolder = l10n.t(
      '“{0}” is not found in the environment of the job. Which one is meant?',
      plain(first.word),
    );
    const chosen = await window.showQuickPick(items, { placeHolder });
    return chosen === undefined ? undefined : { word: first.word, path: chosen.path };
  }
  void window.showErrorMessage(obstacles.map(obstacle => obstacleWords(obstacle, host)).join(' '));
  return undefined;
}
