import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProcessIdentity, Started } from '../../../src/core/job/attempt';
import { guardianOf } from '../../../src/core/job/process/guardians';
import { membersOf, type AttemptInTable, type Beforehand } from '../../../src/core/job/process/members';
import type { HostProcess, ProcessTable } from '../../../src/core/job/process/processTable';

const id = 'a1';
const bootId = 'boot';
const started: Started = {
  atS: 0,
  bootId,
  supervisor: { pid: 100, startTicks: 1000 },
  command: { pid: 101, startTicks: 1001 },
  log: '',
};
const attempt: AttemptInTable = { id, started };

type Row = Partial<HostProcess> & { readonly pid: number };

/** A process starts later the higher its pid, has a session of its own and is a child of pid 1, unless told otherwise. */
const row = (given: Row): HostProcess => ({
  startTicks: 900 + given.pid,
  ppid: 1,
  pgid: given.sid ?? given.pid,
  sid: given.pid,
  state: 'S',
  threads: 1,
  kernel: false,
  comm: 'python3',
  uid: 1000,
  attempt: null,
  cgroup: null,
  ...given,
});

const self = row({ pid: 900, ppid: 899, comm: 'sh' });
const host: readonly HostProcess[] = [
  row({ pid: 1, ppid: 0, startTicks: 0, comm: 'systemd' }),
  row({ pid: 100, sid: 100, comm: 'sh' }),
  row({ pid: 899, comm: 'sshd' }),
  self,
];
const command = row({ pid: 101, ppid: 100, sid: 101, comm: 'bash', attempt: id });

const tableOf = (...rows: readonly HostProcess[]): ProcessTable => ({
  bootId,
  self: 900,
  processes: new Map([...host, ...rows].map(process => [process.pid, process])),
});

function check(rows: readonly HostProcess[], beforehand: Partial<Beforehand> = {}, who: AttemptInTable = attempt) {
  const before = { known: [], agreed: [], declined: [], ...beforehand };
  const { certain, markedOnly, excluded } = membersOf(tableOf(...rows), who, before);
  return {
    certain: certain.map(({ pid }) => pid).sort((a, b) => a - b),
    marked: Object.fromEntries(markedOnly.map(({ process, proposed }) => [process.pid, proposed])),
    excluded: Object.fromEntries(excluded.map(({ process, why }) => [process.pid, why])),
  };
}

describe('membersOf', () => {
  it('finds the command, its session, its descendants wherever they went, and its own cgroup', () => {
    const rows = [
      command,
      row({ pid: 102, ppid: 1, sid: 101 }),
      row({ pid: 103, ppid: 101, sid: 103 }),
      row({ pid: 104, ppid: 103, sid: 104 }),
      row({ pid: 105, cgroup: id }),
      row({ pid: 106 }),
    ];
    expect(check(rows)).toEqual({ certain: [101, 102, 103, 104, 105], marked: {}, excluded: {} });
  });

  it('takes the marker alone for no proof, and the same user for none at all', () => {
    const rows = [command, row({ pid: 110, attempt: id }), row({ pid: 111, ppid: 110, uid: 1000 })];
    expect(check(rows)).toEqual({ certain: [101], marked: { 110: true }, excluded: {} });
  });

  it('proposes neither a tmux server that the job started nor anything below it', () => {
    const server = row({ pid: 110, comm: 'tmux: server', attempt: id });
    const pane = row({ pid: 111, ppid: 110, comm: 'bash', attempt: id });
    const work = row({ pid: 112, ppid: 111, attempt: id });
    const adopted = [command, server, pane, work];
    expect(check(adopted)).toEqual({ certain: [101], marked: { 110: false, 111: false, 112: false }, excluded: {} });
    // With a reaper of the job's own as its parent it is a descendant, and is spared all the same.
    const inside = [command, row({ ...server, ppid: 101 }), pane, work];
    expect(check(inside)).toEqual(check(adopted));
    // With consent for the server alone, nothing below it.
    expect(check(inside, { agreed: [server] })).toMatchObject({
      certain: [101, 110],
      marked: { 111: false, 112: false },
    });
  });

  it('spares no orphan of the session for having been adopted by the session manager', () => {
    const manager = row({ pid: 50, comm: 'systemd' });
    const rows = [manager, command, row({ pid: 102, ppid: 50, sid: 101 }), row({ pid: 110, ppid: 50, attempt: id })];
    expect(check(rows)).toEqual({ certain: [101, 102], marked: { 110: false }, excluded: {} });
  });

  it('leaves another attempt alone that this one started, with all that it started', () => {
    const rows = [
      command,
      row({ pid: 110, ppid: 101, sid: 101, attempt: 'b2' }),
      row({ pid: 111, ppid: 110, sid: 101 }),
      row({ pid: 112, ppid: 111, sid: 101, attempt: id }),
    ];
    expect(check(rows)).toMatchObject({ certain: [101, 112], excluded: { 110: 'otherAttempt', 111: 'otherAttempt' } });
  });

  it('never has the supervisor, its helpers, or the shell that asks among them', () => {
    const rows = [
      command,
      row({ pid: 100, sid: 100, comm: 'sh', attempt: id }),
      row({ pid: 120, ppid: 100, sid: 100, comm: 'sleep', attempt: id }),
      row({ pid: 102, ppid: 101, sid: 101 }),
      // The whole SSH server was started by the job.
      row({ pid: 899, ppid: 101, comm: 'sshd', attempt: id }),
      row({ ...self, attempt: id }),
      row({ pid: 901, ppid: 900, comm: 'grep', attempt: id }),
    ];
    expect(check(rows)).toEqual({
      certain: [102],
      marked: {},
      excluded: {
        100: 'ownShell',
        101: 'ownShell',
        120: 'supervisor',
        899: 'ownShell',
        900: 'ownShell',
        901: 'ownShell',
      },
    });
    const elsewhere = rows.filter(({ pid }) => pid !== 899);
    expect(check(elsewhere)).toMatchObject({ certain: [101, 102], excluded: { 100: 'supervisor', 900: 'ownShell' } });
  });

  it('knows nobody of another boot', () => {
    const other = { id, started: { ...started, bootId: 'before' } };
    expect(check([command, row({ pid: 110, attempt: id })], {}, other)).toEqual({
      certain: [],
      marked: {},
      excluded: {},
    });
  });

  it('goes by the marker alone while the command is not known', () => {
    expect(check([command], {}, { id, started: null })).toEqual({ certain: [], marked: { 101: true }, excluded: {} });
  });

  describe('with the command gone', () => {
    const orphan = row({ pid: 102, sid: 101, attempt: id });
    const bare = row({ pid: 103, sid: 101 });

    it('keeps its session while a member of it vouches', () => {
      expect(check([orphan, bare]).certain).toEqual([102, 103]);
      expect(check([bare]).certain).toEqual([]);
      expect(check([bare, row({ pid: 104, sid: 101 })], { known: [bare] }).certain).toEqual([103, 104]);
    });

    it('does not take over the session of a process that has got its pid', () => {
      const recycled = row({ pid: 101, startTicks: 5000, comm: 'bash' });
      const rows = [recycled, row({ pid: 300, sid: 101, ppid: 101, startTicks: 5001 })];
      expect(check(rows)).toEqual({ certain: [], marked: {}, excluded: {} });
      expect(check([recycled, row({ pid: 300, sid: 101, attempt: id, startTicks: 5001 })]).certain).toEqual([]);
    });

    it('does not let the marker vouch when a multiplexer has handed it on', () => {
      const server = row({ pid: 110, comm: 'tmux: server', attempt: id });
      expect(check([orphan, server])).toEqual({ certain: [], marked: { 102: true, 110: false }, excluded: {} });
    });
  });

  it('keeps who was certain once, and does as the user said', () => {
    const [child, grandchild] = [row({ pid: 110, attempt: id }), row({ pid: 111, ppid: 110, attempt: id })];
    const rows = [command, child, grandchild];
    expect(check(rows, { known: [child] }).certain).toEqual([101, 110, 111]);
    expect(check(rows, { known: [{ pid: 110, startTicks: 1 }] }).certain).toEqual([101]);
    expect(check(rows, { agreed: [child] }).certain).toEqual([101, 110, 111]);
    expect(check(rows, { agreed: [child], declined: [grandchild] })).toEqual({
      certain: [101, 110],
      marked: {},
      excluded: { 111: 'declined' },
    });
  });

  it('calls no process the child of a younger one', () => {
    expect(check([command, row({ pid: 110, ppid: 101, startTicks: 5 })]).certain).toEqual([101]);
  });
});

describe('in any table', () => {
  const anyProcess = fc.record({
    pid: fc.integer({ min: 1, max: 60 }),
    ppid: fc.integer({ min: 0, max: 60 }),
    sid: fc.integer({ min: 0, max: 60 }),
    pgid: fc.integer({ min: 0, max: 60 }),
    startTicks: fc.integer({ min: 0, max: 40 }),
    state: fc.constantFrom('R', 'S', 'D', 'Z', 'T'),
    threads: fc.constantFrom(1, 1, 2),
    kernel: fc.boolean(),
    comm: fc.constantFrom('python3', 'bash', 'tmux: server', 'sshd', 'systemd', 'slurmstepd'),
    uid: fc.constantFrom(0, 1000, null),
    attempt: fc.constantFrom(null, null, null, id, 'b2'),
    cgroup: fc.constantFrom(null, null, null, null, id, 'b2'),
  });
  const anyCase = fc
    .record({
      // Nobody is the parent of the first process.
      rows: fc.uniqueArray(
        anyProcess.map(process => (process.pid === 1 ? { ...process, ppid: 0 } : process)),
        { minLength: 4, maxLength: 50, selector: ({ pid }) => pid },
      ),
      picks: fc.array(fc.nat(), { minLength: 3, maxLength: 6 }),
      commandDied: fc.boolean(),
    })
    .map(({ rows, picks, commandDied }) => {
      const [own, supervisor, leader, ...rest] = picks.map(pick => rows[pick % rows.length]!);
      const dead = { pid: leader!.pid, startTicks: leader!.startTicks + 1 };
      return {
        table: { bootId, self: own!.pid, processes: new Map(rows.map(process => [process.pid, process])) },
        attempt: { id, started: { ...started, supervisor: supervisor!, command: commandDied ? dead : leader! } },
        agreed: rest.slice(0, 1),
        known: rest.slice(1, 2),
        declined: rest.slice(2),
      };
    });
  const identity = ({ pid, startTicks }: ProcessIdentity): string => `${pid}:${startTicks}`;

  it('nobody is certain who must never be signalled', () => {
    fc.assert(
      fc.property(anyCase, ({ table, attempt: who, agreed, known, declined }) => {
        const { certain, markedOnly, excluded } = membersOf(table, who, { agreed, known, declined });
        const own = new Set<number>();
        for (let next = table.processes.get(table.self); next !== undefined && !own.has(next.pid);) {
          own.add(next.pid);
          const parent = table.processes.get(next.ppid);
          next = parent !== undefined && parent.startTicks <= next.startTicks ? parent : undefined;
        }
        for (const process of [...certain, ...markedOnly.map(marked => marked.process)]) {
          expect(process.pid).toBeGreaterThan(1);
          expect(process.kernel).toBe(false);
          expect(identity(process)).not.toBe(identity(who.started.supervisor));
          expect(own.has(process.pid)).toBe(false);
          expect([null, id]).toContain(process.attempt);
          expect([null, id]).toContain(process.cgroup);
          expect(declined.map(identity)).not.toContain(identity(process));
        }
        for (const process of certain) {
          if (!agreed.map(identity).includes(identity(process))) expect(guardianOf(process.comm)).toBeNull();
        }
        const listed = [
          ...certain,
          ...markedOnly.map(({ process }) => process),
          ...excluded.map(({ process }) => process),
        ];
        expect(new Set(listed.map(({ pid }) => pid)).size).toBe(listed.length);
      }),
      { numRuns: 2000 },
    );
  });

  it('who is certain is linked to the attempt by a parent, the session, the cgroup or an earlier table', () => {
    fc.assert(
      fc.property(anyCase, ({ table, attempt: who, agreed, known, declined }) => {
        const { certain } = membersOf(table, who, { agreed, known, declined });
        const pids = new Set(certain.map(({ pid }) => pid));
        const { command: leader } = who.started;
        const recycled = table.processes.get(leader.pid);
        const foreign = recycled !== undefined && recycled.startTicks !== leader.startTicks;
        const given = new Set([leader, ...known, ...agreed].map(identity));
        for (const process of certain) {
          const inSession = process.sid === leader.pid && !foreign;
          const byParent =
            pids.has(process.ppid) && table.processes.get(process.ppid)!.startTicks <= process.startTicks;
          expect(given.has(identity(process)) || inSession || byParent || process.cgroup === id).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
