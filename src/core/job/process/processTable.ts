import type { AttemptId, ProcessIdentity } from '../attempt';
import { naturalOf } from '../directory/keyValues';

/** One process of a host, as /proc tells of it. */
export interface HostProcess extends ProcessIdentity {
  readonly ppid: number;
  /** Process group and session. */
  readonly pgid: number;
  readonly sid: number;
  /** R, S, D, Z, T …: one letter of /proc/PID/stat. It is that of the first thread alone. */
  readonly state: string;
  readonly threads: number;
  /** A thread of the kernel: it has no program and heeds no signal. */
  readonly kernel: boolean;
  /** At most 15 characters; may hold blanks, parentheses and line feeds. Untrusted. */
  readonly comm: string;
  readonly uid: number | null;
  /** The attempt whose id stands in the process's environment; null when there is none or it cannot be read. */
  readonly attempt: AttemptId | null;
  /** The attempt whose own cgroup the process is in. */
  readonly cgroup: AttemptId | null;
}

/** Everything that runs on a host, read within milliseconds and yet not at one moment. */
export interface ProcessTable {
  readonly bootId: string;
  /** The shell that read it. */
  readonly self: number;
  readonly processes: ReadonlyMap<number, HostProcess>;
}

/** Ended, and nothing of it is left but the entry that its parent has not taken away. The first thread may end before others. */
export function isDead(process: HostProcess): boolean {
  return 'ZXx'.includes(process.state) && process.threads <= 1;
}

export function isSame(a: ProcessIdentity, b: ProcessIdentity): boolean {
  return a.pid === b.pid && a.startTicks === b.startTicks;
}

/** Reads what processes.sh prints; null when it is not all there. A process whose lines make no sense is left out. */
export function parseProcessTable(output: string): ProcessTable | null {
  const lines = output.split('\n');
  const header = (key: string): string | null => {
    const line = lines.slice(0, 2).find(text => text.startsWith(`${key}=`));
    return line === undefined ? null : line.slice(key.length + 1);
  };
  const bootId = header('boot');
  const self = naturalOf(header('self') ?? undefined);
  if (bootId === null || bootId === '' || self === null || lines.at(-2) !== 'end=') return null;

  const told = linesOfFiles(lines);
  const processes = new Map<number, HostProcess>();
  for (const [pid, stat] of told.stat) {
    const read = readStat(pid, stat.join('\n'));
    if (read === null) continue;
    processes.set(pid, {
      ...read,
      uid: naturalOf(told.status.get(pid)?.[0]?.split('\t')[1]),
      // The first of a name is the one that counts, as for getenv(3).
      attempt: idIn(told.environ.get(pid)?.[0], /^HEADROOM_ATTEMPT=(.+)$/),
      // A cgroup within another one stands behind it.
      cgroup: idIn(told.cgroup.get(pid)?.at(-1), /^headroom-(.+)\.scope$/),
    });
  }
  return processes.has(self) ? { bootId, self, processes } : null;
}

type FileName = 'stat' | 'status' | 'cgroup' | 'environ';

/** The lines of each file, by the pid that stands in its path. */
function linesOfFiles(lines: readonly string[]): Readonly<Record<FileName, ReadonlyMap<number, readonly string[]>>> {
  const files = {
    stat: new Map<number, string[]>(),
    status: new Map<number, string[]>(),
    cgroup: new Map<number, string[]>(),
    environ: new Map<number, string[]>(),
  };
  for (const line of lines) {
    const [, pid, name, text] = /^\/proc\/(\d{1,10})\/(stat|status|cgroup|environ):(.*)$/s.exec(line) ?? [];
    if (pid === undefined || name === undefined || text === undefined) continue;
    const file = files[name as FileName];
    const known = file.get(Number(pid));
    if (known === undefined) file.set(Number(pid), [text]);
    else known.push(text);
  }
  return files;
}

/** PF_KTHREAD of the kernel's include/linux/sched.h. */
const kernelThreadFlag = 0x0020_0000;

/** /proc/PID/stat, proc_pid_stat(5). The name may hold anything, so the fields are counted after the last parenthesis. */
function readStat(pid: number, stat: string): Omit<HostProcess, 'uid' | 'attempt' | 'cgroup'> | null {
  const start = `${pid} (`;
  const close = stat.lastIndexOf(')');
  if (!stat.startsWith(start) || close < start.length) return null;
  const fields = stat
    .slice(close + 1)
    .trim()
    .split(' ');
  const field = (number: number): number | null => naturalOf(fields[number - 3]);
  const state = fields[0];
  const [ppid, pgid, sid, flags, threads, startTicks] = [field(4), field(5), field(6), field(9), field(20), field(22)];
  if (state?.length !== 1 || ppid === null || pgid === null || sid === null) return null;
  if (flags === null || threads === null || startTicks === null) return null;
  const kernel = (flags & kernelThreadFlag) !== 0;
  return { pid, startTicks, ppid, pgid, sid, state, threads, kernel, comm: stat.slice(start.length, close) };
}

function idIn(text: string | undefined, pattern: RegExp): AttemptId | null {
  return (text === undefined ? null : pattern.exec(text)?.[1]) ?? null;
}
