import type { ListedGpuProcess } from '../reading';
import { appField, type TableQuery } from './invocation';
import { errorOfRows, failureOfFault, isMixed, type Outcome, type RowFailure } from './outcome';
import { readTable, type Row } from './rows';
import { deviceFaultOf, faultOf, isNoValue, readCount, readMemory, readText } from './value';

/**
 * Output of `--query-compute-apps`: one row per process and GPU. An empty list does not mean an idle card, for in a
 * container it is always empty. A process name may hold any character, also ", ".
 */
export function readAppRows(lines: readonly string[], terminated: boolean, query: TableQuery): Outcome {
  const table = readTable(lines, terminated, { ...query, field: appField, freeColumn: 'process_name', plausible });
  const rows = query.loop ? lastSample(table.rows) : table.rows;
  const unreadable = rows.map(row => row.has('pid') && readPid(row) === null);
  return {
    gpus: [],
    processes: rows.flatMap((row, at) => (unreadable[at] === true ? [] : [toProcess(row)])),
    error: errorOfRows(rows.map((row, at) => (unreadable[at] === true ? failureOf(row) : null))),
    partial: isMixed(unreadable),
    noise: table.noise,
    mayBeEmpty: true,
  };
}

function plausible(row: Row): boolean {
  const pid = row.get('pid');
  const memory = row.get('used_gpu_memory');
  const uuid = row.get('gpu_uuid');
  return (
    (pid === undefined || readCount(pid) !== null || isNoValue(pid)) &&
    (memory === undefined || readMemory(memory) !== null || isNoValue(memory) || /^\d/.test(memory)) &&
    (uuid === undefined || !/\s/.test(uuid) || isNoValue(uuid))
  );
}

/** The same process on the same GPU again begins a new sample; a process that has ended must not stay for ever. */
function lastSample(rows: readonly Row[]): readonly Row[] {
  let seen = new Set<string>();
  let start = 0;
  rows.forEach((row, at) => {
    const key = `${row.get('gpu_uuid') ?? row.get('pci.bus_id') ?? row.get('gpu_bus_id') ?? ''} ${row.get('pid') ?? ''}`;
    const stamp = row.get('timestamp');
    if (seen.has(key) || (at > 0 && stamp !== rows[at - 1]?.get('timestamp'))) {
      seen = new Set();
      start = at;
    }
    seen.add(key);
  });
  return rows.slice(start);
}

function toProcess(row: Row): ListedGpuProcess {
  return {
    gpu: readText(row.get('gpu_uuid')),
    pid: readPid(row),
    name: readText(row.get('process_name')),
    memoryBytes: readMemory(row.get('used_gpu_memory')),
  };
}

/** 0 is no process anyone could have started: integrated GPUs answer it for "none". */
function readPid(row: Row): number | null {
  const pid = readCount(row.get('pid'));
  return pid === null || pid === 0 ? null : pid;
}

function failureOf(row: Row): RowFailure | null {
  const cells = [...row.values()];
  const fault = deviceFaultOf(cells);
  if (fault !== null) return failureOfFault[fault];
  return cells.some(cell => faultOf(cell) === 'permission') ? 'permission' : null;
}
