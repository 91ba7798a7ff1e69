import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Connection } from '../../../src/control/ports';
import { run } from '../../support/processes';
import { startSshd, type Sshd } from '../../support/sshd';
import { ensureTestUser, writeInHome, type TestUserName } from '../../support/users';
import { createRig, echoScript, exited, makeKey, startStream, type Rig } from './rig';

/** What start-up files print: 64 KiB on both outputs, with no line end at the end. */
const noisy = {
  bash: 'head -c 65536 /dev/zero | tr "\\0" n; head -c 65536 /dev/zero | tr "\\0" e >&2\n',
  tcsh: 'sh -c "head -c 65536 /dev/zero | tr \\\\0 n; head -c 65536 /dev/zero | tr \\\\0 e >&2"\n',
};

const startUpFiles: readonly (readonly [TestUserName, string | null, string])[] = [
  ['hr-alice', '.bashrc', noisy.bash],
  // dash reads no start-up file for a command.
  ['hr-dash', null, ''],
  ['hr-zsh', '.zshenv', noisy.bash],
  ['hr-fish', '.config/fish/config.fish', noisy.bash],
  ['hr-tcsh', '.tcshrc', noisy.tcsh],
];

let sshd: Sshd;
let keys: string;

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'hr-keys-'));
  const key = await makeKey(join(keys, 'id'));
  const users = await Promise.all(startUpFiles.map(([name]) => ensureTestUser(name)));
  for (const [index, [, file, text]] of startUpFiles.entries()) {
    const user = users[index];
    if (file !== null && user !== undefined) writeInHome(user, file, text);
  }
  sshd = await startSshd();
  for (const [name] of startUpFiles) sshd.authorize(name, [key]);
});

afterAll(async () => {
  for (const [name, file] of startUpFiles) {
    if (file !== null) rmSync(join('/home', name, file), { force: true });
  }
  await sshd.dispose();
  rmSync(keys, { recursive: true, force: true });
});

describe.each(startUpFiles.map(([name, file]) => ({ name, file })))('login shell of $name', ({ name, file }) => {
  let rig: Rig;
  let connection: Connection;

  beforeAll(async () => {
    const config = [`IdentityFile ${join(keys, 'id')}`];
    rig = await createRig({ port: sshd.port, user: name, config, knownHosts: knownAs(sshd) });
    connection = await rig.connected();
  });

  afterAll(() => rig.dispose());

  test('runs a script of many lines with quotes and reads nothing but its output', async () => {
    const script = `echo "it's \\\\ \\$HOME"; id -un
cat <<'END'
here 'and' "there"
END
cat
echo to stderr >&2
(exit 3)`;
    const result = exited(await connection.run(script, { deadlineMs: 10_000 }));
    expect(result).toEqual({
      kind: 'exited',
      code: 3,
      stdout: `it's \\ $HOME\n${name}\nhere 'and' "there"\n`,
      stderr: 'to stderr\n',
    });
  });

  test('streams lines, and takes no later input for a command', async () => {
    const { stream, line, lines, ends } = await startStream(connection, echoScript);
    stream.send('ping 1');
    expect(await line(1)).toEqual({ kind: 'text', text: 'text ping 1' });
    expect(lines[0]).toEqual({ kind: 'control', words: 'echo ping 1' });
    stream.dispose();
    expect(ends).toEqual([]);
  });

  test('tells a script that was killed from one that ended', async () => {
    const result = await connection.run('echo before; kill -9 $$', { deadlineMs: 10_000 });
    expect(result).toEqual({ kind: 'signalled', signal: 'SIGKILL', stdout: 'before\n', stderr: '' });
  });

  test('has the start-up files that this test is about', async () => {
    const raw = await run('ssh', ['-F', join(rig.folder, 'config'), '-T', 'box', 'true'], { timeoutMs: 10_000 });
    expect(raw.stdout).toHaveLength(file === null ? 0 : 65_536);
    expect(raw.stderr).toHaveLength(file === null ? 0 : 65_536);
  });
});

test('a script that leaves by exit keeps its code and output', async () => {
  const config = [`IdentityFile ${join(keys, 'id')}`];
  const rig = await createRig({ port: sshd.port, user: 'hr-dash', config, knownHosts: knownAs(sshd) });
  const connection = await rig.connected();
  expect(await connection.run('echo out; exit 7', { deadlineMs: 10_000 })).toEqual({
    kind: 'exited',
    code: 7,
    stdout: 'out\n',
    stderr: '',
  });
  rig.dispose();
});

function knownAs(server: Sshd): string {
  return `[127.0.0.1]:${server.port} ${server.hostKey('ed25519')}\n`;
}
