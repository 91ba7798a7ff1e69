/**
 * A text as one word of a POSIX shell script, line feeds and all. NUL, which no argument, file name or environment can
 * hold, is left out, as shells do themselves.
 */
export function quoteShellText(text: string): string {
  return `'${text.replaceAll('\0', '').replaceAll("'", `'\\''`)}'`;
}

/**
 * A path as one word, with a home at its beginning left to the shell: `~`, `~/x` and `~user/x`. What does not begin with
 * `/` or `~` is under the home directory, as it is for ssh and scp.
 */
export function quoteShellPath(path: string): string {
  const [, user, rest] = /^~([a-z_][a-z0-9_-]*)?(?:\/(.*))?$/s.exec(path) ?? [];
  if (!path.startsWith('~')) return path.startsWith('/') ? quoteShellText(path) : `"$HOME"/${quoteShellText(path)}`;
  // Anything else behind the tilde is the beginning of a name.
  if (user === undefined && !/^~(?:\/|$)/.test(path)) return `"$HOME"/${quoteShellText(path)}`;
  const home = user === undefined ? '"$HOME"' : `~${user}`;
  return rest === undefined ? home : `${home}/${quoteShellText(rest)}`;
}
