import { portOf } from './hostSpec';
import type { SshOptions } from './sshConfig';
import { expandPath, expandTokens, type SshTokens } from './sshTokens';

/** How to reach and greet a host: ssh_config's options as values, all names and tokens expanded. */
export interface SshSettings {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly addressFamily: 4 | 6 | null;
  readonly bindAddress: string | null;
  /** null: not limited by the configuration. */
  readonly connectTimeoutMs: number | null;
  /** null: not asked for by the configuration. */
  readonly serverAlive: { readonly intervalMs: number; readonly countMax: number } | null;
  readonly proxy: Proxy | null;

  readonly hostKeyAlias: string | null;
  readonly strictHostKeyChecking: StrictHostKeyChecking;
  readonly hashKnownHosts: boolean;
  /** The first one takes new keys. Empty: nothing is remembered ("none", /dev/null). */
  readonly userKnownHostsFiles: readonly string[];
  readonly globalKnownHostsFiles: readonly string[];
  /** RevokedHostKeys names a file. */
  readonly revokedHostKeys: boolean;

  readonly identityFiles: readonly string[];
  readonly certificateFiles: readonly string[];
  readonly identitiesOnly: boolean;
  /** A socket or pipe; null: no agent is to be used. */
  readonly identityAgent: string | null;
  /** Methods that may be used, in the order in which they are tried. */
  readonly authMethods: readonly AuthMethod[];
  readonly numberOfPasswordPrompts: number;
  readonly gssapi: boolean;
  readonly pkcs11: boolean;

  readonly hostKeyAlgorithms: readonly string[] | null;
  readonly kexAlgorithms: readonly string[] | null;
  readonly ciphers: readonly string[] | null;
  readonly macs: readonly string[] | null;
}

export type StrictHostKeyChecking = 'yes' | 'no' | 'ask' | 'accept-new';

export type AuthMethod = 'publickey' | 'password' | 'keyboard-interactive';

export type Proxy =
  /** The command line, tokens expanded, to be run by the user's shell as ssh does. */
  | { readonly kind: 'command'; readonly commandLine: string }
  /** Hops as ProxyJump has them: `[user@]host[:port]`, comma separated. */
  | { readonly kind: 'jump'; readonly hops: readonly string[] };

/** What the settings of one host depend on besides the configuration. */
export interface SettingsContext {
  /** What was typed or picked: %n. */
  readonly destination: string;
  readonly home: string;
  readonly localUser: string;
  readonly localUid: number | null;
  readonly localHost: string;
  readonly windows: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly sha1Hex: (text: string) => string;
  readonly fileExists: (path: string) => boolean;
}

/** OpenSSH's own, for a configuration that names none (ssh_config(5), IdentityFile). */
const defaultIdentityFiles = ['id_rsa', 'id_ecdsa', 'id_ecdsa_sk', 'id_ed25519', 'id_ed25519_sk'].map(
  name => `~/.ssh/${name}`,
);

export function settingsFrom(options: SshOptions, context: SettingsContext): SshSettings {
  const one = (keyword: string): string | null => options.get(keyword)?.[0]?.trim() || null;
  const unlessNone = (keyword: string): string | null => {
    const value = one(keyword);
    return value === null || value.toLowerCase() === 'none' ? null : value;
  };
  const flag = (keyword: string, otherwise: boolean): boolean => truth(one(keyword)) ?? otherwise;

  const user = one('user') ?? context.localUser;
  const port = portOf(one('port') ?? '') ?? 22;
  const hostKeyAlias = unlessNone('hostkeyalias');
  const jump = unlessNone('proxyjump');
  const base: SshTokens = {
    home: context.home,
    host: context.destination,
    localUid: context.localUid,
    keyAlias: hostKeyAlias ?? context.destination,
    localHost: context.localHost,
    originalHost: context.destination,
    port,
    remoteUser: user,
    localUser: context.localUser,
    jump: jump ?? '',
    sha1Hex: context.sha1Hex,
  };
  // HostName knows these two only, and an address may have a zone behind a "%".
  const host = (one('hostname') ?? context.destination).replace(/%([%h])/g, (_, letter) =>
    letter === 'h' ? context.destination : '%',
  );
  const tokens: SshTokens = { ...base, host };
  const path = (text: string): string =>
    expandPath(unquoted(text), tokens, context.env).replace(
      /^__PROGRAMDATA__/,
      () => context.env['ProgramData'] ?? 'C:\\ProgramData',
    );
  const paths = (keyword: string): readonly string[] => [
    ...new Set((options.get(keyword) ?? []).filter(isNamed).map(path)),
  ];
  const knownHosts = (keyword: string, otherwise: readonly string[]): readonly string[] =>
    (options.get(keyword) ?? otherwise)
      .flatMap(value => splitPaths(value, text => context.fileExists(path(text))))
      .filter(isNamed)
      .map(path)
      .filter(file => file !== '/dev/null' && file.toUpperCase() !== 'NUL');

  const aliveSeconds = Number(one('serveraliveinterval') ?? 0);
  const timeoutSeconds = Number(one('connecttimeout') ?? Number.NaN);
  const command = unlessNone('proxycommand');
  const family = one('addressfamily');
  return {
    host,
    port,
    user,
    addressFamily: family === 'inet' ? 4 : family === 'inet6' ? 6 : null,
    bindAddress: unlessNone('bindaddress'),
    connectTimeoutMs: timeoutSeconds > 0 ? timeoutSeconds * 1000 : null,
    serverAlive:
      aliveSeconds > 0
        ? { intervalMs: aliveSeconds * 1000, countMax: Number(one('serveralivecountmax') ?? 3) || 3 }
        : null,
    proxy:
      jump !== null
        ? { kind: 'jump', hops: jump.split(',').map(hop => hop.trim()) }
        : command !== null
          ? { kind: 'command', commandLine: expandTokens(command, tokens) }
          : null,

    hostKeyAlias,
    strictHostKeyChecking: strictness(one('stricthostkeychecking')),
    hashKnownHosts: flag('hashknownhosts', false),
    userKnownHostsFiles: knownHosts('userknownhostsfile', ['~/.ssh/known_hosts', '~/.ssh/known_hosts2']),
    globalKnownHostsFiles: knownHosts('globalknownhostsfile', [
      '/etc/ssh/ssh_known_hosts',
      '/etc/ssh/ssh_known_hosts2',
    ]),

    revokedHostKeys: unlessNone('revokedhostkeys') !== null,

    identityFiles: options.has('identityfile')
      ? paths('identityfile')
      : defaultIdentityFiles.map(file => expandPath(file, tokens, context.env)),
    certificateFiles: paths('certificatefile'),
    identitiesOnly: flag('identitiesonly', false),
    identityAgent: agentOf(one('identityagent'), path, context),
    authMethods: methodOrder(one('preferredauthentications')).filter(method => flag(methodSwitch[method], true)),
    numberOfPasswordPrompts: Number(one('numberofpasswordprompts') ?? 3) || 3,
    gssapi: flag('gssapiauthentication', false),
    pkcs11: unlessNone('pkcs11provider') !== null,

    hostKeyAlgorithms: algorithmList(one('hostkeyalgorithms')),
    kexAlgorithms: algorithmList(one('kexalgorithms')),
    ciphers: algorithmList(one('ciphers')),
    macs: algorithmList(one('macs')),
  };
}

const methodSwitch: Readonly<Record<AuthMethod, string>> = {
  publickey: 'pubkeyauthentication',
  password: 'passwordauthentication',
  'keyboard-interactive': 'kbdinteractiveauthentication',
};

const defaultMethods: readonly AuthMethod[] = ['publickey', 'password', 'keyboard-interactive'];

function methodOrder(preferred: string | null): readonly AuthMethod[] {
  if (preferred === null) return defaultMethods;
  return preferred.split(',').flatMap(name => defaultMethods.filter(method => method === name.trim()));
}

/** `-G` prints some switches as "yes" and others as "true" (OpenSSH 9.2: pubkeyauthentication true, batchmode no). */
function truth(value: string | null): boolean | null {
  switch (value?.toLowerCase()) {
    case 'yes':
    case 'true':
    case 'unbound':
    case 'host-bound':
      return true;
    case 'no':
    case 'false':
      return false;
    default:
      return null;
  }
}

/** What is not understood asks the user. */
function strictness(value: string | null): StrictHostKeyChecking {
  switch (value?.toLowerCase()) {
    case 'yes':
    case 'true':
      return 'yes';
    case 'no':
    case 'off':
    case 'false':
      return 'no';
    case 'accept-new':
      return 'accept-new';
    default:
      return 'ask';
  }
}

/** IdentityAgent, else SSH_AUTH_SOCK, else the pipe of the OpenSSH agent for Windows. */
function agentOf(value: string | null, path: (text: string) => string, context: SettingsContext): string | null {
  const fromEnvironment = context.env['SSH_AUTH_SOCK'] || (context.windows ? '\\\\.\\pipe\\openssh-ssh-agent' : null);
  if (value === null || value === 'SSH_AUTH_SOCK') return fromEnvironment;
  if (value.toLowerCase() === 'none') return null;
  const variable = /^\$(\w+)$/.exec(value);
  return variable === null ? path(value) : context.env[variable[1] ?? ''] || null;
}

/** "+", "-" and "^" change a list that only ssh knows: without ssh they count for nothing. */
function algorithmList(value: string | null): readonly string[] | null {
  return value === null || /^[-+^]/.test(value) ? null : value.split(',').map(name => name.trim());
}

/**
 * `-G` joins file names with blanks and quotes nothing. The longest run of words that names a file wins; where none
 * exists, a new name begins at each word that looks like the beginning of a path.
 */
function splitPaths(joined: string, exists: (path: string) => boolean): readonly string[] {
  const words = joined.split(' ').filter(word => word !== '');
  const found: string[] = [];
  let from = 0;
  while (from < words.length) {
    let to = words.length;
    while (to > from && !exists(words.slice(from, to).join(' '))) to--;
    if (to === from) {
      to = from + 1;
      while (to < words.length && !/^([/~%$"]|[A-Za-z]:[\\/]|__PROGRAMDATA__|none$)/.test(words[to] ?? '')) to++;
    }
    found.push(words.slice(from, to).join(' '));
    from = to;
  }
  return found;
}

function unquoted(text: string): string {
  return /^".*"$/.test(text) ? text.slice(1, -1) : text;
}

function isNamed(value: string): boolean {
  return value.trim() !== '' && value.trim().toLowerCase() !== 'none';
}
