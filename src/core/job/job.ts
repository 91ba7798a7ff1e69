import type { HostId } from '../host/hostSpec';

/** What the user wants run. Written by hand in `headroom.yaml`, or made from a pasted command. */
export interface Job {
  /** Names the job on its host and on screen. */
  readonly name: string;
  readonly host: HostId;
  /** As the user wrote it: may begin with `~`. */
  readonly cwd: string;
  /** Shell text of one or more lines, run by bash where the host has it, else by sh. */
  readonly run: string;
  /** Shell lines run before `run`, in the same shell. */
  readonly setup: readonly string[];
  /** On top of the login shell's environment. Values are secrets until proven otherwise: never shown, never logged. */
  readonly env: ReadonlyMap<string, string>;
  /** A file on the host with NAME=value lines, read at launch; begins with `/` or `~/`. null for none. */
  readonly envFile: string | null;
  readonly gpus: GpuWish;
  readonly parameters: readonly Parameter[];
  readonly outputs: readonly Output[];
  /** When an attempt counts as fitting, where the user said so; null for what is usual for its kind of work. */
  readonly fitsAfter: FitsAfter | null;
}

export type FitsAfter =
  /** So long at real work without a new peak. */
  | { readonly kind: 'time'; readonly ms: number }
  /** A line of the log has this text in it. */
  | { readonly kind: 'log'; readonly text: string };

export type GpuWish =
  /** The job is not pinned to GPUs: it sees all of them. */
  | { readonly kind: 'unpinned' }
  | { readonly kind: 'all' }
  | { readonly kind: 'anyFree'; readonly count: number }
  | { readonly kind: 'indices'; readonly indices: readonly number[] };

/** A number in the command or environment that trades memory for speed. */
export interface Parameter {
  readonly name: string;
  readonly place: ParameterPlace;
  readonly step: number | null;
  readonly min: number | null;
  readonly max: number | null;
}

export type ParameterPlace =
  | { readonly kind: 'flag'; readonly flag: string }
  | { readonly kind: 'env'; readonly variable: string }
  /** `key=value` words, as Hydra and many others read them. */
  | { readonly kind: 'assignment'; readonly key: string };

export interface Output {
  /** Relative to the job's directory, or absolute. */
  readonly path: string;
  readonly onRelaunch: 'ask' | 'keep' | 'setAside';
}
