import type { DisposableStore } from '../core/base/disposable';
import type { HostId } from '../core/host/hostSpec';
import { membersOf } from '../core/job/process/members';
import { parseProcessTable } from '../core/job/process/processTable';
import type { GpuMember } from '../core/model/jobsState';
import type { HostState } from '../core/model/state';
import type { JobsContext } from './jobs';
import type { Connection } from './ports';

const deadlineMs = 20_000;

/**
 * The GPU processes of which nobody has found out yet whose they are. None in a container: the pids that a GPU tool tells are
 * the machine's, and mean nothing there.
 */
export function unknownGpuPids(host: HostState | undefined): readonly number[] {
  if (host?.identity?.firstPidNamespace !== true) return [];
  const listed = host.watch?.gpu.reading?.processes?.list ?? [];
  return listed.map(({ pid }) => pid).filter(pid => !host.gpuMembers.has(pid));
}

/**
 * Finds out which attempts those processes belong to. Only for what is shown of a job: nothing is ever signalled by a pid
 * that a GPU tool named.
 */
export async function findGpuMembers(
  host: HostId,
  { store, scripts }: Pick<JobsContext, 'store' | 'scripts'>,
  connection: Connection,
  life: DisposableStore,
): Promise<void> {
  const pids = unknownGpuPids(store.state.hosts.get(host));
  const ran = await connection.run(scripts.processes, { deadlineMs });
  const table = ran.kind === 'lost' ? null : parseProcessTable(ran.stdout);
  if (table === null || life.isDisposed) return;

  // They were listed before the table was read: what is not in it has ended, or is hidden from us and so not ours.
  const members = new Map<number, GpuMember>(pids.map(pid => [pid, { pid, attempt: null }]));
  for (const { attempt } of store.state.hosts.get(host)?.jobs?.attempts.values() ?? []) {
    const { id, status } = attempt;
    if (status.kind !== 'running') continue;
    for (const { pid } of membersOf(table, { id, started: status.started }).certain) {
      if (members.has(pid)) members.set(pid, { pid, attempt: id });
    }
  }
  store.dispatch({ kind: 'gpuMembersFound', host, members: [...members.values()] });
}
