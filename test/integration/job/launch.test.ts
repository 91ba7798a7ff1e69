import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { KnownAttempt } from '../../../src/control/reconcile';
import { runOrThrow, signalProcess, until } from '../../support/processes';
import { ensureTestUser } from '../../support/users';
import { createJobRig, makeFolder, removeTemporary, runAs, shells, temporaryFolder, type JobRig } from './rig';

let rig: JobRig;
afterEach(() => rig.dispose());
afterAll(removeTemporary);

const ended = ({ status }: KnownAttempt): boolean => status.kind === 'finished';
const outcomeOf = ({ status }: KnownAttempt) => (status.kind === 'finished' ? status.outcome : status);
const logOf = ({ folder }: KnownAttempt): string => readFileSync(join(folder, 'log'), 'utf8');

const finish = async (job: Parameters<JobRig['order']>[0], more?: Parameters<JobRig['order']>[1]) => {
  const order = rig.order(job, more);
  expect(await rig.launch(order)).toMatchObject({ kind: 'launched' });
  return rig.attemptWhen('it has ended', order.id, ended);
};

describe.each(shells)('in %s', shell => {
  it('a job is launched, runs, and is found with its outcome and its log', async () => {
    rig = await createJobRig({ shell });
    const order = rig.order({ run: 'echo hello; echo trouble >&2\nexit 7' });
    expect(await rig.launch(order)).toMatchObject({ kind: 'launched', attempt: { id: order.id, host: 'box' } });
    const attempt = await rig.attemptWhen('it has ended', order.id, ended);
    expect(attempt.spec).toEqual(order.spec);
    expect(attempt.status).toMatchObject({
      started: { log: join(attempt.folder, 'log') },
      ended: { exitCode: 7, oomKills: 0 },
      outcome: { kind: 'failed', exitCode: 7 },
    });
    expect(logOf(attempt)).toBe('hello\ntrouble\n');
  });

  it('the command leads a session of its own and begins with what a login begins with', async () => {
    rig = await createJobRig({ shell });
    const order = rig.order({ run: 'grep SigIgn /proc/self/status; cat /proc/self/oom_score_adj; exec sleep 300' });
    const launched = await rig.launch(order);
    if (launched.kind !== 'launched' || launched.attempt.status.kind !== 'running') throw new Error(launched.kind);
    const { command, supervisor } = launched.attempt.status.started;
    const sessionOf = (pid: number): number =>
      Number(
        readFileSync(`/proc/${pid}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')[3],
      );
    expect(sessionOf(command.pid)).toBe(command.pid);
    expect(sessionOf(supervisor.pid)).not.toBe(command.pid);
    expect(sessionOf(supervisor.pid)).not.toBe(sessionOf(process.pid));
    const attempt = await rig.attemptWhen('it says so', order.id, known => logOf(known).includes('\n500\n'));
    // SIGINT is bit 2: ignored, no Python would ever raise KeyboardInterrupt.
    expect(logOf(attempt)).toContain('SigIgn:\t0000000000000000');
    expect(readFileSync(`/proc/${supervisor.pid}/oom_score_adj`, 'utf8')).toBe('0\n');
    expect(readdirSync(`/proc/${supervisor.pid}/fd`).filter(fd => Number(fd) < 10).length).toBe(3);

    // What is meant for the job and hits the supervisor does not end it.
    for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) signalProcess(supervisor.pid, signal);
    signalProcess(command.pid, 'SIGTERM');
    const done = await rig.attemptWhen('it has ended', order.id, ended);
    expect(outcomeOf(done)).toEqual({ kind: 'killed', signal: 15 });
  });

  it('the environment is the captured one, the file’s and the job’s, in that order, and nobody else’s', async () => {
    rig = await createJobRig({ shell, env: { RUN: 'exported', SECRET_OF_THE_LOGIN: 'x', SPEC: 'exported' } });
    writeFileSync(
      join(rig.home, 'job.env'),
      '# comment\r\nA=file\nexport B="from $HOME"\nC=\'x=y\'\nbad-name=1\nD=end',
    );
    const attempt = await finish(
      { run: 'env | sort', env: new Map([['A', 'job {attempt} {value}']]), envFile: '~/job.env', name: 'it’s "it"' },
      {
        value: 16384,
        gpus: ['GPU-1', 'GPU-2'],
        login: new Map([
          ['PATH', '/usr/bin:/bin'],
          ['HOME', rig.home],
          ['A', 'login'],
          ['MULTI', "one\ntwo 'quoted' $(id)\\"],
          ['SHELLOPTS', 'noexec'],
          ['PWD', '/nowhere'],
          ['HEADROOM_ATTEMPT', 'outer'],
        ]),
      },
    );
    const lines = logOf(attempt).split('\n');
    const own = lines.filter(line => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line) && line !== '');
    expect(own).toEqual(
      [
        `A=job ${attempt.id} 16384`,
        'B=from $HOME',
        'C=x=y',
        'CUDA_VISIBLE_DEVICES=GPU-1,GPU-2',
        'D=end',
        `HEADROOM_ATTEMPT=${attempt.id}`,
        'HEADROOM_JOB=it’s "it"',
        'HEADROOM_VALUE=16384',
        `HOME=${rig.home}`,
        'MULTI=one',
        'PATH=/usr/bin:/bin',
        'PYTHONUNBUFFERED=1',
        "two 'quoted' $(id)\\",
      ].sort((a, b) => (a < b ? -1 : 1)),
    );
    expect(lines).toContain(`PWD=${rig.home}`);
  });

  it('files of the job get the user’s umask, and those of the job directory none of it', async () => {
    rig = await createJobRig({ shell, umask: '002' });
    const attempt = await finish({ run: ': >made' });
    expect(statSync(join(rig.home, 'made')).mode & 0o777).toBe(0o664);
    expect(statSync(attempt.folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(attempt.folder)) {
      expect([name, statSync(join(attempt.folder, name)).mode & 0o077]).toEqual([name, 0]);
    }
    chmodSync(rig.home, 0o755);
    const bob = await ensureTestUser('hr-bob');
    for (const name of ['log', 'env', 'run', 'spec.json', 'status', '']) {
      expect(await runAs(bob, 'ls', ['-d', join(attempt.folder, name)])).toMatchObject({ code: 2 });
    }
  });

  it('what kept the command from starting is said', async () => {
    rig = await createJobRig({ shell });
    const message = async (job: Parameters<JobRig['order']>[0]): Promise<string> => {
      const outcome = outcomeOf(await finish(job));
      return outcome.kind === 'failedToStart' ? outcome.message : outcome.kind;
    };
    expect(await message({ cwd: '~/gone' })).toBe('The directory ~/gone cannot be entered.');
    expect(await message({ envFile: '~/.env' })).toBe('The file with environment variables cannot be read.');
    expect(await message({ setup: ['true', 'not-there --at-all'] })).toBe(
      'Line 2 of the setup failed with exit code 127.',
    );
  });

  it('setup lines run in the same shell as the command', async () => {
    rig = await createJobRig({ shell });
    const attempt = await finish({
      setup: ['here=$PWD', 'word=set'],
      run: 'echo "$word $here ${headroom_at:-none}"',
      cwd: '~',
    });
    expect(logOf(attempt)).toBe(`set ${rig.home} none\n`);
  });

  it('a command that leaves something running at once has detached it', async () => {
    rig = await createJobRig({ shell });
    expect(outcomeOf(await finish({ run: 'sleep 300 & :' }))).toEqual({ kind: 'detached' });
    expect(outcomeOf(await finish({ run: 'setsid sleep 300 & :' }))).toEqual({ kind: 'detached' });
    expect(outcomeOf(await finish({ run: 'sleep 300 & exit 3' }))).toEqual({ kind: 'failed', exitCode: 3 });
    expect(outcomeOf(await finish({ run: 'sleep 0.3 & :' }))).toEqual({ kind: 'succeeded' });
  });

  it('logs go where the user wants them', async () => {
    rig = await createJobRig({ shell, place: { logs: '~/logs of jobs' } });
    const attempt = await finish({});
    const log = join(rig.home, 'logs of jobs', `${attempt.id}.log`);
    expect(readFileSync(log, 'utf8')).toBe('hello\n');
    expect(statSync(log).mode & 0o777).toBe(0o600);
    expect(attempt.status).toMatchObject({ started: { log } });
  });

  it('nothing secret or typed by the user is ever in an argument list', async () => {
    rig = await createJobRig({ shell });
    const planted = 'Zq7planted';
    const order = rig.order({
      name: `${planted}-name`,
      run: `: ${planted}-run; sleep 0.2`,
      env: new Map([['TOKEN', `${planted}-env`]]),
      setup: [`: ${planted}-setup`],
    });
    const seen = new Set<string>();
    const watching = new AbortController();
    const watch = (async () => {
      while (!watching.signal.aborted) {
        for (const pid of readdirSync('/proc').filter(name => /^\d+$/.test(name))) {
          try {
            seen.add(readFileSync(`/proc/${pid}/cmdline`, 'utf8'));
          } catch {
            // Gone in between.
          }
        }
        await new Promise(resolve => setImmediate(resolve));
      }
    })();
    await rig.launch(order);
    const attempt = await rig.attemptWhen('it has ended', order.id, ended);
    watching.abort();
    await watch;
    // It has looked closely enough to see the supervisor, and the command.
    expect([...seen].some(line => line.includes('./supervise') && line.includes(order.id))).toBe(true);
    expect([...seen].some(line => line.includes(`${order.id}/run`))).toBe(true);
    expect([...seen].filter(line => line.includes(planted))).toEqual([]);
    for (const name of readdirSync(attempt.folder).filter(
      file => !['run', 'env', 'spec.json', 'claim'].includes(file),
    )) {
      expect(readFileSync(join(attempt.folder, name), 'utf8')).not.toContain(planted);
    }
    expect(readFileSync(join(attempt.folder, 'spec.json'), 'utf8')).not.toContain(`${planted}-env`);
  });
});

describe('a stop', () => {
  it('that came before the end is what ended it', async () => {
    rig = await createJobRig();
    const order = rig.order({ run: 'exec sleep 300' });
    const launched = await rig.launch(order);
    if (launched.kind !== 'launched' || launched.attempt.status.kind !== 'running') throw new Error(launched.kind);
    const { command } = launched.attempt.status.started;
    const folder = join(rig.jobs()!, order.id);
    writeFileSync(join(folder, 'stopping'), 'format=1\nat=1\nby=you\nreason=would not fit\n');
    signalProcess(command.pid, 'SIGKILL');
    const attempt = await rig.attemptWhen('it has ended', order.id, ended);
    expect(outcomeOf(attempt)).toEqual({ kind: 'stopped', by: 'you', reason: 'would not fit' });
  });
});

describe('a host that cannot keep jobs', () => {
  const refusal = async (): Promise<string> => {
    const result = await rig.launch(rig.order());
    return result.kind === 'refused' ? `${result.failure.message} ${result.failure.advice}` : result.kind;
  };

  it('has no setsid', async () => {
    const tools = temporaryFolder();
    for (const tool of ['mkdir', 'mv', 'rm', 'dd', 'date', 'readlink', 'tr', 'tail', 'chmod']) {
      symlinkSync(`/usr/bin/${tool}`, join(tools, tool));
    }
    symlinkSync('/bin/dash', join(tools, 'sh'));
    rig = await createJobRig({ env: { PATH: tools } });
    expect(await refusal()).toContain('the tool “setsid” is not there');
    expect(rig.jobs()).toBeNull();
  });

  it('has no home for the login', async () => {
    rig = await createJobRig({ env: { HOME: '' } });
    expect(await refusal()).toContain('box cannot run jobs: the login has no home directory.');
  });

  it('was given a folder that is no absolute path', async () => {
    rig = await createJobRig({ place: { state: 'state' } });
    expect(await refusal()).toContain('is no absolute path');
    await expect(rig.list()).rejects.toThrow('is no absolute path');
  });

  it('lets somebody else own the folder, or that of the logs', async () => {
    const state = temporaryFolder();
    makeFolder(join(state, 'headroom'), await ensureTestUser('hr-bob'));
    chmodSync(join(state, 'headroom'), 0o777);
    rig = await createJobRig({ place: { state } });
    expect(await refusal()).toContain('somebody else');
    expect(readdirSync(join(state, 'headroom'))).toEqual([]);
    await expect(rig.list()).rejects.toThrow('somebody else');

    await rig.dispose();
    rig = await createJobRig({ place: { logs: join(state, 'headroom') } });
    expect(await refusal()).toContain('somebody else');
    expect(readdirSync(rig.jobs()!)).toEqual([]);
  });

  it('has a home that may not be written to: the message names a folder that may, and there it works', async () => {
    rig = await createJobRig({ env: { HOME: '/usr' } });
    expect(await refusal()).toMatch(/may not be written to .* settings: \/var\/tmp can be written to\./);
    await rig.dispose();
    const state = temporaryFolder();
    chmodSync(state, 0o1777);
    rig = await createJobRig({ env: { HOME: '/nonexistent' }, place: { state: join(state, 'of mine') } });
    expect((await finish({})).folder).toContain(state);
  });

  it.each([
    { name: 'a full disk', fill: true, options: 'size=256k', message: 'the disk is full' },
    { name: 'a read-only file system', fill: false, options: 'ro', message: 'read-only' },
  ])('has $name: that is said, and nothing is left', async ({ fill, options, message }) => {
    const state = temporaryFolder();
    rig = await createJobRig({ place: { state } });
    makeFolder(state, rig.user);
    await runOrThrow('mount', ['-t', 'tmpfs', '-o', `mode=755,uid=${rig.user.uid},${options}`, 'tmpfs', state]);
    try {
      if (fill) writeFileSync(join(state, 'ballast'), Buffer.alloc(220 * 1024));
      expect(await refusal()).toContain(message);
      expect(rig.jobs() === null ? [] : readdirSync(rig.jobs()!)).toEqual([]);
      expect(await rig.list()).toEqual([]);
    } finally {
      await runOrThrow('umount', [state]);
    }
  });
});

describe('a disk that fills up while the job runs', () => {
  it('delays the outcome and does not lose it', async () => {
    const state = temporaryFolder();
    rig = await createJobRig({ place: { state } });
    makeFolder(state, rig.user);
    await runOrThrow('mount', ['-t', 'tmpfs', '-o', `mode=755,uid=${rig.user.uid},size=512k`, 'tmpfs', state]);
    try {
      const ballast = join(state, 'ballast');
      const order = rig.order({ run: `cat /dev/zero >'${ballast}' 2>/dev/null; exit 5` });
      await rig.launch(order);
      const folder = join(rig.jobs()!, order.id);
      await until('the supervisor has tried', () => existsSync(join(folder, 'status.new')));
      const [attempt] = await rig.list();
      expect(attempt?.status.kind).toBe('running');
      rmSync(ballast);
      const done = await rig.attemptWhen('it has ended', order.id, ended);
      expect(outcomeOf(done)).toEqual({ kind: 'failed', exitCode: 5 });
    } finally {
      await rig.dispose();
      await runOrThrow('umount', [state]);
    }
  });
});

describe('a host without a machine id', () => {
  it('is called by its boot and its name, and what ran before the last boot is found', async () => {
    // As in a container: the file is there and empty.
    const wrap = (command: string): readonly string[] => [
      ...['unshare', '--mount', '/bin/sh', '-c'],
      `mount --bind /dev/null /etc/machine-id && exec setpriv --reuid hr-alice --regid hr-alice --init-groups /bin/sh -c '${command}'`,
    ];
    rig = await createJobRig({ wrap });
    const order = rig.order();
    expect(await rig.launch(order)).toMatchObject({ kind: 'launched' });
    const { folder } = await rig.attemptWhen('it has ended', order.id, ended);
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const machine = basename(dirname(dirname(folder)));
    expect(machine).toMatch(new RegExp(`^${bootId}-[A-Za-z0-9._-]+$`));

    const before = machine.replace(bootId, '11111111-2222-3333-4444-555555555555');
    const machines = dirname(dirname(dirname(folder)));
    renameSync(join(machines, machine), join(machines, before));
    // The home may be another machine's too, with ours as the end of its name.
    const neighbours = join(machines, machine.replace(bootId, '11111111-2222-3333-4444-555555555555-not'));
    await runOrThrow('cp', ['-a', join(machines, before), neighbours]);
    renameSync(join(neighbours, 'jobs', order.id), join(neighbours, 'jobs', 'neighbours'));
    const again = rig.order();
    expect(await rig.launch(again)).toMatchObject({ kind: 'launched' });
    expect((await rig.list()).map(({ id }) => id).sort()).toEqual([order.id, again.id].sort());
  });
});
