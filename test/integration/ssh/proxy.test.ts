import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { treeOf, until } from '../../support/processes';
import { startSshd, type Sshd } from '../../support/sshd';
import { ensureTestUser } from '../../support/users';
import { createRig, exited, makeKey, type Rig } from './rig';

let inner: Sshd;
let jump: Sshd;
let keys: string;
const rigs: Rig[] = [];

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'hr-keys-'));
  await ensureTestUser('hr-dash');
  await ensureTestUser('hr-bob');
  const key = await makeKey(join(keys, 'id'));
  inner = await startSshd({ authorizedKeys: { 'hr-dash': [key] } });
  jump = await startSshd({ authorizedKeys: { 'hr-bob': [key] } });
  writeFileSync(join(keys, 'nc.mjs'), relay);
});

afterEach(() => rigs.splice(0).forEach(rig => rig.dispose()));

afterAll(async () => {
  await inner.dispose();
  await jump.dispose();
  rmSync(keys, { recursive: true, force: true });
});

/** Netcat in a few lines: stdin and stdout to a TCP connection. */
const relay = `import { connect } from 'node:net';
const socket = connect(Number(process.argv[3]), process.argv[2]);
process.stdin.pipe(socket).pipe(process.stdout);
process.stderr.write('relaying to ' + process.argv[2] + '\\n');
`;

const identity = () => `IdentityFile ${join(keys, 'id')}`;
const children = () => treeOf(process.pid).length;

async function rigWith(config: readonly string[], knownHosts = `${known(inner)}${known(jump)}`): Promise<Rig> {
  const all = [identity(), ...config];
  const rig = await createRig({ port: inner.port, user: 'hr-dash', config: all, knownHosts });
  rigs.push(rig);
  return rig;
}

function known(server: Sshd): string {
  return `[127.0.0.1]:${server.port} ${server.hostKey('ed25519')}\n`;
}

test('a proxy that talks without end does not fill the log', async () => {
  const rig = await rigWith(['ProxyCommand yes "so many words" | head -c 1000000 >&2']);
  expect(await rig.refused()).toMatchObject({ retry: 'auto' });
  expect(rig.log.filter(line => line.includes('so many words')).length).toBe(50);
});

test('ProxyCommand: the user’s own line, tokens expanded; its words are logged; it ends with the connection', async () => {
  const rig = await rigWith([`ProxyCommand ${process.execPath} ${join(keys, 'nc.mjs')} %h %p`]);
  const before = children();
  const connection = await rig.connected();
  expect(exited(await connection.run('id -un', { deadlineMs: 5_000 })).stdout).toBe('hr-dash\n');
  expect(rig.log.join('\n')).toContain('proxy: relaying to 127.0.0.1');
  connection.dispose();
  await until('the program is gone', () => children() === before);
});

test('ProxyCommand that fails: its last words are the reason', async () => {
  const rig = await rigWith(['ProxyCommand echo no route for %n >&2; exit 3']);
  const failure = await rig.refused();
  expect(failure).toMatchObject({ kind: 'proxy', retry: 'auto' });
  expect(failure.message).toContain('no route for box');
});

test('ProxyCommand that does not exist is for the user to mend', async () => {
  const rig = await rigWith(['ProxyCommand /no/such/program %h']);
  expect(await rig.refused()).toMatchObject({ kind: 'proxy', retry: 'user' });
});

test('ProxyJump: through ssh, with the target’s key checked here', async () => {
  const config = ['ProxyJump hop', 'Host hop', 'HostName 127.0.0.1', `Port ${jump.port}`, 'User hr-bob', identity()];
  const rig = await rigWith(config);
  const before = children();
  const connection = await rig.connected();
  expect(exited(await connection.run('id -un', { deadlineMs: 5_000 })).stdout).toBe('hr-dash\n');
  connection.dispose();
  await until('ssh is gone', () => children() === before);

  const stranger = await rigWith(config, known(jump));
  expect(await stranger.refused()).toMatchObject({ kind: 'hostKeyUnknown' });
});

test('ProxyJump over a host that ssh does not know asks nothing and fails for the user', async () => {
  const rig = await rigWith([`ProxyJump hr-bob@127.0.0.1:${jump.port}`], known(inner));
  const failure = await rig.refused();
  expect(failure).toMatchObject({ kind: 'proxy', retry: 'user' });
  expect(failure.message).toContain('Host key verification failed');
});

test('ProxyJump without an ssh program says what is missing', async () => {
  const config = [identity(), 'ProxyJump hop'];
  const env = { PATH: '/nowhere' };
  const rig = await createRig({ port: inner.port, user: 'hr-dash', config, knownHosts: known(inner), env });
  rigs.push(rig);
  const failure = await rig.refused();
  expect(failure).toMatchObject({ kind: 'proxy', retry: 'user' });
  expect(failure.message).toContain('ssh');
});

test('a proxied link that dies is lost', async () => {
  const rig = await rigWith([`ProxyCommand ${process.execPath} ${join(keys, 'nc.mjs')} %h %p`]);
  const connection = await rig.connected();
  const closed: unknown[] = [];
  connection.onClosed(failure => closed.push(failure));
  inner.killSessions();
  await until('the loss is told', () => closed.length > 0);
  expect(closed).toEqual([expect.objectContaining({ kind: 'lost', retry: 'auto' })]);
});
