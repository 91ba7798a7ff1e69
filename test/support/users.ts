import { chownSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run, runOrThrow } from './processes';

/** Ordinary users for tests: as root, a file of mode 0700 or somebody else's process would prove nothing. */
const shells = {
  'hr-alice': '/bin/bash',
  'hr-bob': '/bin/bash',
  'hr-dash': '/bin/dash',
  'hr-zsh': '/bin/zsh',
  'hr-fish': '/usr/bin/fish',
  'hr-tcsh': '/bin/tcsh',
} as const;

export type TestUserName = keyof typeof shells;

export const testUserNames = Object.keys(shells) as readonly TestUserName[];

export interface TestUser {
  readonly name: TestUserName;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  readonly shell: string;
}

/** Makes the user if there is none. They stay until `removeTestUsers`, for several test files share them. */
export async function ensureTestUser(name: TestUserName): Promise<TestUser> {
  const known = await lookUp(name);
  if (known !== null) return known;
  if (process.getuid?.() !== 0) {
    throw new Error(`The test user ${name} is missing. As root: useradd -m -U -s ${shells[name]} ${name}`);
  }
  const done = await run('useradd', ['-m', '-U', '-s', shells[name], name]);
  const made = await lookUp(name);
  // Another test may have been faster.
  if (made === null) throw new Error(`useradd ${name}: ${done.stderr}`);
  return made;
}

/** Gives the user a password, for sign-ins by password. */
export async function setPassword(user: TestUser, password: string): Promise<void> {
  await runOrThrow('chpasswd', [], { input: `${user.name}:${password}\n` });
}

/** Writes a file into the user's home, owned by them, with the folders above it. */
export function writeInHome(user: TestUser, path: string, text: string): void {
  const file = join(user.home, path);
  const missing: string[] = [];
  for (let folder = dirname(file); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) {
    mkdirSync(folder, { mode: 0o755 });
    chownSync(folder, user.uid, user.gid);
  }
  writeFileSync(file, text, { mode: 0o644 });
  chownSync(file, user.uid, user.gid);
}

/** Removes the users and their homes. */
export async function removeTestUsers(): Promise<void> {
  for (const name of testUserNames) {
    if ((await lookUp(name)) !== null) await run('userdel', ['-r', name]);
  }
}

async function lookUp(name: TestUserName): Promise<TestUser | null> {
  const line = (await readFile('/etc/passwd', 'utf8')).split('\n').find(entry => entry.startsWith(`${name}:`));
  const [, , uid, gid, , home, shell] = line?.split(':') ?? [];
  return home === undefined || shell === undefined ? null : { name, uid: Number(uid), gid: Number(gid), home, shell };
}
