import { l10n, window, workspace, type Uri } from 'vscode';
import type { AttemptSpec } from '../../core/job/attempt';
import type { Job } from '../../core/job/job';
import { jobChange } from '../../core/job/jobChange';
import { plain } from '../../core/present/plain';
import { withoutSecrets } from '../../core/present/withoutSecrets';
import { jobFileName, rangeOf, type JobFiles, type ReadJobFile } from './jobFiles';

export interface JobToLaunch {
  readonly job: Job;
  readonly source: AttemptSpec['source'];
}

/** "Launch Job": a job of the workspace's job files. undefined when there is none to launch or none was chosen. */
export async function pickJob(
  files: JobFiles,
  earlier: (host: string) => readonly AttemptSpec[],
): Promise<JobToLaunch | undefined> {
  const read = await Promise.all((workspace.workspaceFolders ?? []).map(({ uri }) => files.read(uri)));
  for (const file of read) if (file.kind === 'problems') void tellProblems(file);
  const jobs = read.flatMap(file => (file.kind === 'jobs' ? file.jobs.map(job => ({ job, source: file.source })) : []));
  if (jobs.length === 0) {
    if (read.every(({ kind }) => kind === 'missing')) tellMissing();
    return undefined;
  }
  const items = jobs.map(found => ({
    label: plain(found.job.name),
    description: l10n.t('{0} on {1}', plain(found.job.cwd), plain(found.job.host)),
    detail: plain(withoutSecrets(found.job.run), 200),
    found,
  }));
  const placeHolder = l10n.t('Choose the job to launch');
  const chosen = items.length === 1 ? items[0] : await window.showQuickPick(items, { placeHolder });
  return chosen === undefined ? undefined : asWanted(chosen.found, earlier(chosen.found.job.host));
}

/** A file that has changed since: the user sees both and says which. */
async function asWanted(
  { job, source }: JobToLaunch,
  earlier: readonly AttemptSpec[],
): Promise<JobToLaunch | undefined> {
  const change = source === null ? null : jobChange(job, source, earlier);
  if (change === null) return { job, source };
  const row = (label: string, { run, cwd }: { readonly run: string; readonly cwd: string }, which: Job) => ({
    label,
    description: plain(cwd, 200),
    detail: plain(run, 400),
    which,
  });
  const chosen = await window.showQuickPick(
    [
      row(l10n.t('As it stands in {0} now', jobFileName), change.now, job),
      row(l10n.t('As it was launched last'), change.before, { ...job, ...change.before }),
    ],
    { placeHolder: l10n.t('{0} has changed since {1} was launched last. Launch which?', jobFileName, plain(job.name)) },
  );
  if (chosen === undefined) return undefined;
  // What does not stand in the file is not said to be from it.
  return { job: chosen.which, source: chosen.which === job ? source : null };
}

function tellMissing(): void {
  void window.showInformationMessage(
    l10n.t('There is no {0} in this window. “Launch Command” needs none, and “Save as Job” writes one.', jobFileName),
  );
}

async function tellProblems(file: Extract<ReadJobFile, { readonly kind: 'problems' }>): Promise<void> {
  const [first] = file.problems;
  if (first === undefined) return;
  const open = l10n.t('Open');
  const more = file.problems.length - 1;
  const about = plain(first.message, 400);
  const said =
    more === 0
      ? l10n.t('{0}, line {1}, column {2}: {3}', jobFileName, first.line, first.column, about)
      : l10n.t('{0}, line {1}, column {2}: {3} ({4} more)', jobFileName, first.line, first.column, about, more);
  if ((await window.showErrorMessage(said, open)) === open)
    await window.showTextDocument(file.uri, { selection: rangeOf(first) });
}

/** The folder whose job file is written to; undefined when there is none or none was chosen. */
export async function pickFolder(): Promise<Uri | undefined> {
  const folders = workspace.workspaceFolders ?? [];
  if (folders.length === 0) {
    void window.showInformationMessage(l10n.t('Open a folder first: {0} is kept in it.', jobFileName));
    return undefined;
  }
  return folders.length === 1 ? folders[0]?.uri : (await window.showWorkspaceFolderPick())?.uri;
}
