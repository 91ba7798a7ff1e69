import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDemoProcess, type DemoProcess } from '../support/demoProcess';
import { isAlive, run, treeOf, until } from '../support/processes';
import { ensureTestUser, type TestUser } from '../support/users';

/** The demo as `npm start` runs it, and another user of the same machine. */
let demo: DemoProcess;
let stranger: TestUser;
let folder: string;

beforeAll(async () => {
  stranger = await ensureTestUser('hr-bob');
  folder = mkdtempSync(join(tmpdir(), 'headroom-stranger-'));
  demo = await startDemoProcess();
}, 120_000);

afterAll(async () => {
  await demo.process.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Whom the demo's host lets in. */
const loginName = (): string => /User (\S+)/.exec(readFileSync(demo.sshConfigFile, 'utf8'))![1]!;

/** A command of the other user's. */
const asStranger = (command: string, args: readonly string[]): ReturnType<typeof run> =>
  run(command, args, {
    uid: stranger.uid,
    gid: stranger.gid,
    cwd: '/',
    env: { PATH: process.env['PATH'] },
    timeoutMs: 30_000,
  });

function sshAsStranger(...options: readonly string[]): ReturnType<typeof run> {
  const fixed = ['-F', '/dev/null', '-o', 'BatchMode=yes', '-o', 'StrictHostKeyChecking=no'];
  const files = ['-o', `UserKnownHostsFile=${join(folder, 'known_hosts')}`];
  const user = loginName();
  return asStranger('ssh', [
    ...fixed,
    ...files,
    ...options,
    '-p',
    String(demo.sshPort),
    `${user}@127.0.0.1`,
    'echo inside',
  ]);
}

describe('the SSH host of the demo', () => {
  it('lets its own key in', async () => {
    const done = await run('ssh', [
      '-F',
      demo.sshConfigFile,
      '-o',
      'StrictHostKeyChecking=accept-new',
      'blackwell',
      'echo inside',
    ]);
    expect(done).toMatchObject({ code: 0, stdout: 'inside\n' });
  });

  it('keeps another user out who has no key', async () => {
    const done = await sshAsStranger();
    expect(done.stdout).toBe('');
    expect(done.stderr).toContain('Permission denied (publickey)');
  });

  it('keeps another user out who has a key of their own', async () => {
    const key = join(folder, 'key');
    writeFileSync(key, ssh2.utils.generateKeyPairSync('ed25519').private, { mode: 0o600 });
    for (const path of [folder, key]) chownSync(path, stranger.uid, stranger.gid);
    chmodSync(folder, 0o700);
    const done = await sshAsStranger('-i', key);
    expect(done.stdout).toBe('');
    expect(done.stderr).toContain('Permission denied (publickey)');
  });

  it.each(['password', 'keyboard-interactive', 'none'])('knows no sign-in by %s', async method => {
    const error = await new Promise<Error | null>(resolve => {
      const client = new ssh2.Client();
      client.on('error', resolve);
      client.on('ready', () => {
        client.end();
        resolve(null);
      });
      const username = loginName();
      const handler = { password: 'x', type: method, username, prompt: () => undefined } as never;
      // The test is about who gets in, not about whom one talks to.
      client.connect({
        host: '127.0.0.1',
        port: demo.sshPort,
        username,
        authHandler: [handler],
        hostVerifier: () => true,
      });
    });
    expect(error?.message).toBe('All configured authentication methods failed');
  });

  it('shows another user nothing of its files', async () => {
    const files = [
      demo.sshConfigFile,
      join(dirname(demo.sshConfigFile), 'key'),
      join(dirname(demo.sshConfigFile), 'box/state/mode'),
    ];
    for (const file of files) {
      expect(existsSync(file)).toBe(true);
      expect(await asStranger('cat', [file])).toMatchObject({ code: 1, stdout: '' });
    }
  });
});

describe('the workbench of the demo', () => {
  const curl = (...args: readonly string[]): ReturnType<typeof run> =>
    asStranger(process.execPath, ['-e', fetchScript, ...args]);
  const fetchScript = `
    const [url, body] = process.argv.slice(1);
    const init = body ? { method: 'POST', redirect: 'manual', body: new URLSearchParams({ password: body }) } : { redirect: 'manual' };
    fetch(url, init).then(async r => console.log(JSON.stringify({ status: r.status, location: r.headers.get('location'),
      cookie: r.headers.get('set-cookie'), text: await r.text() })));`;
  const ask = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const done = await curl(...args);
    expect(done.stderr).toBe('');
    return JSON.parse(done.stdout) as Record<string, unknown>;
  };

  it('shows another user a login and nothing else', async () => {
    const page = await ask(demo.url);
    expect(page).toMatchObject({ status: 302 });
    expect(page['location']).toContain('login');
  });

  it('lets in who knows the password, and nobody else', async () => {
    const login = new URL('/login', demo.url).href;
    expect(await ask(login, 'wrong')).toMatchObject({ status: 200, cookie: null });
    const right = await ask(login, demo.password);
    expect(right).toMatchObject({ status: 302 });
    expect(right['cookie']).toContain('code-server-session');
  });

  it('does not tell the password to who looks at the processes', async () => {
    const processes = treeOf(demo.process.child.pid!).map(({ pid }) => pid);
    for (const pid of processes) {
      expect((await asStranger('cat', [`/proc/${pid}/cmdline`])).stdout).not.toContain(demo.password);
      expect((await asStranger('cat', [`/proc/${pid}/environ`])).stdout).toBe('');
    }
  });
});

it('ends everything when it is told to, what runs on without a connection too', async () => {
  const job = 'setsid sleep 600 </dev/null >/dev/null 2>&1 & echo $!';
  const options = ['-F', demo.sshConfigFile, '-o', 'StrictHostKeyChecking=accept-new'];
  const { stdout } = await run('ssh', [...options, 'blackwell', job]);
  const processes = [...treeOf(demo.process.child.pid!).map(({ pid }) => pid), Number(stdout)];
  expect(isAlive(Number(stdout))).toBe(true);
  expect(processes.length).toBeGreaterThan(3);
  demo.process.child.kill('SIGTERM');
  await until('all of it has ended', () => processes.every(pid => !isAlive(pid)));
  await until('its files are gone', () => !existsSync(dirname(demo.sshConfigFile)));
});
