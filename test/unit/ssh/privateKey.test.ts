import fc from 'fast-check';
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import ssh2 from 'ssh2';
import { describe, expect, test } from 'vitest';
import { readKeyFile } from '../../../src/hosts/ssh/privateKey';

const wire = (text: string | Buffer): Buffer => {
  const bytes = Buffer.from(text);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
};

/** The readable part of an OpenSSH key file, as ssh-keygen writes it. */
function openSshFile(type: string, cipher: string): string {
  const one = Buffer.from([0, 0, 0, 1]);
  const parts = [Buffer.from('openssh-key-v1\0'), wire(cipher), wire('bcrypt'), wire('options'), one, wire(wire(type))];
  const body = Buffer.concat([...parts, wire('secret')]).toString('base64');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${body}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

describe('what a file holds', () => {
  test.each([
    ['a security key', openSshFile('sk-ssh-ed25519@openssh.com', 'none'), 'unsupported'],
    ['a locked security key', openSshFile('sk-ecdsa-sha2-nistp256@openssh.com', 'aes256-ctr'), 'unsupported'],
    ['the public half of a security key', 'sk-ssh-ed25519@openssh.com AAAAGnNr me@laptop', 'unsupported'],
    ['a public half', 'ssh-ed25519 AAAAC3Nz me@laptop', 'public'],
    ['a locked key', openSshFile('ssh-ed25519', 'aes256-ctr'), 'locked'],
    ['a locked key of the old form', '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n', 'locked'],
    ['a locked key of PuTTY', 'PuTTY-User-Key-File-2: ssh-rsa\nEncryption: aes256-cbc\n', 'locked'],
    ['a PGP key', '-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nmQGNBF\n-----END PGP PUBLIC KEY BLOCK-----\n', 'notAKey'],
    ['nothing', '', 'notAKey'],
    ['half a key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA\n-----END', 'notAKey'],
  ])('%s', (_, text, kind) => expect(readKeyFile(text, null).kind).toBe(kind));

  test('a locked key shows its public half without the passphrase', () => {
    const base64 = wire('ssh-ed25519').toString('base64');
    expect(readKeyFile(openSshFile('ssh-ed25519', 'aes256-ctr'), null)).toEqual({
      kind: 'locked',
      public: { type: 'ssh-ed25519', base64 },
    });
  });
});

describe('a key of PKCS #8 becomes one that ssh2 reads and that signs the same', () => {
  const keys = {
    ed25519: generateKeyPairSync('ed25519').privateKey,
    rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey,
    ec: generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey,
  };

  test.each([
    ['ed25519', 'ssh-ed25519', null],
    ['rsa', 'ssh-rsa', null],
    ['ec', 'ecdsa-sha2-nistp256', null],
    ['ed25519', 'ssh-ed25519', 'secret'],
    ['rsa', 'ssh-rsa', 'secret'],
  ] as const)('%s as %s, passphrase %j', (name, type, passphrase) => {
    const form = { type: 'pkcs8', format: 'pem' } as const;
    const lock = passphrase === null ? {} : { cipher: 'aes-256-cbc', passphrase };
    const text = keys[name].export({ ...form, ...lock }).toString();
    if (passphrase !== null) {
      expect(readKeyFile(text, null)).toEqual({ kind: 'locked', public: null });
      expect(readKeyFile(text, 'wrong')).toEqual({ kind: 'wrongPassphrase' });
    }
    const content = readKeyFile(text, passphrase);
    if (content.kind !== 'key') throw new Error(content.kind);
    expect(content.type).toBe(type);
    const parsed = ssh2.utils.parseKey(content.text);
    if ('message' in parsed) throw parsed;
    const data = Buffer.from('data');
    const algorithm = name === 'ed25519' ? null : 'sha256';
    const signature = sign(algorithm, data, createPrivateKey(keys[name].export(form)));
    expect(parsed.verify(data, signature, algorithm ?? undefined)).toBe(true);
  });
});

test('whatever the file holds: never throws', () => {
  const wrapped = fc.base64String().map(text => `-----BEGIN OPENSSH PRIVATE KEY-----\n${text}\n-----END`);
  const magic = fc
    .uint8Array({ maxLength: 80 })
    .map(bytes => Buffer.concat([Buffer.from('openssh-key-v1\0'), bytes]).toString('base64'))
    .map(text => `-----BEGIN OPENSSH PRIVATE KEY-----\n${text}\n-----END OPENSSH PRIVATE KEY-----`);
  fc.assert(fc.property(fc.oneof(fc.string(), wrapped, magic), text => void readKeyFile(text, null)));
});
