import { commandsOf, programOf } from './programOf';
import { isExpanded, type ShellParser } from './shellSyntax';

/** They come before the program that a command is about, and do not change where it is found. */
const harmless: ReadonlySet<string> = new Set([
  'set',
  'ulimit',
  'umask',
  'echo',
  'printf',
  'true',
  'mkdir',
  ':',
  'sleep',
  'date',
]);

/** What comes behind these is found in another folder or environment than the one that is asked. */
const deciding: ReadonlySet<string> = new Set(['cd', 'pushd', 'source', '.', 'eval', 'module', 'ml', 'alias', 'unset']);

/**
 * The word by which the first real program of a command is found; null when only the shell can tell it, or when something
 * before it (`cd x`, `source y`) decides what it means.
 */
export function firstWord(text: string, parser: ShellParser): string | null {
  for (const command of commandsOf(text, parser)) {
    const first = command.words[0]?.text;
    if (command.assignments.some(({ name }) => name === 'PATH')) return null;
    // A function is only made here; a substitution is a part of a later word.
    if (first === undefined || command.nesting.includes('substitution') || command.nesting.includes('function'))
      continue;
    if (harmless.has(first)) continue;
    if (first === 'export' || first === 'declare') {
      if (command.words.some(word => word.text.startsWith('PATH='))) return null;
      continue;
    }
    if (deciding.has(first)) return null;
    const { words, within } = programOf(command);
    const word = within ?? words[0];
    return word === undefined || isExpanded(word) || word.text === '' ? null : word.text;
  }
  return null;
}
