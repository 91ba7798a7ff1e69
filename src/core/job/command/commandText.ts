import { commandsOf, programOf } from './programOf';
import type { ShellParser } from './shellSyntax';

/** What was pasted, as a command that a shell can be given. */
export interface PastedCommand {
  readonly text: string;
  /** What was mended without asking, for it cannot have been meant: worth a line to the user. */
  readonly mended: readonly Mend[];
  /**
   * The command with typographic quotes and dashes made plain, to be offered; null when there are none. It is not done unasked:
   * `--prompt "it’s"` means its apostrophe, and a long dash may have been one dash or two.
   */
  readonly suggestion: string | null;
}

export type Mend = 'prompts' | 'blanks' | 'lineEnds' | 'continuations';

/** A prompt in front of a command, as terminals and documentation show it. `#` is left alone: it begins a comment. */
const prompt = /^\s*(?:\([\w.-]+\) )?(?:\[?[\w.-]+@[\w.-]+[: ][^$%#]*)?[$%❯➜] +/;
const secondPrompt = /^> ?/;

/** Look like a blank and are none to a shell. */
const strangeBlanks = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/g;
const invisible = /[\u200b\u2060\ufeff]/g;

/** Puts what was pasted in order: line ends, prompts, blanks that only look like blanks; continued lines become one. */
export function readPasted(pasted: string): PastedCommand {
  const mended = new Set<Mend>();
  const step = (kind: Mend, before: string, after: string): string => {
    if (after !== before) mended.add(kind);
    return after;
  };
  let text = step('lineEnds', pasted, pasted.replace(/\r\n?/g, '\n'));
  text = step('blanks', text, text.replace(strangeBlanks, ' ').replace(invisible, ''));
  text = step('prompts', text, withoutPrompts(text));
  const lost = text.replace(/\\[ \t]+\n/g, '\\\n').replace(/\\(?:[ \t]{2,}| (?=-))/g, '\\\n');
  text = joined(step('continuations', text, lost)).trim();
  const plain = withPlainCharacters(text);
  return { text, mended: [...mended], suggestion: plain === text ? null : plain };
}

function withoutPrompts(text: string): string {
  const lines = text.split('\n');
  if (!prompt.test(lines.find(line => line.trim() !== '') ?? '')) return text;
  return lines.map(line => (prompt.test(line) ? line.replace(prompt, '') : line.replace(secondPrompt, ''))).join('\n');
}

/** Takes out backslashes at line ends, with the indentation behind them. Within single quotes and comments they mean nothing. */
function joined(text: string): string {
  let result = '';
  let quote: '"' | "'" | '#' | null = null;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index] ?? '';
    if (char === '\\' && quote !== "'" && quote !== '#') {
      if (text[index + 1] !== '\n') {
        result += char + (text[index + 1] ?? '');
        index += 1;
        continue;
      }
      const rest = text.slice(index + 2);
      const indentation = quote === null ? rest.length - rest.trimStart().length : 0;
      index += 1 + indentation;
      // One blank for the indentation: a word that goes on without any is one word.
      if (indentation > 0 && !/\s$/.test(result)) result += ' ';
      continue;
    }
    if (quote === null && char === '#' && /^$|\s$/.test(result)) quote = '#';
    else if (quote === null && (char === '"' || char === "'")) quote = char;
    else if (quote === char || (quote === '#' && char === '\n')) quote = null;
    result += char;
  }
  return result;
}

function withPlainCharacters(text: string): string {
  return text
    .replace(/[“”„‟″]/g, '"')
    .replace(/[‘’‚‛′]/g, "'")
    .replace(/(?<=^|\s)[–—―](?=[A-Za-z])/g, '--')
    .replace(/(?<=^|\s)[−‐‑](?=[A-Za-z\d])/g, '-');
}

/** Longer names are cut: they stand in trees and notifications. */
const longestName = 40;

/**
 * A name for the job, from what its command runs: `train` for `torchrun … train.py`, `flash-attn` for `pip install
 * flash-attn==2.8.3`. `taken` are the names it must differ from.
 */
export function defaultJobName(text: string, taken: readonly string[], parser: ShellParser): string {
  const named = commandsOf(text, parser)
    .filter(({ nesting }) => !nesting.includes('substitution'))
    .map(command => programOf(command))
    .flatMap(
      ({ name, words }) =>
        nameOf(
          name,
          words.map(word => word.text),
        ) ?? [],
    );
  return freeName(named.at(-1) ?? 'job', taken);
}

/** Programs that only prepare the one that the command is about. */
const preparing: ReadonlySet<string> = new Set([
  '',
  'cd',
  'export',
  'source',
  '.',
  'mkdir',
  'echo',
  'set',
  'tee',
  'wait',
]);

function nameOf(program: string, words: readonly string[]): string | null {
  if (preparing.has(program)) return null;
  const module = words.indexOf('-m');
  const install = words.indexOf('install');
  const script = words.find(word => /\.(?:py|sh)$/.test(word));
  const named =
    (program === 'python' && words[module + 1] === 'pip') || program === 'pip' || program === 'uv'
      ? words.slice(install + 1).find(word => install >= 0 && !word.startsWith('-'))
      : (script ?? (module > 0 ? words[module + 1] : undefined));
  return cleaned(named ?? program) ?? cleaned(program);
}

function cleaned(text: string): string | null {
  const last = text
    .replace(/^git\+/, '')
    .replace(/[=<>@[;].*$/, '')
    .replace(/\.(?:py|sh|git)$/, '');
  const name = last
    .slice(last.replace(/\/+$/, '').lastIndexOf('/') + 1)
    .replace(/^.*\.(?=[^.]+$)/, '')
    .replace(/[^\w-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' ? null : name.slice(0, longestName);
}

/** The name itself, or with the first number behind it that makes it new. */
export function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name;
  for (let count = 2; ; count += 1) if (!taken.includes(`${name}-${count}`)) return `${name}-${count}`;
}
