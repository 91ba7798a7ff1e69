import type { DisposableStore } from '../core/base/disposable';
import type { HostId } from '../core/host/hostSpec';
import { membersOf } from '../core/job/members';
import type { GpuMember } from '../core/model/jobsState';
import { parseProcessTable } from '../core/job/processTable';
import type { JobsContext } from './jobs';
import type { Connection } from './ports';

const deadlineMs = 20_000;

/**
 * Finds out which attempts the GPU processes belong to that are new in the model. Only for what is shown of a job: nothing
 * is ever signalled by a pid that a GPU tool named. In a container those pids are the machine's and mean nothing.
 */
export async function findGpuMembers(
  host: HostId,
  { store, scripts }: Pick<JobsContext, 'store' | 'scripts'>,
  connection: Connection,
  life: DisposableStore,
): Promise<void> {
  const state = store.state.hosts.get(host);
  const listed = state?.watch?.gpu.reading?.processes?.list ?? [];
  const pids = new Set(listed.map(({ pid }) => pid).filter(pid => state?.gpuMembers.has(pid) === false));
  if (state?.identity?.firstPidNamespace !== true || pids.size === 0) return;
  const ran = await connection.run(scripts.processes, { deadlineMs });
  const table = ran.kind === 'lost' ? null : parseProcessTable(ran.stdout);
  if (table === null || life.isDisposed) return;

  const members = new Map<number, GpuMember>();
  // One that has begun since the table was read is asked about the next time.
  for (const pid of pids) if (table.processes.has(pid)) members.set(pid, { pid, attempt: null });
  for (const { attempt } of store.state.hosts.get(host)?.jobs?.attempts.values() ?? []) {
    const { id, status } = attempt;
    if (status.kind !== 'running') continue;
    for (const { pid } of membersOf(table, { id, started: status.started }).certain) {
      if (members.has(pid)) members.set(pid, { pid, attempt: id });
    }
  }
  store.dispatch({ kind: 'gpuMembersFound', host, members: [...members.values()] });
}
