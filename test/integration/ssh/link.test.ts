import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Failure } from '../../../src/core/errors';
import { freePort, signalProcess, until } from '../../support/processes';
import { startSshd, type Sshd } from '../../support/sshd';
import { startFakeServer, startTcpServer, type FakeServer } from '../../support/sshServer';
import { ensureTestUser } from '../../support/users';
import { createRig, echoScript, exited, makeKey, startStream, type Rig } from './rig';

const rigs: Rig[] = [];

afterEach(() => rigs.splice(0).forEach(rig => rig.dispose()));

async function rigOn(port: number, config: readonly string[] = [], user = 'hr-dash'): Promise<Rig> {
  const rig = await createRig({ port, user, config: [...config, 'StrictHostKeyChecking accept-new'] });
  rigs.push(rig);
  return rig;
}

describe('a real server', () => {
  let sshd: Sshd;
  let keys: string;

  beforeAll(async () => {
    keys = mkdtempSync(join(tmpdir(), 'hr-keys-'));
    await ensureTestUser('hr-dash');
    sshd = await startSshd({ authorizedKeys: { 'hr-dash': [await makeKey(join(keys, 'id'))] } });
  });

  afterAll(async () => {
    await sshd.dispose();
    rmSync(keys, { recursive: true, force: true });
  });

  test('whose session is killed: scripts, streams and the connection are lost, each told once', async () => {
    const rig = await rigOn(sshd.port, [`IdentityFile ${join(keys, 'id')}`]);
    const connection = await rig.connected();
    const closed: Failure[] = [];
    connection.onClosed(failure => closed.push(failure));
    const { ends } = await startStream(connection, echoScript);
    const running = connection.run('echo $$ >"$HOME/pid"; exec sleep 20', { deadlineMs: 15_000 });
    const readPid = { deadlineMs: 5_000 };
    const pid = await until('the script runs', async () => {
      const { stdout } = exited(await connection.run('cat "$HOME/pid" 2>/dev/null && rm "$HOME/pid"; :', readPid));
      return /^\d+\n$/.test(stdout) && Number(stdout);
    });
    sshd.killSessions();
    expect(await running).toMatchObject({ kind: 'lost', failure: { kind: 'lost', retry: 'auto' } });
    // Nothing ends a script because its connection is gone, so this test does.
    signalProcess(pid, 'SIGKILL');
    await until('the loss is told', () => closed.length > 0 && ends.length > 0);
    expect(closed).toEqual([expect.objectContaining({ kind: 'lost', retry: 'auto' })]);
    expect(ends).toEqual([expect.objectContaining({ kind: 'lost' })]);
    expect(await connection.run('true', { deadlineMs: 1_000 })).toMatchObject({
      kind: 'lost',
      failure: { kind: 'lost' },
    });
  });

  test('that stops and comes back is refused in between, and reached again', async () => {
    const rig = await rigOn(sshd.port, [`IdentityFile ${join(keys, 'id')}`]);
    const first = await rig.connected();
    const closed: Failure[] = [];
    first.onClosed(failure => closed.push(failure));
    await sshd.stop();
    await until('the loss is told', () => closed.length > 0);
    expect(await rig.refused()).toMatchObject({ kind: 'unreachable', retry: 'auto' });
    await sshd.restart();
    exited(await (await rig.connected()).run('true', { deadlineMs: 5_000 }));
  });

  test('a stream’s script ends with the stream, orderly or not', async () => {
    const rig = await rigOn(sshd.port, [`IdentityFile ${join(keys, 'id')}`]);
    const watcher = await rig.connected();
    const alive = async (pid: string) =>
      exited(await watcher.run(`kill -0 ${pid} && echo yes; true`, { deadlineMs: 5_000 })).stdout;
    const script = `printf '\\036%s ready\\n' "$NONCE"; echo $$; while read -r line; do :; done`;
    const pidOf = async ({ line }: Awaited<ReturnType<typeof startStream>>) => {
      const first = await line(0);
      return first.kind === 'text' ? first.text : '';
    };
    const orderly = await startStream(watcher, script);
    const orderlyPid = await pidOf(orderly);
    expect(await alive(orderlyPid)).toBe('yes\n');
    orderly.stream.dispose();
    await until('the script is gone', async () => (await alive(orderlyPid)) === '');

    const other = await rig.connected();
    const cutPid = await pidOf(await startStream(other, script));
    other.dispose();
    await until('the script is gone', async () => (await alive(cutPid)) === '');
  });

  test('disposed by us: nothing is told of it', async () => {
    const rig = await rigOn(sshd.port, [`IdentityFile ${join(keys, 'id')}`]);
    const connection = await rig.connected();
    const closed: Failure[] = [];
    connection.onClosed(failure => closed.push(failure));
    const before = sshd.log().length;
    connection.dispose();
    await until('the server has seen it', () => sshd.log().slice(before).includes('isconnect'));
    expect(closed).toEqual([]);
  });

  test('that runs no commands for this user', async () => {
    const forced = await startSshd({
      authorizedKeys: { 'hr-dash': [await makeKey(join(keys, 'forced'))] },
      config: ['ForceCommand echo This account is not available; exit 1'],
    });
    try {
      const rig = await rigOn(forced.port, [`IdentityFile ${join(keys, 'forced')}`]);
      const connection = await rig.connected();
      const result = await connection.run('true', { deadlineMs: 5_000 });
      expect(result).toMatchObject({ kind: 'lost', failure: { kind: 'noCommands', retry: 'user' } });
      const options = { readyDeadlineMs: 5_000, onLine: () => undefined, onEnd: () => undefined };
      expect(await connection.openStream(echoScript, options)).toMatchObject({
        kind: 'failed',
        failure: { kind: 'noCommands', retry: 'user' },
      });
    } finally {
      await forced.dispose();
    }
  });

  test('that swallows the script and never says ready', async () => {
    const forced = await startSshd({
      authorizedKeys: { 'hr-dash': [await makeKey(join(keys, 'menu'))] },
      config: ['ForceCommand cat >/dev/null; sleep 5'],
    });
    try {
      const rig = await rigOn(forced.port, [`IdentityFile ${join(keys, 'menu')}`]);
      const connection = await rig.connected();
      const options = { readyDeadlineMs: 300, onLine: () => undefined, onEnd: () => undefined };
      expect(await connection.openStream(echoScript, options)).toMatchObject({
        kind: 'failed',
        failure: { kind: 'noCommands', retry: 'user' },
      });
    } finally {
      await forced.dispose();
    }
  });
});

describe('a link that goes silent', () => {
  let server: FakeServer;

  beforeAll(async () => void (server = await startFakeServer()));
  afterAll(() => server.stop());

  test('a deadline that passes on it ends it', async () => {
    const connection = await (await rigOn(server.port)).connected();
    const closed: Failure[] = [];
    connection.onClosed(failure => closed.push(failure));
    const { ends } = await startStream(connection, echoScript);
    server.freeze();
    expect(await connection.run('true', { deadlineMs: 200 })).toMatchObject({
      kind: 'lost',
      failure: { kind: 'timeout' },
    });
    await until('the link is given up', () => closed.length > 0 && ends.length > 0);
    expect(closed).toEqual([expect.objectContaining({ kind: 'lost', retry: 'auto' })]);
  });

  test('a stream cannot be opened on it, and that is no word about commands', async () => {
    const connection = await (await rigOn(server.port)).connected();
    server.freeze();
    const options = { readyDeadlineMs: 200, onLine: () => undefined, onEnd: () => undefined };
    expect(await connection.openStream(echoScript, options)).toMatchObject({
      kind: 'failed',
      failure: { retry: 'auto' },
    });
  });

  test('keepalive finds out where nothing is asked', async () => {
    const connection = await (await rigOn(server.port, ['ServerAliveInterval 1', 'ServerAliveCountMax 1'])).connected();
    const closed: Failure[] = [];
    connection.onClosed(failure => closed.push(failure));
    server.freeze();
    const failure = await until('the loss is told', () => closed[0], 20_000);
    expect(failure.kind).toBe('lost');
    expect(failure.message).toContain('(Keepalive timeout)');
  });

  test('cut: lost at once', async () => {
    const connection = await (await rigOn(server.port)).connected();
    const running = connection.run('sleep 2', { deadlineMs: 10_000 });
    await until('the script runs', async () => exited(await connection.run('echo up', { deadlineMs: 5_000 })).stdout);
    server.cut();
    expect(await running).toMatchObject({ kind: 'lost', failure: { kind: 'lost' } });
  });
});

describe('a server that is not one', () => {
  test('nobody listens', async () => {
    expect(await (await rigOn(await freePort())).refused()).toMatchObject({ kind: 'unreachable', retry: 'auto' });
  });

  test('it hangs up before its banner', async () => {
    const server = await startTcpServer(socket => socket.destroy());
    try {
      const failure = await (await rigOn(server.port)).refused();
      expect(failure).toMatchObject({ kind: 'closedEarly', retry: 'auto' });
      expect(failure.message).toContain('rate-limited');
    } finally {
      await server.stop();
    }
  });

  test('it says nothing', async () => {
    const server = await startTcpServer(() => undefined);
    try {
      const failure = await (await rigOn(server.port, ['ConnectTimeout 1'])).refused();
      expect(failure).toMatchObject({ kind: 'timeout', retry: 'auto' });
    } finally {
      await server.stop();
    }
  });

  test('it speaks another language', async () => {
    const server = await startTcpServer(socket => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    try {
      expect(await (await rigOn(server.port)).refused()).toMatchObject({ kind: 'closedEarly', retry: 'auto' });
    } finally {
      await server.stop();
    }
  });

  test('the name has no address', async () => {
    const rig = await createRig({ host: 'no-such-host.invalid', port: 22, user: 'x' });
    rigs.push(rig);
    expect(await rig.refused()).toMatchObject({ kind: 'unresolvable', retry: 'auto' });
  });

  test('cancelled while it says nothing', async () => {
    const server = await startTcpServer(() => undefined);
    try {
      const rig = await rigOn(server.port);
      const abort = new AbortController();
      const connecting = rig.connect(null, abort.signal);
      await until('it is dialled', () => rig.steps.includes('connecting'));
      abort.abort();
      expect(await connecting).toMatchObject({ kind: 'failed', failure: { kind: 'cancelled' } });
    } finally {
      await server.stop();
    }
  });

  test('nothing in common', async () => {
    const server = await startFakeServer();
    try {
      const rig = await rigOn(server.port, ['KexAlgorithms sntrup761x25519-sha512@openssh.com']);
      const failure = await rig.refused();
      expect(failure).toMatchObject({ kind: 'noCommonAlgorithm', retry: 'user' });
      expect(failure.message).toContain('key exchange');
    } finally {
      await server.stop();
    }
  });
});
