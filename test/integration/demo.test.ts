import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root } from '../support/paths';
import { isAlive, run, startBackground, treeOf, until, type Background } from '../support/processes';
import { ensureTestUser, type TestUser } from '../support/users';

/** The demo as `npm start` runs it, and another user of the same machine. */
let demo: Background;
let stranger: TestUser;
let folder: string;
let url: string;
let password: string;
let configFile: string;
let sshPort: number;

beforeAll(async () => {
  stranger = await ensureTestUser('hr-bob');
  folder = mkdtempSync(join(tmpdir(), 'headroom-stranger-'));
  demo = startBackground(process.execPath, [join(root, 'test/tools/bootstrap.mjs'), 'start', '--no-open']);
  const said = await until(
    'the demo is up',
    () => {
      if (demo.child.exitCode !== null) throw new Error(demo.output());
      return demo.output().includes('Ctrl-C') && demo.output();
    },
    100_000,
  );
  url = /http:\S+/.exec(said)![0];
  password = /Password: (\S+)/.exec(said)![1]!;
  configFile = /SSH configuration: (\S+)/.exec(said)![1]!;
  sshPort = Number(/The demo host is 127\.0\.0\.1:(\d+)/.exec(said)![1]);
}, 120_000);

afterAll(async () => {
  await demo.end();
  rmSync(folder, { recursive: true, force: true });
});

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
  const user = /User (\S+)/.exec(readFileSync(configFile, 'utf8'))![1]!;
  return asStranger('ssh', [...fixed, ...files, ...options, '-p', String(sshPort), `${user}@127.0.0.1`, 'echo inside']);
}

describe('the SSH host of the demo', () => {
  it('lets its own key in', async () => {
    const done = await run('ssh', [
      '-F',
      configFile,
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
      const username = /User (\S+)/.exec(readFileSync(configFile, 'utf8'))![1]!;
      const handler = { password: 'x', type: method, username, prompt: () => undefined } as never;
      // The test is about who gets in, not about whom one talks to.
      client.connect({ host: '127.0.0.1', port: sshPort, username, authHandler: [handler], hostVerifier: () => true });
    });
    expect(error?.message).toBe('All configured authentication methods failed');
  });

  it('shows another user nothing of its files', async () => {
    const files = [configFile, join(dirname(configFile), 'key'), join(dirname(configFile), 'box/state/mode')];
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
    const page = await ask(url);
    expect(page).toMatchObject({ status: 302 });
    expect(page['location']).toContain('login');
  });

  it('lets in who knows the password, and nobody else', async () => {
    const login = new URL('/login', url).href;
    expect(await ask(login, 'wrong')).toMatchObject({ status: 200, cookie: null });
    const right = await ask(login, password);
    expect(right).toMatchObject({ status: 302 });
    expect(right['cookie']).toContain('code-server-session');
  });

  it('does not tell the password to who looks at the processes', async () => {
    const processes = treeOf(demo.child.pid!).map(({ pid }) => pid);
    for (const pid of processes) {
      expect((await asStranger('cat', [`/proc/${pid}/cmdline`])).stdout).not.toContain(password);
      expect((await asStranger('cat', [`/proc/${pid}/environ`])).stdout).toBe('');
    }
  });
});

it('ends everything when it is told to', async () => {
  const processes = treeOf(demo.child.pid!).map(({ pid }) => pid);
  expect(processes.length).toBeGreaterThan(3);
  demo.child.kill('SIGTERM');
  await until('all of it has ended', () => processes.every(pid => !isAlive(pid)));
  await until('its files are gone', () => !existsSync(dirname(configFile)));
});
