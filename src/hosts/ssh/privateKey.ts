import { createPrivateKey, type KeyObject } from 'node:crypto';
import ssh2 from 'ssh2';

/** What a file that IdentityFile names turned out to hold. */
export type KeyFileContent =
  /** A key that can sign; `text` is in a form that ssh2 reads, without encryption. */
  | { readonly kind: 'key'; readonly text: string; readonly type: string; readonly publicBase64: string }
  /** A passphrase is needed. The public half is readable in OpenSSH's own format only. */
  | { readonly kind: 'locked'; readonly public: PublicHalf | null }
  /** Only the public half: it chooses a key of the agent. */
  | { readonly kind: 'public'; readonly public: PublicHalf }
  | { readonly kind: 'wrongPassphrase' }
  /** A key that this adapter cannot use; `what` in words ("security key"). */
  | { readonly kind: 'unsupported'; readonly what: string }
  | { readonly kind: 'notAKey' };

export interface PublicHalf {
  readonly type: string;
  readonly base64: string;
}

/** Reads a key file. With a passphrase this takes about 400 ms of pure computing (bcrypt): call it in a worker then. */
export function readKeyFile(text: string, passphrase: string | null): KeyFileContent {
  const openSsh = openSshHeader(text);
  if (openSsh?.public.type.startsWith('sk-')) return { kind: 'unsupported', what: 'security keys (FIDO)' };
  const publicLine = /^(\S+) (AAAA[A-Za-z0-9+/=]+)/.exec(text.trim());
  if (publicLine !== null) return readPublicLine(publicLine[1] ?? '', publicLine[2] ?? '');
  const locked = openSsh?.encrypted ?? /ENCRYPTED|^Encryption: (?!none)/m.test(text);
  if (locked && passphrase === null) return { kind: 'locked', public: openSsh?.public ?? null };

  if (/-----BEGIN (ENCRYPTED )?PRIVATE KEY-----/.test(text)) return readPkcs8(text, passphrase, locked);
  const key = ssh2.utils.parseKey(text, passphrase ?? undefined);
  if ('message' in key) return locked ? { kind: 'wrongPassphrase' } : { kind: 'notAKey' };
  if (!key.isPrivateKey()) return { kind: 'notAKey' };
  if (!locked) return usable(text);
  const plain = key.type === 'ssh-dss' ? null : plainText(createPrivateKey(key.getPrivatePEM()));
  return plain === null ? { kind: 'unsupported', what: `keys of type ${key.type}` } : usable(plain);
}

function readPublicLine(type: string, base64: string): KeyFileContent {
  return type.startsWith('sk-')
    ? { kind: 'unsupported', what: 'security keys (FIDO)' }
    : { kind: 'public', public: { type, base64 } };
}

/** ssh2 reads no PKCS #8; Node does. */
function readPkcs8(text: string, passphrase: string | null, locked: boolean): KeyFileContent {
  try {
    const plain = plainText(createPrivateKey({ key: text, ...(passphrase === null ? {} : { passphrase }) }));
    return plain === null ? { kind: 'unsupported', what: 'this kind of key' } : usable(plain);
  } catch {
    return locked ? { kind: 'wrongPassphrase' } : { kind: 'notAKey' };
  }
}

function usable(text: string): KeyFileContent {
  const parsed = ssh2.utils.parseKey(text);
  if ('message' in parsed) return { kind: 'notAKey' };
  return { kind: 'key', text, type: parsed.type, publicBase64: parsed.getPublicSSH().toString('base64') };
}

/** The key in a form that ssh2 reads; null for a type that it does not know. */
function plainText(key: KeyObject): string | null {
  if (key.asymmetricKeyType === 'rsa') return key.export({ type: 'pkcs1', format: 'pem' }).toString();
  if (key.asymmetricKeyType === 'ec') return key.export({ type: 'sec1', format: 'pem' }).toString();
  return key.asymmetricKeyType === 'ed25519' ? openSshEd25519(key) : null;
}

const openSshMagic = 'openssh-key-v1\0';

/** The file format of OpenSSH's PROTOCOL.key, without encryption: the only one in which ssh2 reads Ed25519. */
function openSshEd25519(key: KeyObject): string {
  const jwk = key.export({ format: 'jwk' });
  const seed = Buffer.from(jwk.d ?? '', 'base64url');
  const point = Buffer.from(jwk.x ?? '', 'base64url');
  const type = wire('ssh-ed25519');
  const check = Buffer.alloc(8);
  const secret = Buffer.concat([check, type, wire(point), wire(Buffer.concat([seed, point])), wire('')]);
  const padding = Buffer.from(Array.from({ length: (8 - (secret.length % 8)) % 8 }, (_, index) => index + 1));
  const body = Buffer.concat([
    Buffer.from(openSshMagic),
    wire('none'),
    wire('none'),
    wire(''),
    uint32(1),
    wire(Buffer.concat([type, wire(point)])),
    wire(Buffer.concat([secret, padding])),
  ]);
  const lines = body.toString('base64').match(/.{1,70}/g) ?? [];
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${lines.join('\n')}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

/** The readable beginning of an OpenSSH key file: whether the rest is encrypted, and the public half. */
function openSshHeader(text: string): { readonly encrypted: boolean; readonly public: PublicHalf } | null {
  const body = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/.exec(text)?.[1];
  if (body === undefined) return null;
  const bytes = Buffer.from(body, 'base64');
  if (bytes.subarray(0, openSshMagic.length).toString() !== openSshMagic) return null;
  const cipher = readWire(bytes, openSshMagic.length);
  const kdf = readWire(bytes, cipher.next);
  const options = readWire(bytes, kdf.next);
  const blob = readWire(bytes, options.next + 4).value;
  const type = blobType(blob);
  if (type === '') return null;
  return {
    encrypted: cipher.value.toString('latin1') !== 'none',
    public: { type, base64: blob.toString('base64') },
  };
}

/** The type that a public key's blob names itself; empty when it is no blob. */
export function blobType(blob: Buffer): string {
  return readWire(blob, 0).value.toString('latin1');
}

function readWire(bytes: Buffer, at: number): { readonly value: Buffer; readonly next: number } {
  if (at + 4 > bytes.length) return { value: Buffer.alloc(0), next: bytes.length };
  const next = at + 4 + bytes.readUInt32BE(at);
  return { value: bytes.subarray(at + 4, next), next };
}

function wire(value: string | Buffer): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint32(bytes.length), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
