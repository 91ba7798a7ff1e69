import { l10n, window, workspace } from 'vscode';
import type { Job } from '../../core/job/job';
import { plain } from '../../core/present/plain';
import { withoutSecrets } from '../../core/present/withoutSecrets';
import type { CommandHandler } from '../commandRegistry';
import type { AttemptOfCommand } from '../jobs/attemptOfCommand';
import { jobFileName, type JobFiles } from '../jobs/jobFiles';
import { pickFolder } from '../jobs/jobToLaunch';

/** Writes the job of an attempt into the folder's job file, so that it can be changed there and launched from there. */
export function saveJob(
  pick: (row: unknown) => Promise<AttemptOfCommand | undefined>,
  jobOf: (attempt: AttemptOfCommand) => Promise<Job>,
  files: JobFiles,
): CommandHandler {
  return async row => {
    const attempt = await pick(row);
    const folder = attempt === undefined ? undefined : await pickFolder();
    if (attempt === undefined || folder === undefined) return;
    const job = await jobOf(attempt);
    const name = await window.showInputBox({
      title: l10n.t('Save as Job'),
      prompt: l10n.t('Its name in {0}', jobFileName),
      value: job.name,
    });
    if (name === undefined) return;
    const added = await files.added(folder, { ...job, name: name.trim() });
    if (added.kind === 'problems') {
      const reason = added.problems[0]?.message ?? '';
      void window.showErrorMessage(l10n.t('{0} was left as it is: {1}', jobFileName, plain(reason, 400)));
      return;
    }
    await workspace.fs.writeFile(added.uri, new TextEncoder().encode(added.text));
    await window.showTextDocument(added.uri);
    if (withoutSecrets(job.run) !== job.run)
      void window.showWarningMessage(
        l10n.t(
          'The command in {0} seems to hold a secret. Put it into a file that nobody else reads, and name that file as envFile.',
          jobFileName,
        ),
      );
  };
}
