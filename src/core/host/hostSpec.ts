import { badHostName, type Failure } from '../errors';

/** How the user names a host, before anything is resolved. */
export interface HostSpec {
  /** Key of the host everywhere (model, storage, tree ids): exactly what the user named, normalised. */
  readonly id: HostId;
  /** What `ssh` would be given: an alias of the configuration, or a host name. Never begins with "-". */
  readonly destination: string;
  readonly user: string | null;
  readonly port: number | null;
}

export type HostId = string;

export type ParsedHost =
  { readonly kind: 'host'; readonly spec: HostSpec } | { readonly kind: 'bad'; readonly failure: Failure };

/**
 * Reads what somebody typed: `alias`, `user@host`, `user@host:port`, `ssh://user@host:port`, `[v6]:port`. The user ends at
 * the last "@", as for ssh. A bare IPv6 address has no port.
 */
export function parseHostSpec(typed: string): ParsedHost {
  const text = typed.trim();
  const bad = (reason: string): ParsedHost => ({ kind: 'bad', failure: badHostName(shortened(text), reason) });
  if (text === '') return bad('it is empty');
  // Blanks would break the lines ssh reads and writes; control and invisible characters would hide what is connected to.
  if (/[\s\p{C}]/u.test(text)) return bad('it has a blank or a control character in it');

  const isUri = /^ssh:\/\//i.test(text);
  const bare = isUri ? text.slice('ssh://'.length).replace(/\/$/, '') : text;
  if (isUri && bare.includes('/')) return bad('a path has no meaning here');
  const at = bare.lastIndexOf('@');
  const user = at < 0 ? null : bare.slice(0, at);
  const place = splitPort(bare.slice(at + 1));
  if (place === null) return bad('the brackets do not close, or text follows them');

  if (user === '') return bad('the user is missing before “@”');
  if (place.destination === '') return bad('the host name is missing');
  // ssh would read it as an option.
  if (place.destination.startsWith('-') || user?.startsWith('-')) return bad('a name cannot begin with “-”');
  // OpenSSH refuses these too (valid_hostname, valid_ruser in ssh.c): proxy commands pass them to a shell.
  if (/['"`$\\;&<>|(){}]/.test(place.destination) || /['"`;&<>|(){}]|\\$/.test(user ?? ''))
    return bad('it has a character that shells give a meaning');
  const port = place.port === null ? null : portOf(place.port);
  if (port === undefined) return bad('the port is not between 1 and 65535');
  return { kind: 'host', spec: hostSpec(place.destination, user, port) };
}

/** Builds a spec of parts that are known to be good: an alias that was listed, a window's own host. */
export function hostSpec(destination: string, user: string | null = null, port: number | null = null): HostSpec {
  const name = port !== null && destination.includes(':') ? `[${destination}]` : destination;
  const id = `${user === null ? '' : `${user}@`}${name}${port === null ? '' : `:${port}`}`;
  return { id, destination, user, port };
}

/** A port from 1 to 65535 in decimal digits, else undefined. */
export function portOf(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  return port >= 1 && port <= 65535 ? port : undefined;
}

function splitPort(text: string): { readonly destination: string; readonly port: string | null } | null {
  if (text.startsWith('[')) {
    const match = /^\[([^[\]]*)\](?::(.*))?$/.exec(text);
    return match === null ? null : { destination: match[1] ?? '', port: match[2] ?? null };
  }
  const colon = text.indexOf(':');
  const bareV6 = colon >= 0 && text.includes(':', colon + 1);
  if (colon < 0 || bareV6) return { destination: text, port: null };
  return { destination: text.slice(0, colon), port: text.slice(colon + 1) };
}

function shortened(text: string): string {
  const visible = text.replace(/\p{C}/gu, '�');
  return visible.length > 60 ? `${visible.slice(0, 60)}…` : visible;
}
