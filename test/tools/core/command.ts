/** Where a command writes: `out` is data only, one JSON value a line; `error` is for people, one line each. */
export interface Output {
  readonly out: (line: string) => void;
  readonly error: (line: string) => void;
}

export interface Command {
  /** What follows the command's name, for the usage line. */
  readonly usage: string;
  /** Resolves to the exit code. Throws `UsageError` for what the caller got wrong. */
  readonly run: (args: readonly string[], output: Output) => Promise<number>;
}

/** The caller's mistake: becomes one line on stderr and exit code 2, with nothing on stdout. */
export class UsageError extends Error {}
