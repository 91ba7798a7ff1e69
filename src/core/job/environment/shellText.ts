/** Text made for a shell to read. It goes to a host on standard input or in a file of the user's, never in an argument. */

/** A text as one word of a shell script, whatever is in it; a shell knows no NUL. */
export const quoted = (text: string): string => `'${text.replaceAll('\0', '').replaceAll("'", `'\\''`)}'`;

/** What a job is run with. */
export interface ShellEnvironment {
  readonly variables: ReadonlyMap<string, string>;
  /** Functions that bash hands on (`module` of many clusters is one), by name: the text behind the name, from `()` on. */
  readonly functions: ReadonlyMap<string, string>;
}

/** Lines that put an environment in place, for sh and bash. Only bash is shown the functions: others cannot read all of them. */
export function environmentText({ variables, functions }: ShellEnvironment): string {
  const exports = [...variables].map(([name, value]) => `export ${name}=${quoted(value)}\n`);
  const definitions = [...functions].map(([name, body]) => `${name} ${body}\nexport -f ${name}\n`);
  const guarded =
    definitions.length === 0 ? '' : `[ -z "\${BASH_VERSION:-}" ] || eval ${quoted(definitions.join(''))}\n`;
  return exports.join('') + guarded;
}
