import { quoteShellText } from '../../base/shellText';

/** Programs by which scripts are run, by the ending of the file's name. */
const runners: Readonly<Record<string, string>> = { py: 'python', sh: 'bash', bash: 'bash' };

/** The command that runs a script, its path relative to the job's directory or absolute; null for a file that is no script. */
export function scriptCommand(path: string): string | null {
  const ending = /\.([a-z]+)$/.exec(path)?.[1] ?? '';
  const runner = Object.hasOwn(runners, ending) ? runners[ending] : undefined;
  if (runner === undefined) return null;
  // A name that begins with a dash would be read as an option.
  const named = path.startsWith('-') ? `./${path}` : path;
  return `${runner} ${/^[\w./+@%:=-]+$/.test(named) ? named : quoteShellText(named)}`;
}
