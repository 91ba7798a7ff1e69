import { createHash } from 'node:crypto';
import { Diagnostic, languages, Range, Uri, workspace } from 'vscode';
import type { Disposable } from '../../core/base/disposable';
import type { AttemptSpec } from '../../core/job/attempt';
import type { Job } from '../../core/job/job';
import type { AddedJob } from '../../core/jobfile/addJob';
import type { JobFileProblem } from '../../core/jobfile/jobFileProblem';
import { windowHost } from '../windowHost';

/** The name of job files, at the top of a folder of the workspace. */
export const jobFileName = 'headroom.yaml';

export type ReadJobFile =
  | { readonly kind: 'missing' }
  | { readonly kind: 'problems'; readonly uri: Uri; readonly problems: readonly JobFileProblem[] }
  | {
      readonly kind: 'jobs';
      readonly uri: Uri;
      readonly jobs: readonly Job[];
      readonly source: NonNullable<AttemptSpec['source']>;
    };

export interface JobFiles extends Disposable {
  /** Reads the job file of a folder, wherever that lies. What is wrong with it is marked in the editor, too. */
  read(folder: Uri): Promise<ReadJobFile>;
  /** The text of the folder's job file with one more job. */
  added(folder: Uri, job: Job): Promise<AddedJob & { readonly uri: Uri }>;
}

/** The parser is loaded with the first file: activation reads nothing of it. */
export function createJobFiles(onError: (error: unknown) => void): JobFiles {
  const marks = languages.createDiagnosticCollection('headroom');
  const read: JobFiles['read'] = async folder => {
    const uri = Uri.joinPath(folder, jobFileName);
    const text = await textOf(uri);
    if (text === null) {
      marks.delete(uri);
      return { kind: 'missing' };
    }
    const { parseJobFile } = await import('../../core/jobfile/jobFile');
    const result = parseJobFile(text, { host: windowHost()?.id ?? null, cwd: directoryOf(folder) });
    if (result.kind === 'problems') {
      marks.set(uri, result.problems.map(diagnostic));
      return { ...result, uri };
    }
    marks.delete(uri);
    const hash = createHash('sha256').update(text).digest('hex');
    return { kind: 'jobs', uri, jobs: result.jobs, source: { file: uri.path, hash } };
  };
  // What was marked does not stand there longer than until it is mended.
  const saving = workspace.onDidSaveTextDocument(({ uri }) => {
    if (marks.has(uri)) read(Uri.joinPath(uri, '..')).catch(onError);
  });

  return {
    read,
    async added(folder, job) {
      const uri = Uri.joinPath(folder, jobFileName);
      const { addJob } = await import('../../core/jobfile/jobFile');
      return { ...addJob((await textOf(uri)) ?? '', job), uri };
    },
    dispose: () => {
      saving.dispose();
      marks.dispose();
    },
  };
}

/** A folder on the window's own host is where its jobs run; a folder of this machine says nothing about a host. */
export function directoryOf(folder: Uri): string {
  return folder.scheme === 'vscode-remote' && windowHost() !== null ? folder.path : '~';
}

export function rangeOf({ line, column, start, end }: JobFileProblem): Range {
  return new Range(line - 1, column - 1, line - 1, column - 1 + Math.max(1, end - start));
}

function diagnostic(problem: JobFileProblem): Diagnostic {
  const mark = new Diagnostic(rangeOf(problem), problem.message);
  mark.source = 'Headroom';
  return mark;
}

/** null: there is no such file. Anything else that keeps it from being read is thrown, and told as such. */
async function textOf(uri: Uri): Promise<string | null> {
  try {
    return new TextDecoder().decode(await workspace.fs.readFile(uri));
  } catch (error) {
    const isMissing = typeof error === 'object' && error !== null && 'code' in error && error.code === 'FileNotFound';
    if (isMissing) return null;
    throw error;
  }
}
