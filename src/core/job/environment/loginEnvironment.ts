import type { ShellEnvironment } from './shellEnvironment';

/** The environment of the user's login shell, as environment.sh caught it. Its values are secrets: never shown unasked, never logged. */
export interface LoginEnvironment extends ShellEnvironment {
  /** An interactive login session; a login that is not interactive; or what ssh itself gives, when the shell did not answer. */
  readonly way: 'interactive' | 'login' | 'bare';
  /** The login shell's path. Untrusted. */
  readonly shell: string;
  /** Why it is not the interactive session's, with what to do, for the user; null when it is. */
  readonly notice: string | null;
  /** The text of the file of variables; null when none was asked for, or there is none. */
  readonly file: string | null;
  readonly fileMissing: boolean;
}

/** What belongs to one session and would be wrong or misleading in another one. */
const ofTheSession: ReadonlySet<string> = new Set([
  ...[
    '_',
    'PWD',
    'OLDPWD',
    'SHLVL',
    'TERM',
    'COLUMNS',
    'LINES',
    'TMUX',
    'TMUX_PANE',
    'STY',
    'WINDOW',
    'TTY',
    'GPG_TTY',
  ],
  ...['XDG_SESSION_ID', 'XDG_SESSION_TYPE', 'XDG_SESSION_CLASS', 'XDG_VTNR', 'XDG_SEAT', 'DISPLAY', 'WAYLAND_DISPLAY'],
  // Of bash: it refuses to have them set.
  ...['BASHOPTS', 'SHELLOPTS', 'BASH_VERSINFO', 'EUID', 'PPID', 'UID'],
  // Run by a shell when it starts, in place of or before what it is given.
  ...['BASH_ENV', 'ENV', 'PROMPT_COMMAND', 'TMOUT'],
  'INVOCATION_ID',
  'JOURNAL_STREAM',
]);

const sessionPrefix = /^(?:SSH_|VSCODE_|TERM_|HEADROOM_)/;

const bashFunction = /^BASH_FUNC_([A-Za-z_]\w*)(?:%%|\(\))$/;

/** Reads what environment.sh printed. null when no environment is in it. Never throws. */
export function readLoginEnvironment(output: string, nonce: string): LoginEnvironment | null {
  const block = between(output, `\x1e${nonce}-environment\x1e\n`, `\x1e${nonce}-end\x1e`);
  const said = [...output.matchAll(new RegExp(`\\x1e${nonce} ([^\\x1e]*)\\x1e`, 'g'))].map(([, words]) => words ?? '');
  const way = said.map(words => /^way (interactive|login|bare)$/.exec(words)?.[1]).find(found => found !== undefined);
  if (block === null || way === undefined) return null;
  const shell = said.find(words => words.startsWith('shell '))?.slice('shell '.length) ?? '';
  return {
    ...readVariables(block),
    way: way as LoginEnvironment['way'],
    shell,
    notice: noticeFor(way as LoginEnvironment['way'], shell, said),
    file: between(output, `\x1e${nonce} file\x1e\n`, `\x1e${nonce}-end\x1e`),
    fileMissing: said.includes('no file'),
  };
}

function between(text: string, begin: string, end: string): string | null {
  const start = text.indexOf(begin);
  if (start < 0) return null;
  const stop = text.indexOf(end, start + begin.length);
  return stop < 0 ? null : text.slice(start + begin.length, stop);
}

function readVariables(block: string): ShellEnvironment {
  const variables = new Map<string, string>();
  const functions = new Map<string, string>();
  for (const entry of block.split('\0')) {
    const equals = entry.indexOf('=');
    const name = entry.slice(0, Math.max(0, equals));
    const value = entry.slice(equals + 1);
    const bash = bashFunction.exec(name)?.[1];
    if (bash !== undefined && value.startsWith('()')) functions.set(bash, value);
    else if (/^[A-Za-z_]\w*$/.test(name) && !ofTheSession.has(name) && !sessionPrefix.test(name))
      variables.set(name, value);
  }
  return { variables, functions };
}

function noticeFor(way: LoginEnvironment['way'], shell: string, said: readonly string[]): string | null {
  if (way === 'interactive') return null;
  const name = shell.slice(shell.lastIndexOf('/') + 1);
  const why = said.includes('failed interactive 137')
    ? 'did not finish its start-up files in time'
    : 'ended before its start-up files were through';
  const instead =
    way === 'login'
      ? 'The job gets the environment of a login that is not interactive; conda may be missing in it.'
      : 'The job gets the bare environment of ssh; conda and modules are missing in it.';
  return `The login shell ${name} ${why}. ${instead} Put what the job needs into “setup”.`;
}
