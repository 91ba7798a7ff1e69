import type { AttemptSpec } from './attempt';
import type { Job } from './job';

/** How a job file differs from what was launched of it last, in what the records on the host hold. */
export interface JobChange {
  /** The attempt's, with its values in it. */
  readonly before: Pick<AttemptSpec, 'run' | 'cwd'>;
  readonly now: Pick<Job, 'run' | 'cwd'>;
}

/**
 * null when there is nothing to ask: the job was never launched from this file, the file is the one that it was launched
 * from, or what differs is not of this job. Variables and setup lines are not in the records, and so cannot be shown.
 *
 * @param earlier the attempts of the job's host, the newest first
 */
export function jobChange(
  job: Job,
  source: NonNullable<AttemptSpec['source']>,
  earlier: readonly AttemptSpec[],
): JobChange | null {
  const last = earlier.find(spec => spec.job === job.name && spec.source?.file === source.file);
  if (last === undefined || last.source?.hash === source.hash) return null;
  if (last.run === job.run && last.cwd === job.cwd) return null;
  return { before: { run: last.run, cwd: last.cwd }, now: { run: job.run, cwd: job.cwd } };
}
