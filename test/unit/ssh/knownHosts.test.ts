import fc from 'fast-check';
import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  checkHostKey,
  knownHostsLine,
  knownHostsName,
  knownKeyTypes,
  orderHostKeyAlgorithms,
  type HmacSha1,
} from '../../../src/core/host/knownHosts';
import { matchesPattern } from '../../../src/core/host/sshPattern';

const hmacSha1: HmacSha1 = (salt, text) =>
  createHmac('sha1', Buffer.from(salt, 'base64')).update(text).digest('base64');

const key = { type: 'ssh-ed25519', base64: 'QUFBQQ==' };
const other = 'QkJCQg==';
const file = (text: string, path = '/home/me/.ssh/known_hosts') => ({ path, text });
const check = (text: string, name = 'box', presented = key) => checkHostKey([file(text)], name, presented, hmacSha1);

describe('one line', () => {
  test.each([
    ['box ssh-ed25519 QUFBQQ==', 'known'],
    ['BOX ssh-ed25519 QUFBQQ==', 'known'],
    ['box ssh-ed25519 QUFBQQ== a comment', 'known'],
    ['\tbox\tssh-ed25519\tQUFBQQ==\r', 'known'],
    ['other,box ssh-ed25519 QUFBQQ==', 'known'],
    ['b?x ssh-ed25519 QUFBQQ==', 'known'],
    ['*,!box ssh-ed25519 QUFBQQ==', 'unknown'],
    ['*,!bo? ssh-ed25519 QUFBQQ==', 'unknown'],
    ['!other,* ssh-ed25519 QUFBQQ==', 'known'],
    ['!other ssh-ed25519 QUFBQQ==', 'unknown'],
    [`box ssh-ed25519 ${other}`, 'changed'],
    // As ssh has it: who shows a type that is not on record must not pass for a new host.
    [`box ssh-rsa ${other}`, 'changed'],
    ['box 1024 35 12345678', 'unknown'],
    ['boxer ssh-ed25519 QUFBQQ==', 'unknown'],
    ['[box]:22 ssh-ed25519 QUFBQQ==', 'unknown'],
    ['#box ssh-ed25519 QUFBQQ==', 'unknown'],
    ['box ssh-ed25519', 'unknown'],
    ['box', 'unknown'],
    ['', 'unknown'],
    ['@revoked box ssh-ed25519 QUFBQQ==', 'revoked'],
    [`@revoked box ssh-ed25519 ${other}`, 'unknown'],
    ['@revoked other ssh-ed25519 QUFBQQ==', 'unknown'],
    [`@cert-authority *.x,box ssh-ed25519 ${other}`, 'certOnly'],
    ['@cert-authority box ssh-ed25519 QUFBQQ==', 'certOnly'],
    ['@marker box ssh-ed25519 QUFBQQ==', 'unknown'],
    [knownHostsLine('box', key, { saltBase64: 'c2FsdA==', hmacSha1 }), 'known'],
    [knownHostsLine('box', { ...key, base64: other }, { saltBase64: 'c2FsdA==', hmacSha1 }), 'changed'],
    ['|1|c2FsdA==|AAAA ssh-ed25519 QUFBQQ==', 'unknown'],
    ['|2|c2FsdA==|AAAA ssh-ed25519 QUFBQQ==', 'unknown'],
    ['|1 ssh-ed25519 QUFBQQ==', 'unknown'],
  ])('%j: %s', (line, kind) => expect(check(line).kind).toBe(kind));
});

describe('several lines and files', () => {
  test('the right key anywhere is enough', () => {
    expect(check(`box ssh-ed25519 ${other}\nbox ssh-ed25519 QUFBQQ==\n`)).toEqual({ kind: 'known' });
  });

  test('a revoked key is refused though it is known as well, in whatever file', () => {
    const files = [file('box ssh-ed25519 QUFBQQ==\n'), file('# all\n@revoked * ssh-ed25519 QUFBQQ==\n', '/etc/kh')];
    expect(checkHostKey(files, 'box', key, hmacSha1)).toEqual({ kind: 'revoked', file: '/etc/kh', line: 2 });
  });

  test('a changed key names the first line that has another one', () => {
    const text = `\n# a comment\nbox ssh-ed25519 ${other}\nbox ssh-ed25519 Q0NDQw==`;
    expect(check(text)).toEqual({ kind: 'changed', file: '/home/me/.ssh/known_hosts', line: 3 });
  });

  test('the port is part of the name', () => {
    expect(check('[box]:2222 ssh-ed25519 QUFBQQ==', knownHostsName('Box', 2222, null)).kind).toBe('known');
    expect(check(`box ssh-ed25519 ${other}`, knownHostsName('box', 2222, null)).kind).toBe('unknown');
    expect(knownHostsName('::1', 22, null)).toBe('::1');
    expect(knownHostsName('box', 2222, 'Pod')).toBe('pod');
  });

  test('types of plain keys, each once, markers apart', () => {
    const text = `box ssh-rsa A\nbox ssh-rsa B\n@revoked box ssh-dss C\n@cert-authority box x D\nbox ecdsa-sha2-nistp256 E\n`;
    expect(knownKeyTypes([file(text)], 'box', hmacSha1)).toEqual(['ssh-rsa', 'ecdsa-sha2-nistp256']);
  });
});

test('known types are offered first; an RSA key has three algorithms', () => {
  const supported = ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256', 'ssh-rsa'];
  expect(orderHostKeyAlgorithms(supported, ['ssh-rsa'])).toEqual([
    'rsa-sha2-512',
    'rsa-sha2-256',
    'ssh-rsa',
    'ssh-ed25519',
    'ecdsa-sha2-nistp256',
  ]);
  expect(orderHostKeyAlgorithms(supported, [])).toEqual(supported);
});

test('a line that was written is found again, hashed or not, and only by its own name', () => {
  const name = fc.stringMatching(/^[a-z0-9.[\]:-]{1,30}$/);
  const salt = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(bytes => Buffer.from(bytes).toString('base64'));
  fc.assert(
    fc.property(name, name, fc.option(salt), (written, looked, saltBase64) => {
      const line = knownHostsLine(written, key, saltBase64 === null ? null : { saltBase64, hmacSha1 });
      expect(check(line, looked).kind).toBe(written === looked ? 'known' : 'unknown');
    }),
  );
});

test('patterns match as regular expressions would, and a hostile one takes no time', () => {
  const text = fc.stringMatching(/^[ab.[]{0,12}$/);
  const pattern = fc.stringMatching(/^[ab.[*?]{0,8}$/);
  fc.assert(
    fc.property(pattern, text, (glob, subject) => {
      const source = glob.replace(/[.[]/g, '\\$&').replaceAll('*', '.*').replaceAll('?', '.');
      expect(matchesPattern(glob, subject)).toBe(new RegExp(`^${source}$`, 's').test(subject));
    }),
  );
  expect(matchesPattern(`${'*a'.repeat(2_000)}b`, 'a'.repeat(10_000))).toBe(false);
});

test('whatever the file says: never throws', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), text => void check(text)));
});
