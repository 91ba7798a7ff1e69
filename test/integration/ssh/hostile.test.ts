import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Prompts } from '../../../src/control/ports';
import { startFakeServer, startTcpServer } from '../../support/sshServer';
import { answering, createRig, echoScript, makeKey, startStream, type Rig } from './rig';

const stops: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function rigOn(port: number, config: readonly string[] = []): Promise<Rig> {
  const rig = await createRig({ port, user: 'me', config: ['StrictHostKeyChecking no', ...config] });
  stops.push(() => rig.dispose());
  return rig;
}

test.each([
  ['lines', 'x\n'.repeat(10_000)],
  ['one line', 'x'.repeat(20_000)],
])('a greeting without an end, as %s, is cut off at once and logged once', async (_, greeting) => {
  const server = await startTcpServer(socket => {
    const flood = (): void => {
      while (!socket.destroyed && socket.write(greeting));
    };
    socket.on('drain', flood);
    flood();
  });
  stops.push(() => server.stop());
  const rig = await rigOn(server.port, ['ConnectTimeout 60']);
  expect(await rig.refused()).toMatchObject({ kind: 'unreachable', retry: 'auto' });
  expect(rig.log.length).toBeLessThan(4);
});

test.each(['yes', 'dd if=/dev/zero bs=64k', 'yes >&2'])(
  'a login that prints without end is given up: %s',
  async endless => {
    const server = await startFakeServer({ command: endless });
    stops.push(() => server.stop());
    const rig = await rigOn(server.port);
    const options = { readyDeadlineMs: 60_000, onLine: () => undefined, onEnd: () => undefined };
    const connection = await rig.connected();
    expect(await connection.openStream(echoScript, options)).toMatchObject({
      kind: 'failed',
      failure: { kind: 'noCommands' },
    });
  },
);

test('a stream that is open and has its stderr flooded is ended', async () => {
  const server = await startFakeServer();
  stops.push(() => server.stop());
  const rig = await rigOn(server.port);
  const { stream, ends } = await startStream(await rig.connected(), `${echoScript.split('\n')[0]}; exec yes >&2`);
  await expect.poll(() => ends).toMatchObject([{ kind: 'internal', retry: 'user' }]);
  stream.dispose();
});

test('compression is never used: a server that insists on it is told so, and a wish for it is no reason to fail', async () => {
  const insisting = await startFakeServer({ compress: ['zlib@openssh.com'] });
  stops.push(() => insisting.stop());
  const plainRig = await rigOn(insisting.port);
  expect(await plainRig.refused()).toMatchObject({ kind: 'noCommonAlgorithm' });
  const able = await startFakeServer({ compress: ['zlib@openssh.com', 'none'] });
  stops.push(() => able.stop());
  const rig = await rigOn(able.port, ['Compression yes']);
  const { stream } = await startStream(await rig.connected(), echoScript);
  able.cut();
  stream.dispose();
});

test.each(['password', 'passphrase'] as const)('a %s that comes too late leads nowhere', async kind => {
  const server = await startFakeServer({
    auth: attempt => {
      if (attempt.method === 'publickey') attempt.accept();
      else attempt.reject([kind === 'password' ? 'password' : 'publickey']);
    },
  });
  stops.push(() => server.stop());
  const folder = mkdtempSync(join(tmpdir(), 'hr-late-'));
  stops.push(() => rmSync(folder, { recursive: true, force: true }));
  await makeKey(join(folder, 'id'), { passphrase: 'right' });
  const rig = await rigOn(server.port, kind === 'password' ? [] : [`IdentityFile ${join(folder, 'id')}`]);

  const asked: AbortSignal[] = [];
  let answer: (secret: string) => void = () => undefined;
  const late: Prompts = {
    ...answering({}),
    secret: (_question, signal) => {
      if (signal !== undefined) asked.push(signal);
      return new Promise(resolve => (answer = resolve));
    },
  };
  const failing = rig.refused(late);
  await expect.poll(() => asked.length).toBe(1);
  expect(asked[0]?.aborted).toBe(false);
  server.cut();
  expect(await failing).toMatchObject({ kind: 'timeout', retry: 'user' });
  expect(asked[0]?.aborted).toBe(true);

  answer('wrong');
  // Opening a key with a passphrase takes about half a second; a second question would come after that.
  await new Promise(resolve => setTimeout(resolve, 1_500));
  expect(asked).toHaveLength(1);
});
