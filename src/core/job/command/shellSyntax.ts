/**
 * What is known of a shell text without running it. A parser outside of core makes it; everything that looks into commands
 * reads this and never the text itself, so that a number in a comment, a quote or another program is never taken for one.
 * Offsets count UTF-16 units of the parsed text, as `slice` does.
 */
export interface ShellParser {
  /** Never throws: what cannot be understood is left out, and `whole` says so. */
  parse(text: string): ShellScript;
}

export interface ShellScript {
  /** Every simple command in the order of the text, those inside of loops, subshells and substitutions too. */
  readonly commands: readonly ShellCommand[];
  /** The text was understood from end to end. */
  readonly whole: boolean;
}

export interface Span {
  readonly start: number;
  /** The offset behind the last unit. */
  readonly end: number;
}

/** A simple command: `A=1 name word >file`. Without words it only sets variables. `export A=1` is one with two words. */
export interface ShellCommand extends Span {
  readonly assignments: readonly ShellAssignment[];
  readonly words: readonly ShellWord[];
  readonly redirects: readonly ShellRedirect[];
  /** What it stands inside of, outermost first. */
  readonly nesting: readonly Nesting[];
  /** `&` ends it, or the list it is in: the shell does not wait for it. */
  readonly background: boolean;
}

export type Nesting = 'substitution' | 'subshell' | 'group' | 'loop' | 'condition' | 'function';

export interface ShellAssignment extends Span {
  readonly name: string;
  /** null for an array. */
  readonly value: ShellWord | null;
  /** The words of an array, else none. */
  readonly elements: readonly ShellWord[];
}

export interface ShellRedirect extends Span {
  /** `>`, `>>`, `<`, `2>&1` and the like, without the target. */
  readonly operator: string;
  /** null for a here-document. */
  readonly target: ShellWord | null;
}

export interface ShellWord extends Span {
  /** The word with its quotes and escapes taken off; what the shell expands stands there as written. */
  readonly text: string;
  /** For each unit of `text`, where it stands in the source. */
  readonly at: readonly number[];
  /** The parts of `text` that only the shell can tell: `$X`, `${X:-1}`, `$(nproc)`. */
  readonly expansions: readonly Span[];
}

/** Where the part of a word from `from` up to `to` (offsets of its text) stands in the source; null for an empty part. */
export function sourceSpan(word: ShellWord, from = 0, to = word.text.length): Span | null {
  const start = word.at[from];
  const last = word.at[to - 1];
  return start === undefined || last === undefined || from >= to ? null : { start, end: last + 1 };
}

/** Only the shell can tell some part of it. */
export const isExpanded = (word: ShellWord): boolean => word.expansions.length > 0;
