import type { Job } from '../job/job';

/** What a job file says, or everything that is wrong with it: a file with any problem launches no job. */
export type JobFileResult =
  | { readonly kind: 'jobs'; readonly jobs: readonly Job[] }
  | { readonly kind: 'problems'; readonly problems: readonly JobFileProblem[] };

export interface JobFileProblem {
  /** One sentence or two: what is wrong, and what to write instead. */
  readonly message: string;
  /** Both count from 1; columns count UTF-16 units, as editors do. */
  readonly line: number;
  readonly column: number;
  /** Offsets into the text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

/** What a job has that does not say so itself. */
export interface JobFileDefaults {
  /** The window's own host; null where there is none, and every job must name one. */
  readonly host: string | null;
  /** The window's folder on that host, else the home directory. */
  readonly cwd: string;
}
