import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { hostSpec } from '../../../src/core/host/hostSpec';
import { listAliases } from '../../../src/hosts/ssh/connector';
import { resolveSettings, type Resolved } from '../../../src/hosts/ssh/settings';
import { startFakeServer, type FakeServer } from '../../support/sshServer';
import { createRig, exited } from './rig';

let folder: string;

beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'hr-settings-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const path = process.env['PATH'] ?? '';

function write(name: string, text: string): string {
  const file = join(folder, name);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, text);
  return file;
}

const world = (searchPath = path) => ({
  configFile: () => join(folder, 'config'),
  env: { PATH: searchPath },
  homeDir: folder,
});

async function resolve(spec = hostSpec('box'), searchPath = path): Promise<Resolved> {
  return await resolveSettings(spec, world(searchPath), new AbortController().signal);
}

async function settings(spec = hostSpec('box'), searchPath = path) {
  const resolved = await resolve(spec, searchPath);
  if (resolved.kind === 'failed') throw new Error(resolved.failure.message);
  return resolved.settings;
}

const config = () => `Include ${folder}/conf.d/*
Host far box
  HostName 10.0.0.%h
Host *.lan !box
  User nobody
Host *
  Port 2200
  ProxyCommand nc %h %p
  RemoteCommand tmux a
  RequestTTY yes
`;

describe.each([
  ['with ssh', path],
  ['without ssh', '/nowhere'],
])('%s', (how, searchPath) => {
  test('Include with a glob, several names, negation and wildcards reach the settings', async () => {
    write('config', config());
    write('conf.d/10', 'Host box\n  User alice\n');
    expect(await settings(hostSpec('box'), searchPath)).toMatchObject({
      host: '10.0.0.box',
      user: 'alice',
      port: 2200,
      proxy: { kind: 'command', commandLine: 'nc 10.0.0.box 2200' },
    });
  });

  test('what was typed comes before what is configured', async () => {
    write('config', config());
    const typed = await settings(hostSpec('box', 'bob', 2222), searchPath);
    expect(typed).toMatchObject({ host: '10.0.0.box', user: 'bob', port: 2222 });
  });

  test('a name that no file knows is the host itself', async () => {
    write('config', '');
    expect(await settings(hostSpec('gpu.example'), searchPath)).toMatchObject({ host: 'gpu.example', port: 22 });
  });

  test('says whether the configuration was read in full', async () => {
    write('config', '');
    const notices = how === 'with ssh' ? [] : [expect.stringContaining('no ssh program')];
    expect(await resolve(hostSpec('box'), searchPath)).toMatchObject({ kind: 'resolved', notices });
  });
});

test('a line that ssh refuses is shown in ssh’s words', async () => {
  const file = write('config', 'Host box\n  NoSuchOption yes\n');
  const resolved = await resolve();
  expect(resolved).toMatchObject({ kind: 'failed', failure: { kind: 'sshConfig', retry: 'user' } });
  expect(resolved.kind === 'failed' && resolved.failure.message).toContain(`${file}: line 2`);
});

test('a name with a dash in front is never an option of ssh', async () => {
  write('config', '');
  for (const name of ['-V', '-oUser=root']) {
    expect(await resolve(hostSpec(name))).toMatchObject({ kind: 'failed', failure: { kind: 'sshConfig' } });
  }
});

test('listing runs nothing', async () => {
  const ran = join(folder, 'ran');
  write('config', `Host box\nMatch exec "touch ${ran}"\n  User x\nHost other\n`);
  expect(await listAliases(world())).toEqual(['box', 'other']);
  expect(existsSync(ran)).toBe(false);
});

describe('a whole connection', () => {
  let server: FakeServer;

  beforeAll(async () => void (server = await startFakeServer()));
  afterAll(() => server.stop());

  test('RemoteCommand and RequestTTY of the configuration are for terminals, not for us', async () => {
    const config = ['RemoteCommand tmux a', 'RequestTTY force', 'StrictHostKeyChecking accept-new'];
    const rig = await createRig({ port: server.port, user: 'x', config });
    const result = exited(await (await rig.connected()).run('tty; echo ok', { deadlineMs: 5_000 }));
    expect(result.stdout).toBe('not a tty\nok\n');
    rig.dispose();
  });

  test('without an ssh program a connection comes about too, with a notice', async () => {
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    symlinkSync('/bin/sh', join(bin, 'sh'));
    const rig = await createRig({
      port: server.port,
      user: 'x',
      config: ['StrictHostKeyChecking accept-new'],
      env: { PATH: bin },
    });
    const result = await rig.connect();
    expect(result).toMatchObject({ kind: 'connected', notices: [expect.stringContaining('no ssh program')] });
    expect(rig.knownHosts()).toContain(server.hostKeyBase64);
    rig.dispose();
  });

  test('RevokedHostKeys is not passed over', async () => {
    const rig = await createRig({ port: server.port, user: 'x', config: ['RevokedHostKeys /etc/hostname'] });
    expect(await rig.refused()).toMatchObject({ kind: 'unsupported', retry: 'user' });
    rig.dispose();
  });
});
