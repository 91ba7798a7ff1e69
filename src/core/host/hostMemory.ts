/** Host memory and the signs of its shortage, at one moment. Bytes; null where the host does not say. */
export interface HostMemory {
  /** The smallest limit in force: MemTotal, or a cgroup limit of the login or one of its ancestors. */
  readonly totalBytes: number | null;
  /**
   * The least of MemAvailable and, over the cgroup and its ancestors, limit minus working set (page cache excluded).
   * What an allocation could still get here.
   */
  readonly availableBytes: number | null;
  /** What set `totalBytes`: the machine, or the path of the cgroup whose limit is smaller. */
  readonly limitedBy: { readonly kind: 'machine' } | { readonly kind: 'cgroup'; readonly path: string };
  /** `oom_kill` of /proc/vmstat: kills by the kernel on this machine since boot (kernel 4.13 and later). */
  readonly oomKills: number | null;
  /** Share of the last 10 s in which some task waited for memory, per cent (/proc/pressure/memory, kernel 4.20 and later). */
  readonly pressureSome10: number | null;
}

/**
 * Reads lines of the form `path:content`, as `grep` prints them over /proc/meminfo, /proc/vmstat, /proc/pressure/memory and
 * the memory files of the login's cgroup and its ancestors (v2: memory.max, memory.current, memory.stat; v1:
 * memory.limit_in_bytes, memory.usage_in_bytes, memory.stat). Lines that mean nothing to it are passed over; never throws.
 */
export function parseHostMemory(lines: readonly string[]): HostMemory {
  let machineTotal: number | null = null;
  let machineAvailable: number | null = null;
  let oomKills: number | null = null;
  let pressureSome10: number | null = null;
  const levels = new Map<string, CgroupLevel>();

  for (const line of lines) {
    // What follows the path never has a slash in it; the path may have colons.
    const [, directory, file, content] = /^(.*)\/([^/:]+):([^/]*)$/.exec(line) ?? [];
    if (directory === undefined || file === undefined || content === undefined) continue;
    if (directory === '/proc') {
      machineTotal = kibibytes(content, 'MemTotal') ?? machineTotal;
      machineAvailable = kibibytes(content, 'MemAvailable') ?? machineAvailable;
      oomKills = integer(/^oom_kill (\d+)$/.exec(content)?.[1]) ?? oomKills;
    } else if (directory === '/proc/pressure') {
      pressureSome10 = decimal(/^some avg10=([\d.]+) /.exec(content)?.[1]) ?? pressureSome10;
    } else {
      levels.set(directory, withLine(levels.get(directory) ?? emptyLevel, file, content));
    }
  }

  let totalBytes = machineTotal;
  let availableBytes = machineAvailable;
  let limitedBy: HostMemory['limitedBy'] = { kind: 'machine' };
  for (const [path, level] of levels) {
    if (level.limit === null) continue;
    if (totalBytes === null || level.limit < totalBytes) {
      totalBytes = level.limit;
      limitedBy = { kind: 'cgroup', path };
    }
    availableBytes = least(availableBytes, availableIn(level));
  }
  // A limit whose usage is not told still bounds what is available.
  if (availableBytes !== null) availableBytes = least(availableBytes, totalBytes);
  return { totalBytes, availableBytes, limitedBy, oomKills, pressureSome10 };
}

/** One cgroup; null: not told, or, for the limit, that there is none. */
interface CgroupLevel {
  readonly limit: number | null;
  readonly usage: number | null;
  /** Page cache that is given back first: of this cgroup and those below it, as the usage is. */
  readonly inactiveFile: number | null;
}

const emptyLevel: CgroupLevel = { limit: null, usage: null, inactiveFile: null };

function withLine(level: CgroupLevel, file: string, content: string): CgroupLevel {
  switch (file) {
    case 'memory.max':
    case 'memory.limit_in_bytes':
      // Version 2 says `max`; version 1 the largest multiple of a page that fits 64 bits, which no machine has.
      return { ...level, limit: integer(content) };
    case 'memory.current':
    case 'memory.usage_in_bytes':
      return { ...level, usage: integer(content) };
    case 'memory.stat': {
      const [, prefix, value] = /^(total_)?inactive_file (\d+)$/.exec(content) ?? [];
      const bytes = integer(value);
      // Version 1 prints both; without `total_` it leaves out the cgroups below.
      return bytes === null || (prefix === undefined && level.inactiveFile !== null)
        ? level
        : { ...level, inactiveFile: bytes };
    }
    default:
      return level;
  }
}

function availableIn({ limit, usage, inactiveFile }: CgroupLevel): number | null {
  if (limit === null || usage === null) return null;
  const workingSet = Math.max(0, usage - (inactiveFile ?? 0));
  return Math.max(0, limit - workingSet);
}

const least = (one: number | null, other: number | null): number | null =>
  one === null ? other : other === null ? one : Math.min(one, other);

function kibibytes(content: string, name: string): number | null {
  const [, found, digits] = /^(\w+):\s*(\d+) kB$/.exec(content) ?? [];
  const value = found === name ? integer(digits) : null;
  return value === null ? null : value * 1024;
}

/** Exact or nothing: what has more digits than a number can hold exactly is no count of bytes of any machine. */
function integer(digits: string | undefined): number | null {
  if (digits === undefined || !/^\d+$/.test(digits)) return null;
  const value = Number(digits);
  return Number.isSafeInteger(value) ? value : null;
}

function decimal(digits: string | undefined): number | null {
  const value = digits === undefined ? Number.NaN : Number(digits);
  return Number.isFinite(value) ? value : null;
}
