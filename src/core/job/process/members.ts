import type { AttemptId, ProcessIdentity, Started } from '../attempt';
import { guardianOf } from './guardians';
import { isSame, type HostProcess, type ProcessTable } from './processTable';
import { descendants, processTree, type ProcessTree } from './processTree';

/** Whose processes are looked for. */
export interface AttemptInTable {
  readonly id: AttemptId;
  /** null while nothing has told that the command was started: then only the marker tells its processes. */
  readonly started: Started | null;
}

/** What is known of single processes beforehand. A pid that was given away since fits none of them. */
export interface Beforehand {
  /** Found certain in an earlier table: they stay the attempt's when the parent that proved it is gone. */
  readonly known: readonly ProcessIdentity[];
  /** The user was shown them and said to stop them. */
  readonly agreed: readonly ProcessIdentity[];
  /** The user was shown them and said to leave them. */
  readonly declined: readonly ProcessIdentity[];
}

const nothingBeforehand: Beforehand = { known: [], agreed: [], declined: [] };

export interface Members {
  /** Provably the attempt's: may be signalled. */
  readonly certain: readonly HostProcess[];
  /** Likely or possibly the attempt's: the user decides. */
  readonly markedOnly: readonly MarkedProcess[];
  /** Linked to the attempt in some way, and never signalled in its name. */
  readonly excluded: readonly { readonly process: HostProcess; readonly why: Exclusion }[];
}

export interface MarkedProcess {
  readonly process: HostProcess;
  /** Whether to propose stopping it. Never for what keeps other work going (guardians.ts), nor for what runs below that. */
  readonly proposed: boolean;
}

export type Exclusion = 'init' | 'kernel' | 'ownShell' | 'supervisor' | 'otherAttempt' | 'declined';

/**
 * Who belongs to an attempt. Certain are its command, the session that the command leads, its own cgroup, and what descends
 * from those by living parents. The marker in the environment alone proves nothing, for it is inherited for good: by a
 * daemon of the job, and as well by each shell that somebody opens in a tmux server which the job had started. The same
 * user is no proof at all: accounts are shared.
 */
export function membersOf(
  table: ProcessTable,
  attempt: AttemptInTable,
  beforehand: Beforehand = nothingBeforehand,
): Members {
  const { id, started } = attempt;
  // Another boot, or another machine with the same home: nothing that was recorded lives here.
  if (started !== null && started.bootId !== table.bootId) return { certain: [], markedOnly: [], excluded: [] };
  const all = [...table.processes.values()];
  const tree = processTree(table);
  const ours = ownLine(table, tree);
  const isKnown = oneOf(beforehand.known);
  const isAgreed = oneOf(beforehand.agreed);
  const isDeclined = oneOf(beforehand.declined);
  const isCommand = (process: HostProcess): boolean => started !== null && isSame(process, started.command);
  const supervisor = started === null ? undefined : table.processes.get(started.supervisor.pid);
  const isSupervisor = (process: HostProcess): boolean =>
    started !== null &&
    (isSame(process, started.supervisor) ||
      // Its helpers: it leads a session of its own.
      (supervisor !== undefined && isSame(supervisor, started.supervisor) && process.sid === supervisor.pid));

  /** The line of parents up to the command: what is above that, the attempt was merely started by. */
  const above = (process: HostProcess): readonly HostProcess[] => {
    if (isCommand(process)) return [];
    const line = tree.ancestorsOf(process);
    const end = line.findIndex(parent => isCommand(parent) || isSupervisor(parent));
    const last = line[end];
    return last === undefined ? line : line.slice(0, isCommand(last) ? end + 1 : end);
  };

  const exclusionOf = (process: HostProcess): Exclusion | null => {
    if (process.pid <= 1) return 'init';
    if (process.kernel) return 'kernel';
    if (ours.has(process.pid)) return 'ownShell';
    if (isSupervisor(process)) return 'supervisor';
    if (process.cgroup !== null && process.cgroup !== id) return 'otherAttempt';
    // The nearest id counts: an attempt may start another one.
    const nearest = [process, ...above(process)].find(({ attempt }) => attempt !== null)?.attempt ?? id;
    if (nearest !== id) return 'otherAttempt';
    return isDeclined(process) ? 'declined' : null;
  };

  const session = sessionOf(table, attempt, isKnown);
  const isGuardian = ({ comm }: HostProcess): boolean => guardianOf(comm) !== null;
  /** A guardian of the attempt's own making. One that only adopted an orphan of it says nothing. */
  const isOwnGuardian = (process: HostProcess): boolean =>
    isGuardian(process) && (process.attempt === id || process.sid === session || above(process).some(isCommand));
  const isGuarded = (process: HostProcess): boolean =>
    !isAgreed(process) && (isGuardian(process) || above(process).some(isOwnGuardian));

  const roots = all.filter(
    process =>
      isCommand(process) || process.sid === session || process.cgroup === id || isKnown(process) || isAgreed(process),
  );
  const excluded = new Map<HostProcess, Exclusion>();
  const guarded = new Set<HostProcess>();
  const certain = descendants(tree, roots, process => {
    const why = exclusionOf(process);
    if (why !== null) excluded.set(process, why);
    else if (isGuarded(process)) guarded.add(process);
    return why !== null || guarded.has(process);
  });

  const proven = new Set(certain);
  const markedOnly: MarkedProcess[] = [];
  for (const process of all) {
    if (proven.has(process) || excluded.has(process)) continue;
    if (process.attempt !== id && !guarded.has(process)) continue;
    const why = exclusionOf(process);
    if (why !== null) excluded.set(process, why);
    else markedOnly.push({ process, proposed: !isGuardian(process) && !above(process).some(isGuardian) });
  }
  return { certain, markedOnly, excluded: [...excluded].map(([process, why]) => ({ process, why })) };
}

/**
 * The session that the command leads, null when there is none that is provably still it. The kernel gives a number to nobody
 * else while a process has it as pid, group or session (free_pid in kernel/pid.c); once nobody has, anybody may get it.
 */
function sessionOf(
  { processes }: ProcessTable,
  { id, started }: AttemptInTable,
  isKnown: (process: HostProcess) => boolean,
): number | null {
  if (started === null) return null;
  const { command } = started;
  const leader = processes.get(command.pid);
  if (leader !== undefined) return isSame(leader, command) ? command.pid : null;
  const all = [...processes.values()];
  const members = all.filter(({ sid, startTicks }) => sid === command.pid && startTicks >= command.startTicks);
  if (members.some(isKnown)) return command.pid;
  // With the leader gone, one member that carries the marker vouches for the session, unless that may come from a shell
  // which was opened in a guardian that the attempt had started.
  const shared = all.some(({ attempt, comm }) => attempt === id && guardianOf(comm) !== null);
  return !shared && members.some(({ attempt }) => attempt === id) ? command.pid : null;
}

/** The shell that read the table, what it runs, and what it runs in, the SSH server's part of it too. */
function ownLine(table: ProcessTable, tree: ProcessTree): ReadonlySet<number> {
  const self = table.processes.get(table.self);
  if (self === undefined) return new Set();
  const line = [...tree.ancestorsOf(self), ...descendants(tree, [self], () => false)];
  return new Set(line.map(({ pid }) => pid));
}

/** Looks up by pid and start in one step: an attempt that forks without end has many members. */
function oneOf(identities: readonly ProcessIdentity[]): (process: ProcessIdentity) => boolean {
  const keyOf = ({ pid, startTicks }: ProcessIdentity): string => `${pid}:${startTicks}`;
  const keys = new Set(identities.map(keyOf));
  return process => keys.has(keyOf(process));
}
