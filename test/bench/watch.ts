import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFleet } from '../../src/control/fleet';
import type { Connection, HostConnector, Log } from '../../src/control/ports';
import { fullFields, gpuQuery, processQuery } from '../../src/core/gpu/query';
import { hostSpec } from '../../src/core/host/hostSpec';
import { systemClock } from '../../src/editor/systemClock';
import watchScript from '../../src/hosts/scripts/watch.sh';
import { createSshConnector } from '../../src/hosts/ssh/connector';
import { alias, startRig, type Rig } from '../e2e/rig';
import type { Window } from '../support/browser';
import { endTree, runOrThrow, startBackground, treeOf, until } from '../support/processes';
import { packExtension } from '../tools/vsix';
import { countingProxy, cpuSeconds, median, memoryBytes, table, timeEach, type Row } from './measure';

const seconds = 20;
const spec = hostSpec(alias);
/** The fields that the watch asks for, so that all do the same work. */
const query = gpuQuery(fullFields);
const log: Log = { info: () => undefined, warn: console.error, error: console.error };

/** The way to the host that is measured: by a counting proxy, with everything known beforehand. */
interface Way {
  readonly config: string;
  readonly connector: HostConnector;
  bytes(): number;
  /** CPU seconds of everything that the host did for anybody. */
  hostCpu(): number;
}

/** Connecting and watching, beside what one would do by hand with ssh and nvidia-smi, in one run. */
export async function watchBench(): Promise<string> {
  await packExtension();
  const rig = await startRig({ trust: false });
  const folder = mkdtempSync(join(tmpdir(), 'headroom-bench-'));
  const proxy = await countingProxy(rig.sshd.port);
  const trainer = startBackground('sleep', ['100000'], { uid: rig.alice.uid, gid: rig.alice.gid });
  try {
    const mine = { gpu: 0, pid: trainer.child.pid!, name: '/usr/bin/python3', mib: 40_755, util: 100, watts: 400 };
    rig.box.setProcess(mine);
    const way = prepareWay(rig, folder, proxy);
    const rows = [
      ...(await connecting(way)),
      ...(await commands(way)),
      ...(await watching(way)),
      ...(await inVsCode(rig)),
    ];
    return `\n${table(rows)}\n`;
  } finally {
    await trainer.end();
    await proxy.end();
    rmSync(folder, { recursive: true, force: true });
    await rig.end();
  }
}

function prepareWay(rig: Rig, folder: string, proxy: { port: number; bytes(): number }): Way {
  const configFile = rig.settings['headroom.ssh.configFile'] as string;
  const knownHosts = join(folder, 'known_hosts');
  const key = join(folder, 'key');
  writeFileSync(knownHosts, `[127.0.0.1]:${proxy.port} ${rig.sshd.hostKey('ed25519')}\n`);
  const theirs = readFileSync(configFile, 'utf8');
  const theirKey = /IdentityFile (\S+)/.exec(theirs)![1]!;
  writeFileSync(key, readFileSync(theirKey), { mode: 0o600 });
  const config = join(folder, 'config');
  writeFileSync(
    config,
    theirs
      .replace(/Port \d+/, `Port ${proxy.port}`)
      .replace(theirKey, key)
      .replace(/UserKnownHostsFile \S+/, `UserKnownHostsFile ${knownHosts}`),
  );
  chmodSync(config, 0o600);
  const sshd = Number(readFileSync(join(rig.sshd.folder, 'pid'), 'utf8'));
  const world = { configFile: () => config, env: process.env, homeDir: homedir() };
  return {
    config,
    // Only keys with a passphrase need the worker, and this one has none.
    connector: createSshConnector({ ...world, log, keyWorkerFile: '' }),
    bytes: () => proxy.bytes(),
    hostCpu: () => cpuSeconds(sshd),
  };
}

/** Watches as the editor does while the tree is open; `work` runs once numbers are there. */
async function whileWatching(way: Way, work: (firstNumbersMs: number) => Promise<void>): Promise<void> {
  const startedMs = performance.now();
  const fleet = createFleet({ connector: way.connector, clock: systemClock, log, watchScript: () => watchScript });
  fleet.setAttention(spec.id, 'full');
  const first = new Promise<number>(resolve => {
    fleet.store.onChange(() => {
      const gpus = fleet.store.state.hosts.get(spec.id)?.watch?.gpu.reading?.gpus.length ?? 0;
      if (gpus > 0) resolve(performance.now() - startedMs);
    });
  });
  try {
    const state = await fleet.connect(spec, null);
    if (state.kind !== 'ready') throw new Error(`The host cannot be watched: ${JSON.stringify(state)}`);
    await work(await first);
  } finally {
    fleet.dispose();
  }
}

async function connecting(way: Way): Promise<readonly Row[]> {
  const times: number[] = [];
  for (let n = 0; n < 10; n++) await whileWatching(way, ms => Promise.resolve(void times.push(ms)));
  const byHand = await timeEach(10, () => ssh(way, query));
  return [
    { what: 'connect to first numbers, median of 10', value: median(times), unit: 'ms', against: median(byHand) },
    { what: '  ssh host nvidia-smi --query-gpu', value: median(byHand), unit: 'ms', against: null },
  ];
}

async function commands(way: Way): Promise<readonly Row[]> {
  const connection = await connected(way);
  const live = await timeEach(200, async () => {
    const result = await connection.run('true', { deadlineMs: 10_000 });
    if (result.kind !== 'exited' || result.code !== 0) throw new Error(JSON.stringify(result));
  });
  connection.dispose();
  const fresh = await timeEach(20, () => ssh(way, 'true'));
  return [
    {
      what: 'a command on the live connection, median of 200',
      value: median(live),
      unit: 'ms',
      against: median(fresh),
    },
    { what: '  one ssh per command, median of 20', value: median(fresh), unit: 'ms', against: null },
  ];
}

async function connected(way: Way): Promise<Connection> {
  const result = await way.connector.connect(spec, {
    prompts: null,
    onStep: () => undefined,
    signal: new AbortController().signal,
  });
  if (result.kind === 'failed') throw new Error(result.failure.message);
  return result.connection;
}

interface Cost {
  readonly cpuPercent: number;
  readonly bytesPerSecond: number;
}

/** What the host and the line bear for `seconds` of this. */
async function costOf(way: Way, work: () => Promise<void>): Promise<Cost> {
  const before = { cpu: way.hostCpu(), bytes: way.bytes(), ms: performance.now() };
  await work();
  const elapsed = (performance.now() - before.ms) / 1000;
  return {
    cpuPercent: ((way.hostCpu() - before.cpu) / elapsed) * 100,
    bytesPerSecond: (way.bytes() - before.bytes) / elapsed,
  };
}

async function watching(way: Way): Promise<readonly Row[]> {
  let ours: Cost | null = null;
  await whileWatching(way, async () => {
    ours = await costOf(way, () => sleep(seconds * 1000));
  });
  const loop = spawn('ssh', ['-F', way.config, alias, `${query} -lms 1000`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise(resolve => loop.stdout.once('data', resolve));
  loop.stdout.resume();
  const plain = await costOf(way, () => sleep(seconds * 1000));
  await endTree(loop);
  const logins = await costOf(way, async () => {
    for (let n = 0; n < seconds; n++) {
      const tick = sleep(1000);
      await ssh(way, `${query}; ${processQuery}; cat /proc/meminfo`);
      await tick;
    }
  });
  const { cpuPercent, bytesPerSecond } = ours!;
  return [
    { what: 'CPU of the host, watching at 1 Hz', value: cpuPercent, unit: '% of a core', against: plain.cpuPercent },
    {
      what: '  nvidia-smi -lms 1000 (no processes, no memory)',
      value: plain.cpuPercent,
      unit: '% of a core',
      against: null,
    },
    { what: '  one ssh per tick', value: logins.cpuPercent, unit: '% of a core', against: plain.cpuPercent },
    { what: 'bytes on the line, watching at 1 Hz', value: bytesPerSecond, unit: 'B/s', against: plain.bytesPerSecond },
    {
      what: '  nvidia-smi -lms 1000 (no processes, no memory)',
      value: plain.bytesPerSecond,
      unit: 'B/s',
      against: null,
    },
    { what: '  one ssh per tick', value: logins.bytesPerSecond, unit: 'B/s', against: plain.bytesPerSecond },
  ];
}

const ssh = (way: Way, command: string): Promise<string> => runOrThrow('ssh', ['-F', way.config, alias, command]);

async function inVsCode(rig: Rig): Promise<readonly Row[]> {
  const window = await rig.open();
  const without = { activation: await activationMs(rig, window), memory: extensionHostMemory(rig) };
  await window.command('Headroom: Connect to Host');
  await window.choose(alias);
  await window.dialog.getByRole('button', { name: 'Connect' }).click();
  await isLive(window);
  const withHost = { activation: await activationMs(rig, window), memory: extensionHostMemory(rig) };
  const mib = 1024 * 1024;
  return [
    { what: 'activation without a host, median of 5', value: without.activation, unit: 'ms', against: null },
    {
      what: 'activation with a host, median of 5',
      value: withHost.activation,
      unit: 'ms',
      against: without.activation,
    },
    { what: 'memory of the extension host without a host', value: without.memory / mib, unit: 'MiB', against: null },
    {
      what: 'memory of the extension host with a host',
      value: withHost.memory / mib,
      unit: 'MiB',
      against: without.memory / mib,
    },
  ];
}

async function isLive(window: Window): Promise<void> {
  await until('the numbers are live', async () =>
    / of 4 free/.test(await window.statusBarItem('headroom.status').innerText({ timeout: 1_000 })),
  );
}

/** As VS Code itself measured it, over five loads of the window: loading the bundle and running `activate`. */
async function activationMs(rig: Rig, window: Window): Promise<number> {
  const times: number[] = [];
  for (let n = 0; n < 5; n++) {
    await window.load(rig.workbench.url);
    await window.command('Developer: Show Running Extensions');
    const row = window.page.locator('.runtime-extensions-editor .monaco-list-row', { hasText: 'Headroom' });
    const text = await row.innerText({ timeout: 30_000 });
    times.push(Number(/Activation: (\d+)\s*ms/.exec(text)![1]));
  }
  return median(times);
}

function extensionHostMemory(rig: Rig): number {
  const hosts = treeOf(rig.workbench.process.child.pid!).filter(({ pid }) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=extensionHost'),
  );
  // One of a window that was reloaded may linger for a moment; the newest is the present one's.
  return memoryBytes(Math.max(...hosts.map(({ pid }) => pid)));
}
