import { spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchAttempt, type LaunchResult } from '../../../src/control/launch';
import type { Connection, JobPlace, LaunchOrder, RunResult } from '../../../src/control/ports';
import { reconcile, type KnownAttempt } from '../../../src/control/reconcile';
import { linkLost } from '../../../src/core/errors';
import { oneShotScript, readOneShot } from '../../../src/core/host/remoteScript';
import type { AttemptId } from '../../../src/core/job/attempt';
import { attemptIdBytes, newAttemptId } from '../../../src/core/job/attemptId';
import type { Job } from '../../../src/core/job/job';
import { runTexts, type RunOrder } from '../../../src/core/job/directory/runScript';
import { jobScripts } from '../../../src/hosts/jobScripts';
import { run as runProgram, runOrThrow, signalProcess, until } from '../../support/processes';
import { ensureTestUser, type TestUser } from '../../support/users';

export const shells = ['dash', 'busybox', 'bash'] as const;

export interface RigOptions {
  /** The shell of the host, and with busybox all of its tools: there is no bash then. */
  readonly shell?: (typeof shells)[number];
  /** Of the login; octal. */
  readonly umask?: string;
  /** A folder of tools that stands before all others. */
  readonly tools?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Words before the shell: `unshare -m …`. They run as root, and have to become the user themselves. */
  readonly wrap?: (command: string) => readonly string[];
  readonly place?: Partial<JobPlace>;
}

/** A host that is reached without SSH: its scripts are children of this process, run as an ordinary user. */
export interface JobRig {
  readonly user: TestUser;
  /** The user's home, of this test's own. */
  readonly home: string;
  readonly connection: Connection;
  order(job?: Partial<Job>, more?: Partial<Omit<RunOrder, 'job'>> & { readonly parent?: AttemptId }): LaunchOrder;
  launch(order: LaunchOrder): Promise<LaunchResult>;
  list(): Promise<readonly KnownAttempt[]>;
  /** The attempt as the next listing tells of it, once it is as wished. */
  attemptWhen(what: string, id: AttemptId, wished: (attempt: KnownAttempt) => boolean): Promise<KnownAttempt>;
  /** Runs a script as the user, in the one-shot form. */
  run(script: string, env?: Readonly<Record<string, string>>): Promise<RunResult>;
  /** The folder of all attempts, or null when there is none yet. */
  jobs(): string | null;
  dispose(): Promise<void>;
}

const nonce = 'a7d0c9e1';

const temporary: string[] = [];

/** A folder that every user can look into, removed at the end of the test file by `removeTemporary`. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-jobs-'));
  chmodSync(folder, 0o755);
  temporary.push(folder);
  return folder;
}

export function removeTemporary(): void {
  for (const folder of temporary.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** A PATH on which `sh` is that shell. With busybox it is all there is, as on Alpine. */
async function toolsOf(shell: (typeof shells)[number]): Promise<string> {
  const folder = temporaryFolder();
  if (shell === 'busybox') {
    await runOrThrow('busybox', ['--install', '-s', folder]);
    return folder;
  }
  symlinkSync(`/bin/${shell}`, join(folder, 'sh'));
  return `${folder}:/usr/local/bin:/usr/bin:/bin`;
}

export async function createJobRig(options: RigOptions = {}): Promise<JobRig> {
  const { shell = 'dash', env = {}, wrap, umask = '022' } = options;
  const user = await ensureTestUser('hr-alice');
  const home = temporaryFolder();
  chownSync(home, user.uid, user.gid);
  const path = [...(options.tools === undefined ? [] : [options.tools]), await toolsOf(shell)].join(':');
  const place: JobPlace = { state: null, logs: null, ...options.place };
  const orders: LaunchOrder[] = [];

  const run = (script: string, more: Readonly<Record<string, string>> = {}): Promise<RunResult> =>
    new Promise(resolve => {
      const command = `umask ${umask}; exec sh -s`;
      const [program = 'sh', ...args] = wrap?.(command) ?? ['/bin/sh', '-c', command];
      const child = spawn(program, args, {
        cwd: '/',
        env: { PATH: path, HOME: home, ...env, ...more },
        stdio: ['pipe', 'pipe', 'pipe'],
        // A session of its own, as sshd makes one.
        detached: true,
        ...(wrap === undefined ? { uid: user.uid, gid: user.gid } : {}),
      });
      let stdout = '';
      let stderr = '';
      child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
      child.stdin.on('error', () => undefined);
      child.on('error', error => resolve({ kind: 'lost', failure: linkLost('box', error.message) }));
      // When the descriptors are closed: a supervisor that held one would keep a channel open.
      child.on('close', (code, signal) => {
        const out = readOneShot(stdout, nonce);
        const texts = { stdout: out.text, stderr };
        if (!out.begun || code === null) resolve({ kind: 'signalled', signal: signal ?? 'unknown', ...texts });
        else resolve({ kind: 'exited', code: out.code ?? code, ...texts });
      });
      child.stdin.end(oneShotScript(script, nonce));
    });

  const connection: Connection = {
    onClosed: () => ({ dispose: () => undefined }),
    run: script => run(script),
    openStream: () => Promise.resolve({ kind: 'failed', failure: linkLost('box', 'no streams here') }),
    dispose: () => undefined,
  };
  const shared = { host: 'box', connection, scripts: jobScripts, place };

  const rig: JobRig = {
    user,
    home,
    connection,
    order(job = {}, { parent, ...more } = {}) {
      const attempt = more.attempt ?? newId();
      const whole: Job = { ...plainJob, cwd: home, ...job };
      const texts = runTexts({ attempt, job: whole, value: null, login: plainLogin(home), gpus: null, ...more });
      const spec = {
        format: 1,
        job: whole.name,
        run: whole.run,
        cwd: whole.cwd,
        values: {},
        parent: parent ?? null,
        gpus: null,
        createdAtMs: 1_700_000_000_000,
        source: null,
      } as const;
      const order = { id: attempt, spec, ...texts };
      orders.push(order);
      return order;
    },
    launch: order => launchAttempt({ ...shared, order }),
    async list() {
      const result = await reconcile(shared);
      if (result.kind === 'failed') throw new Error(`${result.failure.message} ${result.failure.advice}`);
      return result.attempts;
    },
    attemptWhen: (what, id, wished) =>
      until(what, async () => (await rig.list()).find(attempt => attempt.id === id && wished(attempt))),
    run,
    jobs() {
      const folder = join(place.state ?? join(home, '.local/state'), 'headroom');
      try {
        const [machine] = readdirSync(folder);
        return machine === undefined ? null : join(folder, machine, 'jobs');
      } catch {
        return null;
      }
    },
    async dispose() {
      // First the supervisors, so that nothing is written any more, then what they ran.
      for (const { id } of orders) for (const pid of [...supervisorPids(id), ...markedPids(id)]) killQuietly(pid);
      await until('nothing of the attempts is left', () =>
        orders.every(({ id }) => markedPids(id).length + supervisorPids(id).length === 0),
      );
      rmSync(home, { recursive: true, force: true });
    },
  };
  return rig;
}

export const newId = (): AttemptId => newAttemptId(Date.now(), crypto.getRandomValues(new Uint8Array(attemptIdBytes)));

const plainJob: Job = {
  name: 'drafter',
  host: 'box',
  cwd: '/',
  run: 'echo hello',
  setup: [],
  env: new Map(),
  envFile: null,
  gpus: { kind: 'unpinned' },
  parameters: [],
  outputs: [],
  fitsAfter: null,
};

const plainLogin = (home: string): ReadonlyMap<string, string> =>
  new Map([
    ['PATH', '/usr/local/bin:/usr/bin:/bin'],
    ['HOME', home],
  ]);

/** The processes whose /proc entry passes, by pid; zombies have neither environment nor arguments. */
function pidsWhere(file: 'environ' | 'cmdline', passes: (parts: readonly string[]) => boolean): readonly number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .filter(pid => {
      try {
        return passes(readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\0'));
      } catch {
        return false;
      }
    })
    .map(Number);
}

/** Processes whose environment carries the id. */
export const markedPids = (id: AttemptId): readonly number[] =>
  pidsWhere('environ', parts => parts.includes(`HEADROOM_ATTEMPT=${id}`));

/** Supervisors of the attempt, and what they forked and has not become something else. */
export const supervisorPids = (id: AttemptId): readonly number[] =>
  pidsWhere('cmdline', parts => parts.includes('./supervise') && parts.includes(id));

function killQuietly(pid: number): void {
  try {
    signalProcess(pid, 'SIGKILL');
  } catch {
    // Gone in between.
  }
}

/** Runs a program to its end as the rig's user. */
export const runAs = (user: TestUser, program: string, args: readonly string[], input = '') =>
  runProgram(program, args, { uid: user.uid, gid: user.gid, cwd: '/', input });

export const makeFolder = (path: string, { uid, gid }: TestUser): void => {
  mkdirSync(path, { recursive: true });
  chownSync(path, uid, gid);
};
