import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths';

/** A GPU machine without a GPU: a stand-in nvidia-smi and the state it tells of. Layout and meaning in README.md. */
export interface GpuBox {
  readonly dir: string;
  /** Holds `nvidia-smi`: put it on PATH, or link or copy the file from here. */
  readonly binDir: string;
  readonly nvidiaSmi: string;
  readonly stateDir: string;
  setCard(index: number, change: Partial<Card>): void;
  setProcess(process: BoxProcess): void;
  /** Its memory is gone at once; the power it drew dies away. */
  removeProcess(pid: number): void;
  setMode(mode: BoxMode): void;
  /** Every answer takes so much longer; 0 for none. */
  setDelaySeconds(seconds: number): void;
  /** Starts a process of another user (as root; without that, only one's own uid) that seems to use a card, and lives until it is stopped. */
  startNeighbour(neighbour: {
    gpu: number;
    mib: number;
    uid: number;
    util?: number;
    watts?: number;
  }): Promise<Neighbour>;
}

export interface Neighbour {
  readonly pid: number;
  stop(): Promise<void>;
}

/** How the tool behaves, in the words of the file `mode`. The number of a card is the last card's where it is left out. */
export type BoxMode =
  | 'none'
  | 'noDriver'
  | 'libMissing'
  | 'mismatch'
  | 'unknownError'
  | 'permission'
  | 'noDevices'
  | 'gpuLost'
  | `gpuLost ${number}`
  | 'requiresReset'
  | `requiresReset ${number}`
  | 'hang'
  | `hang ${number}`
  | 'invalidField'
  | `slow ${number}`;

export interface Card {
  readonly name: string;
  readonly uuid: string;
  readonly bus_id: string;
  readonly total_mib: number;
  readonly reserved_mib: number;
  /** What is used with no process at all. */
  readonly idle_mib: number;
  readonly limit_watts: number;
  readonly idle_watts: number;
  /** Drawn and worked on top of what the processes do, as in a container that sees no process. */
  readonly load_watts: number;
  readonly util: number;
  /** °C; null: follows the power. */
  readonly temperature: number | null;
  readonly mig: 'N/A' | 'Enabled' | 'Disabled';
  readonly fault: 'none' | 'lost' | 'requiresReset';
}

export interface BoxProcess {
  readonly gpu: number;
  /** Counts while a process with this pid lives. */
  readonly pid: number;
  readonly name: string;
  readonly mib: number;
  /** Per cent; 0 if left out. */
  readonly util?: number;
  /** What it draws beyond the idle card once it is up to speed; 0 if left out. */
  readonly watts?: number;
  /** C: compute. G: graphics, which only the XML and the table list. */
  readonly type?: 'C' | 'G' | 'C+G';
}

const source = join(root, 'test/support/gpubox');

const uuids = [
  'GPU-6f1d2c1e-3b0a-4c58-9a44-0d6f3f5e7a10',
  'GPU-b27c4e90-81d5-4f0e-8f7b-5c1a9e3d2b11',
  'GPU-0c9e7d35-5a62-4d1f-b3e8-7f2b6a4c8d12',
  'GPU-e84a5b17-2f9c-49e3-a6d0-1b8c3e5f7913',
];
const busIds = ['00000000:01:00.0', '00000000:41:00.0', '00000000:81:00.0', '00000000:C1:00.0'];

/** Four of the cards that the acceptance stories ran on, idle. */
const cards: readonly Card[] = uuids.map((uuid, index) => ({
  name: 'NVIDIA RTX PRO 6000 Blackwell Workstation Edition',
  uuid,
  bus_id: busIds[index] ?? '',
  total_mib: 97887,
  reserved_mib: 636,
  idle_mib: 4,
  limit_watts: 600,
  idle_watts: 14 + index,
  load_watts: 0,
  util: 0,
  temperature: null,
  mig: 'Disabled',
  fault: 'none',
}));

/** Sets up a box in `dir`, which is made if it is not there. Every user of the machine may run it and read its state. */
export function createGpuBox(dir: string): GpuBox {
  const binDir = join(dir, 'bin');
  const stateDir = join(dir, 'state');
  for (const folder of [dir, binDir, join(dir, 'awk'), stateDir, join(stateDir, 'gpus'), join(stateDir, 'procs')]) {
    mkdirSync(folder, { recursive: true });
    chmodSync(folder, 0o755);
  }
  for (const file of readdirSync(join(source, 'awk'))) {
    copyFileSync(join(source, 'awk', file), join(dir, 'awk', file));
    chmodSync(join(dir, 'awk', file), 0o644);
  }
  const nvidiaSmi = join(binDir, 'nvidia-smi');
  const script = readFileSync(join(source, 'nvidia-smi'), 'utf8');
  writeFileSync(
    nvidiaSmi,
    script.replace(/^box=$/m, () => `box=${quoteForShell(dir)}`),
  );
  chmodSync(nvidiaSmi, 0o755);

  const write = (path: string, text: string) => replaceFile(join(stateDir, path), text);
  const current = cards.map(card => ({ ...card }));
  const setCard: GpuBox['setCard'] = (index, change) => {
    current[index] = { ...(current[index] ?? cards[0]), ...change } as Card;
    write(`gpus/${index}`, pairs(current[index]));
  };
  current.forEach((_, index) => setCard(index, {}));
  write('mode', 'none\n');

  const processes = new Map<number, string>();
  const setProcess: GpuBox['setProcess'] = ({ pid, ...rest }) => {
    processes.set(pid, pairs({ ...rest, start: startOf(pid), since: uptimeSeconds() }));
    write(`procs/${pid}`, processes.get(pid) ?? '');
  };
  const removeProcess: GpuBox['removeProcess'] = pid => {
    write(`procs/${pid}`, `${processes.get(pid) ?? ''}ended=${uptimeSeconds()}\n`);
    processes.delete(pid);
  };

  return {
    dir,
    binDir,
    nvidiaSmi,
    stateDir,
    setCard,
    setProcess,
    removeProcess,
    setMode: mode => write('mode', `${mode}\n`),
    setDelaySeconds: seconds =>
      seconds > 0 ? write('delay', `${seconds}\n`) : rmSync(join(stateDir, 'delay'), { force: true }),
    async startNeighbour({ gpu, mib, uid, util = 0, watts = 0 }) {
      const group = process.getuid?.() === 0 ? { gid: uid } : {};
      const child = spawn('sleep', ['1000000'], { uid, ...group, cwd: '/', stdio: 'ignore' });
      await once(child, 'spawn');
      const pid = child.pid as number;
      setProcess({ gpu, pid, name: '/usr/bin/python3', mib, util, watts });
      return {
        pid,
        stop: async () => {
          removeProcess(pid);
          if (child.exitCode !== null || child.signalCode !== null) return;
          const ended = once(child, 'exit');
          child.kill('SIGKILL');
          await ended;
        },
      };
    },
  };
}

/** Resolves when the event fires; rejects if the child could not be started. */
const once = (child: ChildProcess, event: 'spawn' | 'exit'): Promise<void> =>
  new Promise((resolve, reject) => {
    child.once(event, () => resolve());
    child.once('error', reject);
  });

/** By a rename, so that no reader sees half a file. */
function replaceFile(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  chmodSync(`${path}.new`, 0o644);
  renameSync(`${path}.new`, path);
}

const pairs = (values: object): string =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => `${key}=${String(value).replaceAll('\n', ' ')}\n`)
    .join('');

/** Field 22 of /proc/PID/stat, counted after the last ")"; "" for a process that is gone. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}

const uptimeSeconds = (): number => Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);

const quoteForShell = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
