import { quoteShellText } from '../../base/shellText';
import { environmentText, type ShellEnvironment } from './shellEnvironment';

/** What is asked of a host before a job is launched there. */
export interface LookupQuestion {
  readonly environment: ShellEnvironment;
  readonly cwd: string;
  readonly setup: readonly string[];
  /** The first word of the command, quotes taken off; null when only the shell can tell it. */
  readonly word: string | null;
}

/** What was found. Paths come from the host: untrusted. */
export interface CommandLookup {
  readonly folderMissing: boolean;
  /** The setup lines that failed, by their place from 0. */
  readonly failedSetup: readonly { readonly line: number; readonly code: number }[];
  /** null when only the shell can tell the word. */
  readonly command: FoundCommand | MissingCommand | null;
  /** Work is handed in here and done elsewhere: there is a scheduler (the name of its command) and no GPU. */
  readonly loginNodeOf: string | null;
}

export interface FoundCommand {
  readonly kind: 'found';
  /** A path, or the name of a builtin or a function. */
  readonly path: string;
  /** What it is a link to in the end; null when it is none. */
  readonly realPath: string | null;
  /** What runs it, if it is a script: the Python of `torchrun`. */
  readonly interpreter: string | null;
}

export interface MissingCommand {
  readonly kind: 'missing';
  readonly word: string;
  /** Where it lies all the same, the nearest first. */
  readonly candidates: readonly string[];
}

/** More would only make a list that nobody reads. */
const mostCandidates = 12;

/** Setup lines may load slow things; what takes longer hangs. Seconds. */
const limitSeconds = 20;

/**
 * The script that asks, for `lookup`, the text of lookup.sh. The job's shell runs it as it will run the job: bash, else sh,
 * with nothing in its environment but the job's. All of it goes to that shell's standard input, so nothing can be read in an
 * argument list. `nonce` is letters and digits.
 */
export function lookupScript(lookup: string, question: LookupQuestion, nonce: string): string {
  const { environment, cwd, setup, word } = question;
  const lines = setup.map((line, index) => `${line}\ncode=$?\n[ "$code" = 0 ] || mark "setup ${index} $code"\n`);
  const inner =
    environmentText(environment) +
    `NONCE=${nonce} WORD=${quoteShellText(word ?? '')} FOLDER=${quoteShellText(cwd)}\n` +
    `setup() {\n:\n${lines.join('')}}\n` +
    lookup;
  return `exec 2>/dev/null
shell=$(command -v bash || command -v sh)
limit=$(command -v timeout) && limit="$limit ${limitSeconds}"
$limit env -i "$shell" -s <<'END-${nonce}'
{
${inner}
exit
} </dev/null
END-${nonce}
`;
}

/** Reads what the script printed; null when it did not come to its end. Never throws. */
export function readLookup(output: string, question: LookupQuestion, nonce: string): CommandLookup | null {
  const said = [...output.matchAll(new RegExp(`\\x1e${nonce} ([^\\x1e]*)\\x1e`, 'g'))].map(([, words]) => words ?? '');
  if (!said.includes('done')) return null;
  const all = (key: string): readonly string[] =>
    said.filter(words => words.startsWith(`${key} `)).map(words => words.slice(key.length + 1));
  const folderMissing = said.includes('folder missing');
  const path = all('found')[0];
  const { word } = question;
  const command: CommandLookup['command'] =
    path !== undefined
      ? { kind: 'found', path, realPath: all('real')[0] ?? null, interpreter: all('runs')[0] ?? null }
      : word === null || folderMissing
        ? null
        : { kind: 'missing', word, candidates: [...new Set(all('candidate'))].slice(0, mostCandidates) };
  return {
    folderMissing,
    failedSetup: all('setup').flatMap(words => {
      const [line, code] = words.split(' ').map(Number);
      return line === undefined || code === undefined ? [] : { line, code };
    }),
    command,
    loginNodeOf: said.includes('gpus no') ? (all('scheduler')[0] ?? null) : null,
  };
}
