import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { LoginEnvironment } from '../../../src/core/job/environment/loginEnvironment';
import { until } from '../../support/processes';
import { startSshd, type Sshd } from '../../support/sshd';
import { ensureTestUser, writeInHome, type TestUser, type TestUserName } from '../../support/users';
import { makeKey } from '../ssh/rig';
import { signIn, type SignedIn } from './signIn';
import { keptFiles } from './keptFiles';

/** A value with all that breaks naive readers: line feeds, `=`, quotes, backslashes, blanks, dollars. */
const awkward = `a=b\n'c' "d" \\e $F \`g\` 🔥 `;

/** Where each shell's users set their variables, for interactive sessions where the shell knows the difference. */
const startUpFiles: readonly (readonly [TestUserName, string, string])[] = [
  ['hr-bob', '.bashrc', `case $- in *i*) ;; *) return;; esac\nexport HR_MARK='${awkward.replaceAll("'", `'\\''`)}'\n`],
  ['hr-dash', '.profile', `export HR_MARK='${awkward.replaceAll("'", `'\\''`)}'\n`],
  ['hr-zsh', '.zshrc', `export HR_MARK='${awkward.replaceAll("'", `'\\''`)}'\nalias cat=false printf=false\n`],
  [
    'hr-fish',
    '.config/fish/config.fish',
    `if status is-interactive\nset -gx HR_MARK '${awkward.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'\nend\n`,
  ],
  ['hr-tcsh', '.login', `setenv HR_MARK 'a=b "c" d'\n`],
];

let sshd: Sshd;
let keys: string;
let users: ReadonlyMap<TestUserName, TestUser>;
const files = keptFiles();

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'hr-keys-'));
  const key = await makeKey(join(keys, 'id'));
  const made = await Promise.all(startUpFiles.map(([name]) => ensureTestUser(name)));
  users = new Map(made.map(user => [user.name, user]));
  sshd = await startSshd();
  for (const { name } of made) sshd.authorize(name, [key]);
});

afterEach(() => files.restore());

afterAll(async () => {
  await sshd.dispose();
  rmSync(keys, { recursive: true, force: true });
});

async function captured(name: TestUserName, options: { envFile?: string; limitSeconds?: number } = {}) {
  const session: SignedIn = await signIn(sshd, name, join(keys, 'id'), options.limitSeconds);
  try {
    const result = await session.probe.capture(session.connection, options.envFile ?? null);
    if (result.kind === 'failed') throw new Error(result.failure.message);
    return { environment: result.environment, log: session.log };
  } finally {
    session.dispose();
  }
}

function write(name: TestUserName, file: string, text: string): void {
  const user = users.get(name)!;
  files.keep(join(user.home, file));
  writeInHome(user, file, text);
}

describe.each(startUpFiles)('%s', (name, file, text) => {
  test(`has what ${file} sets, and nothing of the session`, async () => {
    write(name, file, text);
    const { environment } = await captured(name);
    expect(environment).toMatchObject({ way: 'interactive', notice: null, file: null, fileMissing: false });
    expect(environment.shell).toBe(users.get(name)!.shell);
    const { variables } = environment;
    expect(variables.get('HR_MARK')).toBe(name === 'hr-tcsh' ? 'a=b "c" d' : awkward);
    expect(variables.get('HOME')).toBe(`/home/${name}`);
    expect(variables.get('PATH')).toMatch(/\/bin/);
    expect([...variables.keys()].filter(key => /^(SSH_.*|PWD|OLDPWD|SHLVL|_|TERM|TMUX|STY)$/.test(key))).toEqual([]);
  });

  test('may print 64 KiB on both outputs', async () => {
    const noise = 'head -c 65536 /dev/zero | tr "\\0" n; head -c 65536 /dev/zero | tr "\\0" e >&2\n';
    const csh = 'sh -c "head -c 65536 /dev/zero | tr \\\\0 n; head -c 65536 /dev/zero | tr \\\\0 e >&2"\n';
    write(name, file, (name === 'hr-tcsh' ? csh : noise) + text);
    expect((await captured(name)).environment).toMatchObject({ way: 'interactive', notice: null });
  });
});

const stock = readFileSync('/etc/skel/.bashrc', 'utf8');

async function withBashrc(lines: string, limitSeconds?: number): Promise<LoginEnvironment> {
  write('hr-bob', '.bashrc', `${stock}\n${lines}\n`);
  return (await captured('hr-bob', limitSeconds === undefined ? {} : { limitSeconds })).environment;
}

describe('start-up files of bash', () => {
  test('that hang are ended with all that they started, and the login without them serves', async () => {
    const environment = await withBashrc('export HR_MARK=1; sleep 311.25; true', 2);
    expect(environment.way).toBe('login');
    expect(environment.notice).toMatch(
      /bash did not finish its start-up files in time.*Put what the job needs into “setup”/,
    );
    expect(environment.variables.has('HR_MARK')).toBe(false);
    expect(environment.variables.get('HOME')).toBe('/home/hr-bob');
    await until('nothing is left of it', () => !running('sleep 311.25'), 5_000);
  });

  test('that put another program in the place of the shell', async () => {
    expect((await withBashrc('exec true')).way).toBe('login');
  });

  test('that start a multiplexer for each new terminal do not', async () => {
    expect((await withBashrc('[ -n "$TMUX" ] || exec false')).way).toBe('interactive');
  });

  test('that leave at once, at every login, leave the bare environment', async () => {
    write('hr-bob', '.profile', 'exit 3\n');
    const environment = await withBashrc('exit 3');
    expect(environment.way).toBe('bare');
    expect(environment.notice).toMatch(/ended before.*bare environment of ssh/);
    expect(environment.variables.get('PATH')).toMatch(/\/bin/);
  });

  test('may give cat another meaning, and hand on functions', async () => {
    const environment = await withBashrc(`alias cat=false; hr_module() { echo "it's {$1}"; }; export -f hr_module`);
    expect(environment.way).toBe('interactive');
    expect([...environment.functions.keys()]).toContain('hr_module');
    expect([...environment.variables.keys()].filter(key => key.includes('hr_module'))).toEqual([]);
  });

  test('may leave something running that holds the output open', async () => {
    const environment = await withBashrc('sleep 2.125 &');
    expect(environment.way).toBe('interactive');
  });
});

describe('a file of variables', () => {
  test('comes along as it is', async () => {
    write('hr-bob', '.hr-env', 'A=1\n# c\nB="x y"\n');
    const { environment } = await captured('hr-bob', { envFile: '~/.hr-env' });
    expect(environment).toMatchObject({ file: 'A=1\n# c\nB="x y"\n', fileMissing: false });
  });

  test('is told to be missing', async () => {
    const { environment } = await captured('hr-bob', { envFile: "~/it's not there" });
    expect(environment).toMatchObject({ file: null, fileMissing: true, way: 'interactive' });
  });
});

test('no value is logged', async () => {
  write('hr-bob', '.bashrc', `${stock}\nexport TOKEN=hunter2-planted\n`);
  const { environment, log } = await captured('hr-bob');
  expect(environment.variables.get('TOKEN')).toBe('hunter2-planted');
  expect(log.join('\n')).not.toContain('hunter2');
  expect(sshd.log()).not.toContain('hunter2');
});

/** Whether a process with exactly these words lives. */
function running(words: string): boolean {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .some(pid => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() === words;
      } catch {
        return false;
      }
    });
}
