import { spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createGpuBox, type GpuBox } from '../../support/gpubox/gpubox';
import { isAlive, runOrThrow, signalProcess, treeOf, until } from '../../support/processes';
import { startWatch, type RunningWatch, type WatchSetUp } from './watchScript';

let dir: string;
let box: GpuBox;
let open: RunningWatch[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'watch-'));
  box = createGpuBox(join(dir, 'box'));
  open = [];
});

afterEach(async () => {
  for (const watch of open) await watch.dispose();
  rmSync(dir, { recursive: true, force: true });
});

async function start(shell: string, extra: Partial<WatchSetUp> = {}): Promise<RunningWatch> {
  const watch = await startWatch({ shell, dir, nvidiaSmi: box.nvidiaSmi, ...extra });
  open.push(watch);
  return watch;
}

/** nvidia-smi by a script of this test, which finds `$runs`, a file that has a line for each run. */
function tool(body: string): string {
  const file = join(dir, 'nvidia-smi');
  const runs = join(dir, 'runs');
  writeFileSync(file, `#!/bin/sh\nruns='${runs}'\necho "$$ $*" >>"$runs"\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}
const runs = (): string[] => readFileSync(join(dir, 'runs'), 'utf8').trim().split('\n');

describe.each(['dash', 'busybox sh', 'bash'])('watch.sh in %s', shell => {
  it('says where it runs', async () => {
    const watch = await start(shell);
    expect(watch.identity).toEqual({
      system: 'Linux',
      hostname: readFileSync('/proc/sys/kernel/hostname', 'utf8').trim(),
      machineId: readFileSync('/etc/machine-id', 'utf8').trim() || null,
      bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
      firstPidNamespace: readlinkSync('/proc/self/ns/pid') === 'pid:[4026531836]',
      nvidiaSmi: box.nvidiaSmi,
    });
    expect(watch.stderr()).toBe('');
  });

  it('answers a tick with memory at once, and asks no GPU unless it is told to', async () => {
    const watch = await start(shell, { nvidiaSmi: tool('exit 0') });
    const frame = await watch.tick('-');
    expect(frame).toMatchObject({ seq: 1, gpu: { kind: 'idle' }, queryStarted: false });
    expect(frame.uptimeSeconds).toBeGreaterThan(0);
    const { totalBytes, availableBytes, oomKills } = frame.memory;
    expect(totalBytes).toBeGreaterThan(0);
    expect(availableBytes).toBeGreaterThan(0);
    expect(availableBytes).toBeLessThanOrEqual(totalBytes ?? 0);
    expect(oomKills).not.toBeNull();
    expect(readdirSync(dir)).not.toContain('runs');
    expect((await watch.tick('-')).seq).toBe(2);
  });

  it('tells GPUs, processes and their users', async () => {
    const sleeper = spawn('sleep', ['60']);
    try {
      box.setProcess({ gpu: 1, pid: sleeper.pid ?? 0, name: 'python3', mib: 2048 });
      const watch = await start(shell);
      const { answer } = await watch.tickUntil('answered', 'gpl');
      expect(answer).toMatchObject({ error: null, partial: false });
      expect(answer.gpus).toHaveLength(4);
      expect(answer.gpus[1]).toMatchObject({ index: 1, powerLimitWatts: 600, memoryTotalBytes: 97_887 * 2 ** 20 });
      expect(answer.processes).toEqual([
        {
          gpu: answer.gpus[1]?.uuid,
          pid: sleeper.pid,
          name: 'python3',
          memoryBytes: 2048 * 2 ** 20,
          user: watch.identity.firstPidNamespace === true ? userInfo().username : null,
        },
      ]);
      expect((await watch.tickUntil('answered', 'g')).answer.processes).toBeNull();
    } finally {
      sleeper.kill();
    }
  });

  it('goes on while nvidia-smi hangs, with one query under way and no second', async () => {
    const hanging = tool(`[ -e '${dir}/on' ] || sleep 600; echo 'No devices were found'; exit 6`);
    const watch = await start(shell, { nvidiaSmi: hanging });
    expect(await watch.tick('gp')).toMatchObject({ gpu: { kind: 'running', forMs: 0 }, queryStarted: true });
    await until('the query has been under way for a while', async () => {
      const { gpu, queryStarted } = await watch.tick('gp');
      expect(queryStarted).toBe(false);
      return gpu.kind === 'running' && gpu.forMs >= 200;
    });
    expect(runs()).toHaveLength(1);

    // Ended from outside, as by its time limit.
    const stuck = await until('the tool sleeps', () =>
      treeOf(watch.pid).find(({ pid }) => commandOf(pid) === 'sleep 600'),
    );
    writeFileSync(join(dir, 'on'), '');
    signalProcess(stuck.pid);
    const { answer } = await watch.tickUntil('answered', '-');
    expect(answer).toMatchObject({ error: 'noDevices', gpus: [] });
    expect(answer.durationMs).toBeGreaterThanOrEqual(200);
  });

  it('rests after a query for four times as long as it took', async () => {
    box.setDelaySeconds(0.3);
    const watch = await start(shell);
    const { answer, uptimeMs } = await watch.tickUntil('answered', 'g');
    expect(answer.durationMs).toBeGreaterThanOrEqual(300);
    expect(await watch.tick('g')).toMatchObject({ gpu: { kind: 'idle' }, queryStarted: false });
    // The first began `durationMs` before it ended, and that was `ageMs` before the frame that told it.
    const beganMs = uptimeMs - answer.ageMs - answer.durationMs;
    const second = await until('a second query begins', async () => {
      const frame = await watch.tick('g');
      return frame.queryStarted ? frame : null;
    });
    expect((second.uptimeSeconds ?? 0) * 1000 - beganMs).toBeGreaterThanOrEqual(4 * answer.durationMs - 20);
  });

  it('tells what the tool said and how it ended', async () => {
    box.setMode('mismatch');
    const watch = await start(shell);
    expect((await watch.tickUntil('answered', 'g')).answer).toMatchObject({ error: 'driverMismatch', gpus: [] });
  });

  it('asks an old driver for less, and remembers', async () => {
    box.setMode('invalidField');
    const watch = await start(shell, { nvidiaSmi: tool(`exec '${box.nvidiaSmi}' "$@"`) });
    for (const expectedRuns of [2, 3]) {
      const { answer } = await watch.tickUntil('answered', 'g');
      expect(answer).toMatchObject({ error: null, partial: false });
      expect(answer.gpus).toHaveLength(4);
      expect(answer.gpus[0]).toMatchObject({ powerLimitWatts: 600, migEnabled: null });
      expect(runs()).toHaveLength(expectedRuns);
    }
  });

  it.each(['its input ends', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves nothing behind when %s during a query',
    async how => {
      const watch = await start(shell, { nvidiaSmi: tool('exec sleep 600') });
      await watch.tick('g');
      await until('the tool runs', () => readdirSync(dir).includes('runs'));
      const tree = treeOf(watch.pid).map(({ pid }) => pid);
      expect(tree.length).toBeGreaterThan(1);
      expect(watch.scratchFolders()).toHaveLength(1);
      if (how === 'its input ends') watch.endInput();
      else watch.signal(how);
      expect(await watch.ended).toBe(0);
      expect(watch.scratchFolders()).toEqual([]);
      await until('all of its processes are gone', () => !tree.some(isAlive));
      expect(watch.stderr()).toBe('');
    },
  );

  it('takes away what a watch left behind that was killed outright, and nothing of a living one', async () => {
    const killed = await start(shell);
    await killed.tickUntil('answered', 'g');
    const living = await start(shell);
    await living.tickUntil('answered', 'g');
    killed.signal('SIGKILL');
    await killed.ended;
    expect(living.scratchFolders()).toHaveLength(2);
    const next = await start(shell);
    await next.tickUntil('answered', 'g');
    const owners = next.scratchFolders().map(name => Number(name.split('.').at(-2)));
    expect(owners.sort()).toEqual([living.pid, next.pid].sort());
  });

  it('takes nothing away through a link that somebody put where it would clean up', async () => {
    const first = await start(shell);
    await first.tickUntil('answered', 'g');
    const [name = ''] = first.scratchFolders();
    const work = join(dir, 'work');
    mkdirSync(work);
    writeFileSync(join(work, 'answer'), '42');
    const link = join(first.scratchPlace, name.replace(/\.\d+\.[^.]*$/, '.999999999.xxxxxx'));
    symlinkSync(work, link);
    const next = await start(shell);
    await next.tickUntil('answered', 'g');
    expect(readFileSync(join(work, 'answer'), 'utf8')).toBe('42');
  });

  it('keeps an answer without end short', async () => {
    const watch = await start(shell, { nvidiaSmi: tool('exec yes 0123456789') });
    const { answer } = await watch.tickUntil('answered', 'g');
    expect(answer.error).not.toBeNull();
    expect(watch.bytes()).toBeLessThan(2_200_000);
    expect(await watch.tick('-')).toMatchObject({ gpu: { kind: 'idle' } });
  });

  it('does its work whatever the login has set', async () => {
    // As grep does until 3.5.
    const old = join(dir, 'old');
    mkdirSync(old);
    writeFileSync(join(old, 'grep'), '#!/bin/sh\nPATH=${PATH#*:}\nexec grep $GREP_OPTIONS "$@"\n', { mode: 0o755 });
    const env = {
      TMOUT: '1',
      GREP_OPTIONS: '--color=always',
      SHELLOPTS: 'errexit:noclobber:noglob:nounset:xtrace',
      IFS: '0',
      CDPATH: '/tmp',
      POSIXLY_CORRECT: '1',
      ENV: '/nowhere',
      NONCE: 'a',
    };
    const watch = await start(shell, { env, path: `${old}:${process.env['PATH'] ?? ''}` });
    await watch.tickUntil('answered', 'gp');
    const frame = await watch.tick('-');
    expect(frame.memory.totalBytes).toBeGreaterThan(0);
    // Longer than bash would wait for a line.
    await new Promise(resolve => setTimeout(resolve, 1_500));
    expect(await watch.tick('-')).toMatchObject({ gpu: { kind: 'idle' } });
    expect((await watch.tickUntil('answered', 'gp')).answer.gpus).toHaveLength(4);
  });

  it('makes itself a new scratch folder when the old one is gone', async () => {
    const watch = await start(shell);
    await watch.tickUntil('answered', 'g');
    for (const name of watch.scratchFolders()) rmSync(join(watch.scratchPlace, name), { recursive: true });
    await until('a query begins', async () => (await watch.tick('g')).queryStarted);
    expect((await watch.tickUntil('answered', '-')).answer.gpus).toHaveLength(4);
  });

  it('holds nothing more after a thousand ticks, and prints what they cost', async () => {
    const watch = await start(shell);
    await watch.tickUntil('answered', 'gp');
    const held = { files: openFiles(watch.pid), processes: treeOf(watch.pid).length };
    const before = { cpuMs: cpuMs(watch.pid), bytes: watch.bytes() };
    for (let count = 0; count < 1000; count += 1) await watch.tick('-');
    const perTick = { cpuMs: (cpuMs(watch.pid) - before.cpuMs) / 1000, bytes: (watch.bytes() - before.bytes) / 1000 };
    console.log(`${shell}: ${perTick.cpuMs.toFixed(2)} ms of CPU and ${perTick.bytes.toFixed(0)} bytes a tick`);
    expect({ files: openFiles(watch.pid), processes: treeOf(watch.pid).length }).toEqual(held);
  });
});

it('needs no more than busybox', async () => {
  const watch = await start('/usr/bin/busybox sh', { path: await busyboxFolder() });
  const { answer } = await watch.tickUntil('answered', 'gpl');
  expect(answer).toMatchObject({ error: null, partial: false });
  expect(answer.gpus).toHaveLength(4);
});

it('says so when there is no nvidia-smi', async () => {
  const watch = await start('dash', { nvidiaSmi: join(dir, 'nowhere') });
  expect(watch.identity.nvidiaSmi).toBeNull();
  expect((await watch.tick('gp')).gpu).toEqual({ kind: 'noTool' });
});

it('says so when its scratch files have no place, and goes on with memory', async () => {
  const path = await busyboxFolder();
  rmSync(join(path, 'mktemp'));
  const watch = await start('/usr/bin/dash', { path });
  const frame = await watch.tick('g');
  expect(frame.queryStarted).toBe(false);
  expect(frame.gpu).toEqual({ kind: 'broken', reason: 'no folder for scratch files can be written to' });
  expect(frame.memory.totalBytes).toBeGreaterThan(0);
});

/** A folder with nothing but busybox under all its names. */
async function busyboxFolder(): Promise<string> {
  const bin = join(dir, 'bin');
  await runOrThrow('sh', ['-c', `mkdir '${bin}' && busybox --install -s '${bin}'`]);
  return bin;
}

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();

/** Of the shell and of the children it has waited for; the kernel counts hundredths of a second here. */
function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
}
