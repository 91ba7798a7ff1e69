import { quoteShellText } from '../../base/shellText';
import type { ShellParser } from './shellSyntax';

/** The command with the first word of that text replaced by a path; unchanged where there is none. */
export function replaceWord(run: string, word: string, path: string, parser: ShellParser): string {
  const found = parser
    .parse(run)
    .commands.flatMap(({ words }) => words)
    .find(({ text }) => text === word);
  if (found === undefined) return run;
  const written = /^[\w./+@%:=-]+$/.test(path) ? path : quoteShellText(path);
  // With its quotes, if it has any.
  return run.slice(0, found.start) + written + run.slice(found.end);
}
