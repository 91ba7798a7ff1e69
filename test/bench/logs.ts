import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogFollower, type LogFollower } from '../../src/control/logFollower';
import type { Log } from '../../src/control/ports';
import { fromStart, fromTail, type LogPoint } from '../../src/core/job/log/logPoint';
import { createLogTail } from '../../src/core/job/log/logTail';
import { createTerminalFilter } from '../../src/core/present/terminalFilter';
import { systemClock } from '../../src/editor/systemClock';
import followScript from '../../src/hosts/scripts/follow.sh';
import { createRig, makeKey } from '../integration/ssh/rig';
import { endTree, startBackground, treeOf, until, type Background } from '../support/processes';
import { startSshd } from '../support/sshd';
import { ensureTestUser } from '../support/users';
import { cpuSeconds, median, memoryBytes, table, timeEach, type Row } from './measure';

const seconds = 10;
const logCount = 50;
const log: Log = { info: () => undefined, warn: console.error, error: console.error };

/** A host with an empty jobs folder, and the ways to it. */
interface Bench {
  readonly jobs: string;
  /** With a connection of its own; ended with `end`. */
  readonly follower: () => Promise<{ readonly follower: LogFollower; end(): void }>;
  /** One `ssh` by hand that follows or reads a log. */
  readonly ssh: (command: string) => ChildProcess;
  /** The process that serves everybody. */
  readonly sshd: number;
}

/** Following logs, beside one `ssh host tail -f` for each of them, in one run. */
export async function logsBench(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'));
  chmodSync(folder, 0o755);
  await ensureTestUser('hr-dash');
  const key = join(folder, 'id');
  const sshd = await startSshd({ authorizedKeys: { 'hr-dash': [await makeKey(key)] } });
  const config = [`IdentityFile ${key}`, 'StrictHostKeyChecking accept-new'];
  const rig = await createRig({ port: sshd.port, user: 'hr-dash', config });
  const jobs = join(folder, 'jobs');
  mkdirSync(jobs);
  // Both sides know the host's key before anything is timed.
  (await rig.connected()).dispose();
  const bench: Bench = {
    jobs,
    sshd: Number(readFileSync(join(sshd.folder, 'pid'), 'utf8')),
    ssh: command =>
      spawn('ssh', ['-F', join(rig.folder, 'config'), 'box', command], { stdio: ['ignore', 'pipe', 'inherit'] }),
    follower: async () => {
      const connection = await rig.connected();
      const script = (): string => `JOBS='${jobs}'\n${followScript}`;
      const follower = createLogFollower({ host: 'box', clock: systemClock, log, script });
      follower.attach(connection);
      return {
        follower,
        end() {
          follower.dispose();
          connection.dispose();
        },
      };
    },
  };
  try {
    const rows = [...(await opening(bench)), ...(await manyLogs(bench)), ...(await fastLog(bench))];
    return `\n${table(rows)}\n`;
  } finally {
    rig.dispose();
    await sshd.dispose();
    rmSync(folder, { recursive: true, force: true });
  }
}

function newLog(jobs: string, attempt: string, content = ''): string {
  mkdirSync(join(jobs, attempt));
  const file = join(jobs, attempt, 'log');
  writeFileSync(file, content);
  return file;
}

const tailBytes = 262_144;

async function opening({ jobs, follower, ssh }: Bench): Promise<readonly Row[]> {
  const file = newLog(jobs, 'big');
  truncateSync(file, 2 ** 30);
  const mine = await follower();
  const ours = await timeEach(10, () => received(mine.follower, 'big', fromTail, tailBytes));
  mine.end();
  const byHand = await timeEach(10, () => finished(ssh(`tail -c ${tailBytes} '${file}'`)));
  rmSync(file);
  return [
    { what: 'the end of a log of 1 GiB, median of 10', value: median(ours), unit: 'ms', against: median(byHand) },
    { what: '  ssh host tail -c 256K', value: median(byHand), unit: 'ms', against: null },
  ];
}

/** Resolves when so many bytes of a log have come. */
function received(follower: LogFollower, attempt: string, from: LogPoint, bytes: number): Promise<void> {
  return new Promise(resolve => {
    let left = bytes;
    const subscription = follower.subscribe({ attempt, from, live: true }, event => {
      if (event.kind === 'bytes') left -= event.bytes.length;
      if (left > 0) return;
      subscription.dispose();
      resolve();
    });
  });
}

function finished(child: ChildProcess): Promise<void> {
  child.stdout?.resume();
  return new Promise(resolve => void child.once('close', () => resolve()));
}

/** Per cent of a core that the host spends on everybody. */
async function cpuPercent(sshd: number): Promise<number> {
  const before = { cpu: cpuSeconds(sshd), ms: performance.now() };
  await sleep(seconds * 1000);
  return ((cpuSeconds(sshd) - before.cpu) / (performance.now() - before.ms)) * 100_000;
}

function mebibytes(sshd: number): number {
  let bytes = 0;
  for (const { pid } of treeOf(sshd)) {
    try {
      bytes += memoryBytes(pid);
    } catch {
      // A tool that a tick had started, and that has ended since.
    }
  }
  return bytes / (1024 * 1024);
}

interface Cost {
  readonly quiet: number;
  readonly growing: number;
  readonly memory: number;
}

async function costOf({ sshd }: Bench, files: readonly string[]): Promise<Cost> {
  await sleep(1_000);
  const quiet = await cpuPercent(sshd);
  const writer = startWriter(files.slice(0, 2), 1_000, 100);
  const growing = await cpuPercent(sshd);
  await writer.end();
  return { quiet, growing, memory: mebibytes(sshd) };
}

async function manyLogs(bench: Bench): Promise<readonly Row[]> {
  const files = Array.from({ length: logCount }, (_, index) => newLog(bench.jobs, `a${index}`, 'started\n'));
  const mine = await bench.follower();
  await Promise.all(files.map((_, index) => received(mine.follower, `a${index}`, fromStart, 8)));
  for (const index of files.keys())
    mine.follower.subscribe({ attempt: `a${index}`, from: fromStart, live: true }, () => undefined);
  const ours = await costOf(bench, files);
  mine.end();

  const tails: ChildProcess[] = [];
  for (const file of files) {
    const tail = bench.ssh(`exec tail -f '${file}'`);
    await new Promise(resolve => tail.stdout?.once('data', resolve));
    tail.stdout?.resume();
    tails.push(tail);
  }
  const theirs = await costOf(bench, files);
  for (const tail of tails) await endTree(tail);

  const each = `  ${logCount} times ssh host tail -f`;
  const unit = '% of a core';
  return [
    {
      what: `CPU of the host, ${logCount} quiet logs, 5 ticks a second`,
      value: ours.quiet,
      unit,
      against: theirs.quiet || null,
    },
    { what: each, value: theirs.quiet, unit, against: null },
    {
      what: 'CPU of the host, 2 of them growing all the time',
      value: ours.growing,
      unit,
      against: theirs.growing || null,
    },
    { what: each, value: theirs.growing, unit, against: null },
    { what: `memory of the host, ${logCount} logs`, value: ours.memory, unit: 'MiB', against: theirs.memory },
    { what: each, value: theirs.memory, unit: 'MiB', against: null },
    { what: `connections for ${logCount} logs`, value: 1, unit: '', against: logCount },
  ];
}

/** Appends to files in a process of its own: to each so many bytes every so many milliseconds. */
function startWriter(files: readonly string[], bytes: number, everyMs: number): Background {
  const program = `
    const { appendFileSync } = require('node:fs');
    const line = '\\x1b[32m 45%|████▌     | 450/1000 [02:15<02:45,  3.33it/s, loss=2.31]\\x1b[0m\\n';
    const [bytes, everyMs, ...files] = process.argv.slice(1);
    const block = Buffer.from(line.repeat(Math.ceil(bytes / line.length))).subarray(0, bytes);
    let turns = 0;
    const startMs = performance.now();
    setInterval(() => {
      // By the clock, not by the timer: what it misses it makes up for.
      for (; turns < (performance.now() - startMs) / everyMs; turns++) for (const file of files) appendFileSync(file, block);
    }, everyMs);`;
  return startBackground(process.execPath, ['-e', program, String(bytes), String(everyMs), ...files]);
}

interface Delay {
  readonly p99: number;
  readonly megabytesPerSecond: number;
}

/** How long this process's event loop is held up while bytes of a log come and are made use of. */
async function delayWhile(received: () => number): Promise<Delay> {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  const before = { bytes: received(), ms: performance.now() };
  histogram.enable();
  await sleep(seconds * 1000);
  histogram.disable();
  return {
    p99: histogram.percentile(99) / 1e6,
    megabytesPerSecond: (received() - before.bytes) / (performance.now() - before.ms) / 1000,
  };
}

/** What a shown log goes through. */
function sink(): { readonly take: (bytes: Uint8Array) => void; readonly received: () => number } {
  const tail = createLogTail();
  const filter = createTerminalFilter();
  let received = 0;
  return {
    take(bytes) {
      received += bytes.length;
      tail.push(bytes, Date.now());
      filter.push(bytes);
    },
    received: () => received,
  };
}

async function fastLog(bench: Bench): Promise<readonly Row[]> {
  const file = newLog(bench.jobs, 'fast');
  const writer = startWriter([file], 200_000, 20);
  try {
    const idle = await delayWhile(() => 0);
    const mine = await bench.follower();
    const our = sink();
    mine.follower.subscribe({ attempt: 'fast', from: fromTail, live: true }, event => {
      if (event.kind === 'bytes') our.take(event.bytes);
    });
    await until('the log comes', () => our.received() > 1_000_000);
    const ours = await delayWhile(our.received);
    mine.end();

    const tail = bench.ssh(`exec tail -f '${file}'`);
    const their = sink();
    tail.stdout?.on('data', (chunk: Buffer) => their.take(chunk));
    await until('the log comes', () => their.received() > 1_000_000);
    const theirs = await delayWhile(their.received);
    await endTree(tail);
    return [
      { what: 'event loop delay at 10 MB/s of log, p99', value: ours.p99, unit: 'ms', against: theirs.p99 },
      { what: '  reading from ssh host tail -f', value: theirs.p99, unit: 'ms', against: null },
      { what: '  doing nothing', value: idle.p99, unit: 'ms', against: null },
      {
        what: 'log received meanwhile',
        value: ours.megabytesPerSecond,
        unit: 'MB/s',
        against: theirs.megabytesPerSecond,
      },
    ];
  } finally {
    await writer.end();
  }
}
