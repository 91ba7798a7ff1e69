import { createHmac } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { glob } from 'tinyglobby';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runOrThrow } from '../../support/processes';
import { startSshd, type Sshd } from '../../support/sshd';
import { startFakeServer } from '../../support/sshServer';
import { ensureTestUser } from '../../support/users';
import { answering, createRig, exited, makeKey, type Rig, type RigOptions } from './rig';

let sshd: Sshd;
let keys: string;
const rigs: Rig[] = [];

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'hr-keys-'));
  await ensureTestUser('hr-dash');
  const key = await makeKey(join(keys, 'id'));
  sshd = await startSshd({ hostKeyTypes: ['ed25519', 'ecdsa', 'rsa'], authorizedKeys: { 'hr-dash': [key] } });
});

afterEach(() => rigs.splice(0).forEach(rig => rig.dispose()));

afterAll(async () => {
  await sshd.dispose();
  rmSync(keys, { recursive: true, force: true });
});

async function rigWith(options: Partial<RigOptions> = {}): Promise<Rig> {
  const config = [...(options.config ?? []), `IdentityFile ${join(keys, 'id')}`];
  const rig = await createRig({ port: sshd.port, user: 'hr-dash', ...options, config });
  rigs.push(rig);
  return rig;
}

const name = () => `[127.0.0.1]:${sshd.port}`;

/** A key of the given type that is not the server's. */
const otherKey = async (type: string) => await makeKey(mkdtempSync(join(keys, 'other-')) + '/key', { type });

test('asks once about an unknown key, shows its fingerprint, and appends one line that ssh understands', async () => {
  const rig = await rigWith();
  const user = answering({ accept: true });
  await rig.connected(user);
  const printed = await runOrThrow('ssh-keygen', ['-l', '-f', join(sshd.folder, 'host_ed25519.pub')]);
  expect(user.keys).toEqual([
    {
      host: 'box',
      address: `127.0.0.1 port ${sshd.port}`,
      keyType: 'ssh-ed25519',
      fingerprint: printed.split(' ')[1],
      file: rig.knownHostsFile,
    },
  ]);
  expect(rig.knownHosts()).toBe(`${name()} ${sshd.hostKey('ed25519')}\n`);
  expect(statSync(rig.knownHostsFile).mode & 0o777).toBe(0o600);
  expect(statSync(dirname(rig.knownHostsFile)).mode & 0o777).toBe(0o700);
  expect(await runOrThrow('ssh', ['-F', join(rig.folder, 'config'), '-o', 'BatchMode=yes', 'box', 'echo ok'])).toBe(
    'ok\n',
  );

  await rig.connected(null);
  expect(rig.knownHosts().split('\n')).toHaveLength(2);
});

test('keeps what is there, also where the last line has no end, and hashes the name when told to', async () => {
  const first = 'elsewhere ssh-ed25519 AAAA';
  const rig = await rigWith({ knownHosts: first, config: ['HashKnownHosts yes'] });
  await rig.connected(answering({ accept: true }));
  const [kept, added, ...rest] = rig.knownHosts().split('\n');
  expect(kept).toBe(first);
  expect(rest).toEqual(['']);
  const [, , salt = '', hash] = added?.split(' ')[0]?.split('|') ?? [];
  expect(createHmac('sha1', Buffer.from(salt, 'base64')).update(name()).digest('base64')).toBe(hash);
  // Hashed names are found again, by us and by ssh.
  await rig.connected(null);
  expect(await runOrThrow('ssh-keygen', ['-F', name(), '-f', rig.knownHostsFile])).toContain('found');
});

test('two windows that accept the same key leave whole lines', async () => {
  const rig = await rigWith();
  await Promise.all([rig.connected(answering({ accept: true })), rig.connected(answering({ accept: true }))]);
  const lines = rig
    .knownHosts()
    .split('\n')
    .filter(line => line !== '');
  expect(new Set(lines)).toEqual(new Set([`${name()} ${sshd.hostKey('ed25519')}`]));
});

test('nobody to ask, a declined key and StrictHostKeyChecking yes: no sign-in and nothing written', async () => {
  const rig = await rigWith();
  expect(await rig.refused(null)).toMatchObject({ kind: 'hostKeyUnknown', retry: 'user' });
  expect(await rig.refused(answering({ accept: false }))).toMatchObject({ kind: 'cancelled', retry: 'user' });
  const strict = await rigWith({ config: ['StrictHostKeyChecking yes'] });
  const user = answering({ accept: true });
  expect(await strict.refused(user)).toMatchObject({ kind: 'hostKeyUnknown' });
  expect(user.keys).toEqual([]);
  expect(existsSync(rig.knownHostsFile) || existsSync(strict.knownHostsFile)).toBe(false);
});

test.each(['accept-new', 'no'])('StrictHostKeyChecking %s adds an unknown key without a question', async mode => {
  const rig = await rigWith({ config: [`StrictHostKeyChecking ${mode}`] });
  await rig.connected(null);
  expect(rig.knownHosts()).toContain(sshd.hostKey('ed25519'));
});

test.each(['yes', 'ask', 'accept-new', 'no'])('a changed key is refused with StrictHostKeyChecking %s', async mode => {
  const known = `# a comment\n${name()} ${await otherKey('ed25519')}\n`;
  const rig = await rigWith({ knownHosts: known, config: [`StrictHostKeyChecking ${mode}`] });
  const user = answering({ accept: true });
  const failure = await rig.refused(user);
  expect(failure).toMatchObject({ kind: 'hostKeyChanged', retry: 'user' });
  expect(failure.message).toContain(`${rig.knownHostsFile}:2`);
  expect(failure.advice).toContain(`ssh-keygen -R '${name()}'`);
  expect(user.keys).toEqual([]);
  expect(rig.knownHosts()).toBe(known);
});

test('a revoked key is refused even when it is known too', async () => {
  const line = `${name()} ${sshd.hostKey('ed25519')}`;
  const config = ['StrictHostKeyChecking no'];
  const rig = await rigWith({ knownHosts: `${line}\n@revoked * ${sshd.hostKey('ed25519')}\n`, config });
  const failure = await rig.refused(answering({ accept: true }));
  expect(failure).toMatchObject({ kind: 'hostKeyRevoked', retry: 'user' });
  expect(failure.message).toContain(`${rig.knownHostsFile}:2`);
});

test('a server that has none of the types on record is no new host, whatever may be accepted unasked', async () => {
  const other = await startFakeServer();
  try {
    for (const mode of ['ask', 'accept-new', 'no']) {
      const knownHosts = `[127.0.0.1]:${other.port} ${sshd.hostKey('ecdsa')}\n`;
      const rig = await rigWith({ port: other.port, knownHosts, config: [`StrictHostKeyChecking ${mode}`] });
      const user = answering({ accept: true });
      expect((await rig.refused(user)).kind).toBe('hostKeyChanged');
      expect(user.keys).toEqual([]);
      expect(rig.knownHosts()).toBe(knownHosts);
    }
  } finally {
    await other.stop();
  }
});

test('a key that another window records while ours is asked about settles it', async () => {
  const rig = await rigWith();
  const theirs = `${name()} ${await otherKey('ed25519')}\n`;
  const user = answering({ accept: true });
  const slow = {
    ...user,
    acceptHostKey: (): Promise<boolean> => {
      mkdirSync(dirname(rig.knownHostsFile), { recursive: true });
      writeFileSync(rig.knownHostsFile, theirs);
      return Promise.resolve(true);
    },
  };
  expect((await rig.refused(slow)).kind).toBe('hostKeyChanged');
  expect(rig.knownHosts()).toBe(theirs);
});

test.each(['ecdsa', 'rsa'] as const)('a host known by its %s key alone shows that one', async type => {
  const rig = await rigWith({ knownHosts: `${name()} ${sshd.hostKey(type)}\n` });
  await rig.connected(null);
});

test('known_hosts that cannot be read closes the door', async () => {
  const rig = await rigWith({ config: ['StrictHostKeyChecking no'], knownHosts: '' });
  // A folder in place of the file cannot be read by anybody, root included.
  rmSync(rig.knownHostsFile);
  mkdirSync(rig.knownHostsFile);
  expect(await rig.refused(null)).toMatchObject({ kind: 'hostKeyUnreadable', retry: 'user' });
});

test('a key that may not be remembered holds for this window', async () => {
  const rig = await rigWith({ config: ['UserKnownHostsFile none'] });
  const user = answering({ accept: true });
  await rig.connected(user);
  expect(user.keys[0]?.file).toBeNull();
  await rig.connected(null);
  expect(existsSync(rig.knownHostsFile)).toBe(false);
});

test('a key under HostKeyAlias is looked up by that name', async () => {
  const rig = await rigWith({ knownHosts: `Pod ${sshd.hostKey('ed25519')}\n`, config: ['HostKeyAlias pod'] });
  exited(await (await rig.connected(null)).run('true', { deadlineMs: 5_000 }));
});

test('nothing of the sign-in reaches a server whose key was not accepted', async () => {
  const server = await startFakeServer();
  try {
    const host = { port: server.port, config: ['PreferredAuthentications password'] };
    const rig = await rigWith(host);
    await rig.refused(answering({ accept: false, secrets: ['secret'] }));
    expect(server.connections).toBe(1);
    expect(server.attempts).toEqual([]);
    const changed = await rigWith({ ...host, knownHosts: `[127.0.0.1]:${server.port} ${await otherKey('ed25519')}\n` });
    await changed.refused(answering({ accept: true, secrets: ['secret'] }));
    expect(server.attempts).toEqual([]);
  } finally {
    await server.stop();
  }
});

test('the handshake clock stands still while the question is open', async () => {
  const rig = await rigWith({ config: ['ConnectTimeout 1'] });
  const user = answering({ accept: true });
  const slow = {
    ...user,
    acceptHostKey: async () => {
      await new Promise(resolve => setTimeout(resolve, 1_500));
      return true;
    },
  };
  await rig.connected(slow);
  expect(rig.steps).toEqual(['resolving', 'connecting', 'verifying', 'authenticating']);
});

test('an ssh2 client that is started elsewhere would accept every key: there is one place only', async () => {
  const files = await glob('src/**/*.ts');
  const starting = files.filter(file => /client\.connect\(|new (ssh2\.)?Client\(/i.test(readFileSync(file, 'utf8')));
  expect(starting).toEqual(['src/hosts/ssh/link.ts']);
  expect(readFileSync('src/hosts/ssh/link.ts', 'utf8').match(/client\.connect\(/g)).toHaveLength(1);
});
