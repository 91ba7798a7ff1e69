import type { HostProcess, ProcessTable } from './processTable';

/**
 * The parents and children of a table. It was not read at one moment, so a pid may stand for two processes in it; nobody is
 * older than their parent, and a pair that seems so is none.
 */
export interface ProcessTree {
  childrenOf(process: HostProcess): readonly HostProcess[];
  /** From the parent upwards, as far as parents live; pid 1 adopts anybody's children and is left out. */
  ancestorsOf(process: HostProcess): readonly HostProcess[];
}

export function processTree({ processes }: ProcessTable): ProcessTree {
  const children = new Map<number, HostProcess[]>();
  for (const process of processes.values()) {
    const known = children.get(process.ppid);
    if (known === undefined) children.set(process.ppid, [process]);
    else known.push(process);
  }
  const parentOf = ({ ppid, startTicks }: HostProcess): HostProcess | null => {
    const parent = ppid > 1 ? processes.get(ppid) : undefined;
    return parent !== undefined && parent.startTicks <= startTicks ? parent : null;
  };
  return {
    childrenOf: process => (children.get(process.pid) ?? []).filter(child => child.startTicks >= process.startTicks),
    ancestorsOf(process) {
      const chain: HostProcess[] = [];
      const seen = new Set([process.pid]);
      for (let next = parentOf(process); next !== null && !seen.has(next.pid); next = parentOf(next)) {
        seen.add(next.pid);
        chain.push(next);
      }
      return chain;
    },
  };
}

/** The given processes and all that descends from them by living parents, except below those that `stopAt` names. */
export function descendants(
  tree: ProcessTree,
  roots: Iterable<HostProcess>,
  stopAt: (process: HostProcess) => boolean,
): readonly HostProcess[] {
  const found: HostProcess[] = [];
  const seen = new Set<number>();
  const waiting = [...roots];
  for (let process = waiting.pop(); process !== undefined; process = waiting.pop()) {
    if (seen.has(process.pid)) continue;
    seen.add(process.pid);
    if (stopAt(process)) continue;
    found.push(process);
    waiting.push(...tree.childrenOf(process));
  }
  return found;
}
