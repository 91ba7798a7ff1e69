import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { RunResult } from '../../../src/control/ports';
import { startSshd, type Sshd } from '../../support/sshd';
import { ensureTestUser } from '../../support/users';
import { createRig, echoScript, exited, makeKey, startStream, type Rig } from './rig';

let keys: string;
let key: string;
const rigs: Rig[] = [];
const servers: Sshd[] = [];

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'hr-keys-'));
  await ensureTestUser('hr-dash');
  key = await makeKey(join(keys, 'id'));
});

afterEach(async () => {
  rigs.splice(0).forEach(rig => rig.dispose());
  for (const server of servers.splice(0)) await server.dispose();
});

afterAll(() => rmSync(keys, { recursive: true, force: true }));

async function rigOn(maxSessions: number): Promise<{ rig: Rig; sshd: Sshd }> {
  const sshd = await startSshd({ authorizedKeys: { 'hr-dash': [key] }, maxSessions });
  servers.push(sshd);
  const config = [`IdentityFile ${join(keys, 'id')}`, 'StrictHostKeyChecking accept-new'];
  const rig = await createRig({ port: sshd.port, user: 'hr-dash', config });
  rigs.push(rig);
  return { rig, sshd };
}

describe.each([10, 2, 1])('with MaxSessions %i', maxSessions => {
  test('twelve scripts at once all run, over one TCP connection', async () => {
    const { rig, sshd } = await rigOn(maxSessions);
    const connection = await rig.connected();
    const runs = Array.from({ length: 12 }, (_, index) =>
      connection.run(`sleep 0.05; echo ${index}`, { deadlineMs: 20_000 }),
    );
    const results = await Promise.all(runs);
    expect(results.map(result => exited(result).stdout)).toEqual(results.map((_, index) => `${index}\n`));
    expect(sshd.connections()).toBe(1);
  });
});

test('never more than four channels at once', async () => {
  const { rig } = await rigOn(10);
  const connection = await rig.connected();
  // Each tells how many shells of this connection there are while it runs; their parent is the server's process for it.
  const count = 'sleep 0.2; ps -o pid= --ppid "$(ps -o ppid= -p $$ | tr -d " ")" | wc -l';
  const results = await Promise.all(Array.from({ length: 9 }, () => connection.run(count, { deadlineMs: 20_000 })));
  const most = Math.max(...results.map(result => Number(exited(result).stdout)));
  expect(most).toBe(4);
});

test('a stream and scripts share two sessions', async () => {
  const { rig } = await rigOn(2);
  const connection = await rig.connected();
  const { stream, line } = await startStream(connection, echoScript);
  const results = await Promise.all([1, 2, 3].map(() => connection.run('echo ok', { deadlineMs: 10_000 })));
  expect(results.map(result => exited(result).stdout)).toEqual(['ok\n', 'ok\n', 'ok\n']);
  stream.send('still here');
  expect(await line(1)).toEqual({ kind: 'text', text: 'text still here' });
});

test('with one session a script waits for the stream, its deadline counts, and the link lives on', async () => {
  const { rig } = await rigOn(1);
  const connection = await rig.connected();
  const { stream, line, ends } = await startStream(connection, echoScript);
  const waited: RunResult = await connection.run('echo never', { deadlineMs: 300 });
  expect(waited).toMatchObject({ kind: 'lost', failure: { kind: 'timeout' } });
  stream.send('alive');
  expect(await line(1)).toEqual({ kind: 'text', text: 'text alive' });
  stream.dispose();
  expect(exited(await connection.run('echo now', { deadlineMs: 10_000 })).stdout).toBe('now\n');
  expect(ends).toEqual([]);
});

test('no session at all is told as that', async () => {
  const { rig } = await rigOn(0);
  const connection = await rig.connected();
  const result = await connection.run('true', { deadlineMs: 10_000 });
  expect(result).toMatchObject({ kind: 'lost', failure: { kind: 'channels' } });
});

test('a child that keeps the output open does not hold up the result', async () => {
  const { rig } = await rigOn(10);
  const connection = await rig.connected();
  const started = performance.now();
  const result = exited(await connection.run('sleep 5 & echo $!', { deadlineMs: 10_000 }));
  expect(performance.now() - started).toBeLessThan(4_000);
  await connection.run(`kill ${result.stdout}`, { deadlineMs: 5_000 });
});

test('a script that takes too long is lost, and the link lives on', async () => {
  const { rig } = await rigOn(10);
  const connection = await rig.connected();
  const closed: unknown[] = [];
  connection.onClosed(failure => closed.push(failure));
  const result = await connection.run('echo $$ >"$HOME/pid"; exec sleep 30', { deadlineMs: 300 });
  expect(result).toMatchObject({ kind: 'lost', failure: { kind: 'timeout', retry: 'auto' } });
  // Closing the channel ended nothing there: the script is still to be found.
  exited(await connection.run('kill "$(cat "$HOME/pid")" && rm "$HOME/pid"', { deadlineMs: 10_000 }));
  expect(closed).toEqual([]);
});

test('an aborted script is lost as cancelled', async () => {
  const { rig } = await rigOn(10);
  const connection = await rig.connected();
  const abort = new AbortController();
  const running = connection.run('cat /dev/zero | head -c 1000000 | wc -c; sleep 1', {
    deadlineMs: 10_000,
    signal: abort.signal,
  });
  abort.abort();
  expect(await running).toMatchObject({ kind: 'lost', failure: { kind: 'cancelled' } });
});

test('10 MB come through unharmed', async () => {
  const { rig } = await rigOn(10);
  const connection = await rig.connected();
  const result = exited(await connection.run('yes 0123456789abcde | head -n 625000', { deadlineMs: 30_000 }));
  expect(result.stdout).toHaveLength(10_000_000);
});

test('an exec on a live connection is quick', async () => {
  const { rig } = await rigOn(10);
  const connection = await rig.connected();
  const times: number[] = [];
  for (let index = 0; index < 60; index++) {
    const started = performance.now();
    exited(await connection.run(':', { deadlineMs: 5_000 }));
    times.push(performance.now() - started);
  }
  const median = times.sort((a, b) => a - b)[30] ?? Number.NaN;
  process.stdout.write(`exec on a live connection: median ${median.toFixed(2)} ms (aim: under 5)\n`);
});
