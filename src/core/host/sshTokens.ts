/** What the `%` tokens of ssh_config(5), "TOKENS", stand for. */
export interface SshTokens {
  /** %d */
  readonly home: string;
  /** %h, after HostName */
  readonly host: string;
  /** %i, null where there is none (Windows) */
  readonly localUid: number | null;
  /** %k, HostKeyAlias or the name that was typed */
  readonly keyAlias: string;
  /** %l; %L is its first label */
  readonly localHost: string;
  /** %n, as typed */
  readonly originalHost: string;
  /** %p */
  readonly port: number;
  /** %r */
  readonly remoteUser: string;
  /** %u */
  readonly localUser: string;
  /** %j */
  readonly jump: string;
  /** For %C. */
  readonly sha1Hex: (text: string) => string;
}

/** Expands `%` tokens. Unknown ones stay as they are, so that what went wrong can be seen in the log. */
export function expandTokens(text: string, tokens: SshTokens): string {
  return text.replace(/%(.)/gs, (whole, letter: string) => tokenValue(letter, tokens) ?? whole);
}

/**
 * Expands what ssh expands in the name of a file: `~/` to the user's home, then `${NAME}` from the environment (a name
 * that is not set stays as it is), then `%` tokens. `~other/` stays as it is: only the system knows other homes.
 */
export function expandPath(path: string, tokens: SshTokens, env: Readonly<Record<string, string | undefined>>): string {
  const home = path === '~' ? tokens.home : path.replace(/^~(?=[/\\])/, () => tokens.home);
  // One pass over the user's text only: a value of the environment with "%" or "$" in it is not expanded again.
  return home.replace(/%(.)|\$\{([^{}]+)\}/gs, (whole, letter: string | undefined, name: string | undefined) =>
    letter !== undefined ? (tokenValue(letter, tokens) ?? whole) : (env[name ?? ''] ?? whole),
  );
}

function tokenValue(letter: string, tokens: SshTokens): string | null {
  switch (letter) {
    case '%':
      return '%';
    case 'd':
      return tokens.home;
    case 'h':
      return tokens.host;
    case 'i':
      return tokens.localUid === null ? null : String(tokens.localUid);
    case 'j':
      return tokens.jump;
    case 'k':
      return tokens.keyAlias;
    case 'L':
      return tokens.localHost.split('.')[0] ?? '';
    case 'l':
      return tokens.localHost;
    case 'n':
      return tokens.originalHost;
    case 'p':
      return String(tokens.port);
    case 'r':
      return tokens.remoteUser;
    case 'u':
      return tokens.localUser;
    case 'C':
      return tokens.sha1Hex(tokens.localHost + tokens.host + String(tokens.port) + tokens.remoteUser + tokens.jump);
    default:
      return null;
  }
}
