import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { readNvidiaSmi } from '../../../src/core/gpu/nvidiaSmi';
import { baseFields, fullFields, gpuQuery, listQuery, processQuery } from '../../../src/core/gpu/query';
import { type BoxMode, createGpuBox, type GpuBox } from '../../support/gpubox/gpubox';
import { run } from '../../support/processes';
import { mib } from './check';

const children: ChildProcess[] = [];
const folders: string[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** Under a folder that other users may enter. */
function box(): GpuBox {
  const folder = mkdtempSync('/tmp/headroom-gpubox-');
  folders.push(folder);
  chmodSync(folder, 0o755);
  return createGpuBox(join(folder, "it's a box"));
}

/** A real process that does nothing, for as long as the test wants. */
function sleeper(): number {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  children.push(child);
  return child.pid as number;
}

async function ask(at: GpuBox, commandLine: string, shell: readonly string[] = []) {
  const [, ...args] = commandLine.split(' ');
  const [command = '', ...rest] = [...shell, at.nvidiaSmi, ...args];
  const { code, stdout, stderr } = await run(command, rest, { env: { PATH: '/usr/bin:/bin' } });
  expect(stderr).toBe('');
  return { stdout, code, ...readNvidiaSmi({ args: commandLine, exitCode: code, text: stdout }) };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error('The condition did not come true in time.');
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

test('four idle cards, as our own reader sees them', async () => {
  const { gpus, error, partial } = await ask(box(), gpuQuery(fullFields));
  expect({ error, partial, count: gpus.length }).toEqual({ error: null, partial: false, count: 4 });
  expect(new Set(gpus.map(gpu => gpu.uuid)).size).toBe(4);
  expect(gpus[2]).toMatchObject({
    index: 2,
    name: 'NVIDIA RTX PRO 6000 Blackwell Workstation Edition',
    memoryTotalBytes: mib(97887),
    memoryUsedBytes: mib(4),
    utilization: 0,
    powerWatts: 16,
    powerLimitWatts: 600,
    migEnabled: false,
  });
});

test('a process counts while it lives', async () => {
  const at = box();
  const pid = sleeper();
  at.setProcess({ gpu: 1, pid, name: '/opt/a, b/python3', mib: 40_000, util: 97 });
  const uuid = (await ask(at, listQuery)).gpus[1]?.uuid;
  expect((await ask(at, processQuery)).processes).toEqual([
    { gpu: uuid, pid, name: '/opt/a? b/python3', memoryBytes: mib(40_000) },
  ]);
  expect((await ask(at, gpuQuery(baseFields))).gpus[1]).toMatchObject({
    memoryUsedBytes: mib(40_004),
    utilization: 97,
  });

  children.at(-1)?.kill('SIGKILL');
  await until(async () => (await ask(at, processQuery)).processes.length === 0);
  expect((await ask(at, gpuQuery(baseFields))).gpus[1]).toMatchObject({
    memoryUsedBytes: mib(4),
    utilization: 0,
    powerWatts: 15,
  });
});

test('power eases up to the load and down again', { timeout: 60_000 }, async () => {
  const at = box();
  const pid = sleeper();
  const watts = async () => (await ask(at, gpuQuery(baseFields))).gpus[0]?.powerWatts ?? 0;
  at.setProcess({ gpu: 0, pid, name: 'python3', mib: 10, util: 100, watts: 400 });
  expect(await watts()).toBeLessThan(250);
  await until(async () => (await watts()) > 300);
  at.removeProcess(pid);
  expect(await watts()).toBeGreaterThan(100);
  await until(async () => (await watts()) < 60);
  expect((await ask(at, processQuery)).processes).toEqual([]);
});

const failures: readonly (readonly [BoxMode, number, string])[] = [
  ['noDriver', 9, 'noDriver'],
  ['libMissing', 12, 'noDriver'],
  ['mismatch', 18, 'driverMismatch'],
  ['unknownError', 255, 'unknown'],
  ['permission', 4, 'permission'],
  ['noDevices', 6, 'noDevices'],
];

test.each(failures)('in mode %s every command ends with %i: %s', async (mode, code, error) => {
  const at = box();
  at.setMode(mode);
  for (const command of [
    gpuQuery(baseFields),
    processQuery,
    listQuery,
    'nvidia-smi -q -x',
    'nvidia-smi --help-query-gpu',
  ]) {
    expect(await ask(at, command)).toMatchObject({ code, error, gpus: [], processes: [] });
  }
});

test('a lost card keeps its name and says nothing else, and its processes are gone', async () => {
  const at = box();
  at.setMode('gpuLost 1');
  at.setProcess({ gpu: 1, pid: sleeper(), name: 'python3', mib: 10 });
  const { gpus, code, error, partial } = await ask(at, gpuQuery(fullFields));
  expect({ code, error, partial }).toEqual({ code: 15, error: 'gpuLost', partial: true });
  expect(gpus.map(gpu => gpu.fault)).toEqual([null, 'lost', null, null]);
  expect(gpus[1]).toMatchObject({ index: 1, memoryUsedBytes: null, powerWatts: null });
  expect((await ask(at, processQuery)).processes).toEqual([]);
  expect(await ask(at, listQuery)).toMatchObject({ error: 'gpuLost', partial: true, gpus: { length: 3 } });
});

test('a card that waits for a reset', async () => {
  const at = box();
  at.setMode('requiresReset 0');
  const { gpus, code, error, partial } = await ask(at, gpuQuery(fullFields));
  expect({ code, error, partial }).toEqual({ code: 0, error: null, partial: true });
  expect(gpus[0]).toMatchObject({
    fault: 'requiresReset',
    memoryUsedBytes: 0,
    memoryTotalBytes: mib(97887),
    utilization: null,
  });
});

test('an old driver refuses the full query and answers the base one', async () => {
  const at = box();
  at.setMode('invalidField');
  expect(await ask(at, gpuQuery(fullFields))).toMatchObject({
    code: 2,
    error: 'invalidField',
    stdout: 'Field "enforced.power.limit" is not a valid field to query.\n',
  });
  expect((await ask(at, gpuQuery(baseFields))).gpus).toHaveLength(4);
});

test('a hanging tool holds nobody who gives up on it, and answers who waits', async () => {
  const at = box();
  at.setMode('hang');
  const child = spawn(at.nvidiaSmi, ['-L'], { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  const closed = new Promise<number | null>(resolve => child.on('close', resolve));
  let answered = false;
  child.stdout.on('data', () => (answered = true));
  await until(async () => (await run('pgrep', ['-P', String(child.pid), 'sleep'])).code === 0);
  child.kill('SIGTERM');
  // `close` waits for the pipe: a child that still held it would keep us here for 30 s.
  expect(await closed).toBe(143);
  expect(answered).toBe(false);

  at.setMode('slow 0.1');
  expect((await ask(at, listQuery)).gpus).toHaveLength(4);
});

test('a delay is added in every mode', async () => {
  const at = box();
  at.setMode('noDevices');
  at.setDelaySeconds(0.3);
  const start = performance.now();
  expect((await ask(at, listQuery)).error).toBe('noDevices');
  expect(performance.now() - start).toBeGreaterThan(290);
});

test('one card is chosen by index, uuid or bus id, and the repeated form goes on until it is ended', async () => {
  const at = box();
  const uuid = (await ask(at, listQuery)).gpus[3]?.uuid;
  for (const id of ['3', uuid, '00000000:C1:00.0']) {
    expect((await ask(at, `${gpuQuery(baseFields)} -i ${id}`)).gpus.map(gpu => gpu.index)).toEqual([3]);
  }
  expect(await ask(at, `${gpuQuery(baseFields)} --id=9`)).toMatchObject({ code: 6, error: 'noDevices' });

  const child = spawn(at.nvidiaSmi, ['--query-gpu=index', '--format=csv,noheader', '-lms', '20', '-i', '2'], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await until(() => Promise.resolve(text.startsWith('2\n2\n2\n')));
  child.kill('SIGTERM');
});

test('the XML agrees with the rows, and lists graphics processes too', async () => {
  const at = box();
  at.setProcess({ gpu: 0, pid: sleeper(), name: '/usr/lib/xorg/Xorg', mib: 90, type: 'G' });
  at.setProcess({ gpu: 0, pid: sleeper(), name: '/a <b> & c', mib: 500, util: 20 });
  const rows = await ask(at, gpuQuery(fullFields));
  const xml = await ask(at, 'nvidia-smi -q -x');
  expect(xml.gpus).toEqual(rows.gpus);
  expect(xml.processes.map(process => process.name).sort()).toEqual(['/a <b> & c', '/usr/lib/xorg/Xorg']);
  expect((await ask(at, processQuery)).processes.map(process => process.name)).toEqual(['/a <b> & c']);
});

test('the table has no crooked line', async () => {
  const at = box();
  at.setProcess({ gpu: 0, pid: sleeper(), name: `/usr/bin/${'long'.repeat(20)}`, mib: 500, util: 100 });
  const { stdout } = await ask(at, 'nvidia-smi');
  const widths = new Set(
    stdout
      .split('\n')
      .filter(line => /^[|+]/.test(line))
      .map(line => line.length),
  );
  expect([...widths]).toEqual([91]);
});

test('what is not understood is refused as the real one does', async () => {
  const at = box();
  for (const command of ['nvidia-smi --bogus', 'nvidia-smi --query-gpu=index', 'nvidia-smi -x', 'nvidia-smi -i']) {
    const { code, error, stdout } = await ask(at, command);
    expect({ code, error }, command).toEqual({ code: 2, error: 'unknown' });
    expect(stdout).toContain("Please run 'nvidia-smi -h' for help.");
  }
});

test('hostile names go out as they are', async () => {
  const at = box();
  const name = String.raw`[x](command:y) $(error) \n %s 'a' "b" ${'\u202e'}${'\u001b'}[31m ${'A'.repeat(10_000)}`;
  at.setCard(0, { name });
  expect((await ask(at, gpuQuery(baseFields))).gpus[0]?.name).toBe(name);
});

test('it runs where it is linked to', async () => {
  const at = box();
  const bin = join(at.dir, 'elsewhere');
  mkdirSync(bin);
  symlinkSync(at.nvidiaSmi, join(bin, 'nvidia-smi'));
  expect((await run('sh', ['-c', 'nvidia-smi -L'], { env: { PATH: `${bin}:/usr/bin:/bin` } })).stdout).toContain(
    'GPU 3: ',
  );
});

describe.each([
  ['dash', ['dash']],
  ['busybox', ['busybox', 'sh']],
  ['bash', ['bash', '--posix']],
] as const)('under %s', (_, shell) => {
  test('it answers', async () => {
    const at = box();
    at.setProcess({ gpu: 1, pid: sleeper(), name: 'python3', mib: 100, watts: 50 });
    expect((await ask(at, gpuQuery(fullFields), shell)).gpus[1]).toMatchObject({
      memoryUsedBytes: mib(104),
      powerLimitWatts: 600,
    });
    expect((await ask(at, processQuery, shell)).processes).toHaveLength(1);
  });
});

test('busybox awk prints the same as the awk of this machine', async () => {
  const at = box();
  const bin = join(at.dir, 'busybox');
  mkdirSync(bin);
  symlinkSync('/usr/bin/busybox', join(bin, 'awk'));
  at.setProcess({ gpu: 1, pid: sleeper(), name: 'python3', mib: 100 });
  for (const args of [
    ['-L'],
    ['-q', '-x'],
    ['--query-gpu=index,uuid,memory.used,power.draw,temperature.gpu', '--format=csv'],
  ]) {
    const [own, other] = await Promise.all(
      ['/usr/bin:/bin', `${bin}:/usr/bin:/bin`].map(PATH => run(at.nvidiaSmi, args, { env: { PATH } })),
    );
    const untimed = (text: string | undefined) => text?.replace(/<timestamp>.*/, '');
    expect(other?.stderr).toBe('');
    expect(untimed(other?.stdout)).toBe(untimed(own?.stdout));
    expect(own?.stdout).not.toBe('');
  }
});

test('another user may run it, and a neighbour is a real process of that user', async () => {
  const at = box();
  // Only root can be somebody else; an ordinary user is their own neighbour.
  const uid = userInfo().uid === 0 ? 65534 : userInfo().uid;
  const neighbour = await at.startNeighbour({ gpu: 2, mib: 60_000, uid, util: 80 });
  try {
    const asOther = await run(at.nvidiaSmi, processQuery.split(' ').slice(1), { uid });
    const { processes } = readNvidiaSmi({ args: processQuery, exitCode: asOther.code, text: asOther.stdout });
    expect(processes).toMatchObject([{ pid: neighbour.pid, name: '/usr/bin/python3', memoryBytes: mib(60_000) }]);
    expect((await run('stat', ['-c', '%u', `/proc/${neighbour.pid}`])).stdout).toBe(`${uid}\n`);
  } finally {
    await neighbour.stop();
  }
  expect((await ask(at, processQuery)).processes).toEqual([]);
  expect(existsSync(`/proc/${neighbour.pid}`)).toBe(false);
});

test('how long a run takes is printed', async () => {
  const at = box();
  const times: number[] = [];
  for (let count = 0; count < 20; count++) {
    const start = performance.now();
    await ask(at, gpuQuery(fullFields));
    times.push(performance.now() - start);
  }
  const median = times.sort((a, b) => a - b)[10] ?? Number.NaN;
  console.info(`stand-in nvidia-smi: ${median.toFixed(1)} ms a run, starting it included`);
  expect(times).toHaveLength(20);
});
