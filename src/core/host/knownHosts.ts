import { matchesPatternList } from './sshPattern';

/**
 * known_hosts as sshd(8), "SSH_KNOWN_HOSTS FILE FORMAT", describes it. Keys are compared as the base64 text of the raw
 * blob; nothing here reads or writes a file.
 */

export interface KnownHostsFile {
  readonly path: string;
  readonly text: string;
}

/** HMAC-SHA1 of `text` under the key `saltBase64`, as base64. */
export type HmacSha1 = (saltBase64: string, text: string) => string;

export interface PresentedKey {
  /** The type inside the blob: "ssh-rsa" also when the signature is rsa-sha2-512. */
  readonly type: string;
  readonly base64: string;
}

export type HostKeyVerdict =
  | { readonly kind: 'known' }
  /** Nothing on record for this name. */
  | { readonly kind: 'unknown' }
  /** Nothing on record but a certificate authority, which says nothing about a plain key. */
  | { readonly kind: 'certOnly'; readonly file: string; readonly line: number }
  | { readonly kind: 'changed'; readonly file: string; readonly line: number }
  | { readonly kind: 'revoked'; readonly file: string; readonly line: number };

interface Entry {
  readonly file: string;
  /** Counted from 1. */
  readonly line: number;
  readonly marker: '@revoked' | '@cert-authority' | null;
  readonly keyType: string;
  readonly keyBase64: string;
}

/**
 * The name under which a host's key is on record: HostKeyAlias as it is; else the host name, and the port where it is not
 * 22. Lower-cased, as ssh does.
 */
export function knownHostsName(host: string, port: number, hostKeyAlias: string | null): string {
  if (hostKeyAlias !== null) return hostKeyAlias.toLowerCase();
  return port === 22 ? host.toLowerCase() : `[${host.toLowerCase()}]:${port}`;
}

/** Whether `key` is the key of `name`. A revoked key is refused whatever else is on record. */
export function checkHostKey(
  files: readonly KnownHostsFile[],
  name: string,
  key: PresentedKey,
  hmacSha1: HmacSha1,
): HostKeyVerdict {
  const entries = entriesFor(files, name, hmacSha1);
  const where = ({ file, line }: Entry) => ({ file, line });
  const same = (entry: Entry) => unpadded(entry.keyBase64) === unpadded(key.base64);

  const revoked = entries.find(entry => entry.marker === '@revoked' && same(entry));
  if (revoked !== undefined) return { kind: 'revoked', ...where(revoked) };
  const keys = entries.filter(entry => entry.marker === null);
  if (keys.some(same)) return { kind: 'known' };
  // Of another type too, as ssh has it: known types are offered first, so who has one of them shows it. A stranger who
  // shows a type that is not on record must not pass for a new host.
  const other = keys[0];
  if (other !== undefined) return { kind: 'changed', ...where(other) };
  const authority = entries.find(entry => entry.marker === '@cert-authority');
  return authority === undefined ? { kind: 'unknown' } : { kind: 'certOnly', ...where(authority) };
}

/** The types of the plain keys on record for `name`, each once, in the order of the files. */
export function knownKeyTypes(files: readonly KnownHostsFile[], name: string, hmacSha1: HmacSha1): readonly string[] {
  const plain = entriesFor(files, name, hmacSha1).filter(entry => entry.marker === null);
  return [...new Set(plain.map(entry => entry.keyType))];
}

/**
 * The order in which to offer host key algorithms: those whose type of key is on record first, so that a server with
 * several keys shows one that can be checked. An RSA key serves three signature algorithms.
 */
export function orderHostKeyAlgorithms(supported: readonly string[], knownTypes: readonly string[]): readonly string[] {
  const known = (algorithm: string) => knownTypes.includes(keyTypeOf(algorithm));
  return [...supported.filter(known), ...supported.filter(algorithm => !known(algorithm))];
}

/** The type of key behind a signature algorithm (RFC 8332 gave RSA keys two new algorithms and no new type). */
function keyTypeOf(algorithm: string): string {
  return algorithm === 'rsa-sha2-512' || algorithm === 'rsa-sha2-256' ? 'ssh-rsa' : algorithm;
}

/** One line for known_hosts, with its line feed. `hash` makes the name unreadable, as HashKnownHosts wants it. */
export function knownHostsLine(
  name: string,
  key: PresentedKey,
  hash: { readonly saltBase64: string; readonly hmacSha1: HmacSha1 } | null,
): string {
  const shown = hash === null ? name : `|1|${hash.saltBase64}|${hash.hmacSha1(hash.saltBase64, name)}`;
  return `${shown} ${key.type} ${key.base64}\n`;
}

function entriesFor(files: readonly KnownHostsFile[], name: string, hmacSha1: HmacSha1): readonly Entry[] {
  return files.flatMap(file =>
    file.text.split('\n').flatMap((text, index) => {
      const fields = text.trim().split(/[ \t]+/);
      const marker = markerOf(fields[0]);
      if (marker === undefined) return [];
      const [names, keyType, keyBase64] = marker === null ? fields : fields.slice(1);
      if (names === undefined || keyType === undefined || keyBase64 === undefined) return [];
      // The keys of SSH 1 are numbers, and nobody's any more.
      if (names.startsWith('#') || /^\d/.test(keyType) || !matchesNames(names, name, hmacSha1)) return [];
      return [{ file: file.path, line: index + 1, marker, keyType, keyBase64 }];
    }),
  );
}

/** undefined for a marker that is not known: such a line says nothing. */
function markerOf(field: string | undefined): Entry['marker'] | undefined {
  if (field === '@revoked' || field === '@cert-authority') return field;
  return field?.startsWith('@') ? undefined : null;
}

function matchesNames(names: string, name: string, hmacSha1: HmacSha1): boolean {
  if (names.startsWith('|')) {
    const [, version, salt, hash] = names.split('|');
    if (version !== '1' || salt === undefined || hash === undefined) return false;
    return unpadded(hmacSha1(salt, name)) === unpadded(hash);
  }
  return matchesPatternList(names.toLowerCase().split(','), name);
}

function unpadded(base64: string): string {
  return base64.replace(/=+$/, '');
}
