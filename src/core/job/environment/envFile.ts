export interface EnvFile {
  readonly variables: ReadonlyMap<string, string>;
  /** Numbers of the lines, from 1, that set no variable. Their text may be a secret, so it is not told. */
  readonly badLines: readonly number[];
}

/**
 * Reads a file of `NAME=value` lines as docker and many others have them: `export` in front is allowed, `#` begins a comment
 * line, quotes around a whole value are taken off, and nothing is expanded. Never throws.
 */
export function readEnvFile(text: string): EnvFile {
  const variables = new Map<string, string>();
  const badLines: number[] = [];
  for (const [index, ended] of text.split('\n').entries()) {
    const line = ended.replace(/\r$/, '').replace(/^[ \t]+|[ \t]+$/g, '');
    if (line === '' || line.startsWith('#')) continue;
    const [, name, value] = /^(?:export[ \t]+)?([A-Za-z_]\w*)=[ \t]*(.*)$/s.exec(line) ?? [];
    if (name === undefined || value === undefined) badLines.push(index + 1);
    else variables.set(name, unquoted(value));
  }
  return { variables, badLines };
}

const unquoted = (value: string): string => /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;
