import { quoteShellText } from '../../base/shellText';

/** What a job is run with. */
export interface ShellEnvironment {
  readonly variables: ReadonlyMap<string, string>;
  /** Functions that bash hands on (`module` of many clusters is one), by name: the text behind the name, from `()` on. */
  readonly functions: ReadonlyMap<string, string>;
}

/** Lines that put an environment in place, for sh and bash. Only bash is shown the functions: others cannot read all of them. */
export function environmentText({ variables, functions }: ShellEnvironment): string {
  const exports = [...variables].map(([name, value]) => `export ${name}=${quoteShellText(value)}\n`);
  const definitions = [...functions].map(([name, body]) => `${name} ${body}\nexport -f ${name}\n`);
  const guarded =
    definitions.length === 0 ? '' : `[ -z "\${BASH_VERSION:-}" ] || eval ${quoteShellText(definitions.join(''))}\n`;
  return exports.join('') + guarded;
}
