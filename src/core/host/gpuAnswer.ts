import { gpuKey } from '../gpu/gpuKey';
import { readNvidiaSmi } from '../gpu/nvidiaSmi';
import { gpuQuery, listQuery, processQuery } from '../gpu/query';
import type { GpuReading, GpuToolResult, MigDevice } from '../gpu/reading';
import type { GpuAnswer } from './watchFrame';

/** What one run of the tool wrote, and its exit code; null when the host did not tell one. */
export interface ToolOutput {
  readonly text: string;
  readonly exitCode: number | null;
}

/** The parts of one query, null where a part was not asked for. */
export interface QueryOutputs {
  readonly gpus: ToolOutput | null;
  /** What was asked of the GPUs: an old driver is asked for less. */
  readonly gpuFields: readonly string[];
  readonly apps: ToolOutput | null;
  readonly list: ToolOutput | null;
  /** `stat -c '%n %u %U'` over /proc/PID; null outside of the machine's first pid namespace. */
  readonly owners: ToolOutput | null;
}

/** What `timeout` ends with when it had to send TERM, and KILL after it. */
const timeLimitExitCodes: readonly (number | null)[] = [124, 137];

/** More than any machine has: what is beyond would only make every view slow. */
const mostGpus = 128;
const mostProcesses = 1_000;

/** Puts the outputs of one query together. Never throws. */
export function readGpuAnswer(outputs: QueryOutputs, timing: Pick<GpuAnswer, 'durationMs' | 'ageMs'>): GpuAnswer {
  const gpus = shortened(read(gpuQuery(outputs.gpuFields), outputs.gpus));
  const apps = shortened(read(processQuery, outputs.apps));
  const list = read(listQuery, outputs.list);
  const told = [gpus, apps].filter(result => result !== null);
  return {
    ...timing,
    gpus: withMigDevices(gpus?.gpus ?? [], list),
    processes: apps === null || failed(apps) ? null : withOwners(apps, readOwners(outputs.owners?.text ?? '')),
    error: told.find(result => result.error !== null)?.error ?? null,
    partial: told.some(result => result.partial) || (gpus?.error === null && apps !== null && apps.error !== null),
    message: messageOf(outputs, told),
  };
}

const read = (args: string, output: ToolOutput | null): GpuToolResult | null =>
  output === null ? null : readNvidiaSmi({ args, exitCode: output.exitCode, text: output.text });

function shortened(result: GpuToolResult | null): GpuToolResult | null {
  if (result === null || (result.gpus.length <= mostGpus && result.processes.length <= mostProcesses)) return result;
  const { gpus, processes } = result;
  return { ...result, gpus: gpus.slice(0, mostGpus), processes: processes.slice(0, mostProcesses), partial: true };
}

const failed = (result: GpuToolResult): boolean => result.error !== null && result.processes.length === 0;

function messageOf(outputs: QueryOutputs, told: readonly GpuToolResult[]): string | null {
  const messages = [...new Set(told.flatMap(result => result.message ?? []))];
  if (messages.length > 0) return messages.join('\n');
  return timeLimitExitCodes.includes(outputs.gpus?.exitCode ?? null)
    ? 'nvidia-smi did not answer in time and was ended.'
    : null;
}

/** The list tells the MIG devices of a card; the query tells its readings. */
function withMigDevices(gpus: readonly GpuReading[], list: GpuToolResult | null): readonly GpuReading[] {
  if (list === null) return gpus;
  const listed = new Map<string, readonly MigDevice[]>();
  for (const gpu of list.gpus) if (gpu.migDevices !== null) listed.set(gpuKey(gpu), gpu.migDevices);
  return gpus.map(gpu => ({ ...gpu, migDevices: listed.get(gpuKey(gpu)) ?? gpu.migDevices }));
}

function withOwners(apps: GpuToolResult, owners: ReadonlyMap<number, string>): GpuAnswer['processes'] {
  return apps.processes.flatMap(process =>
    process.pid === null ? [] : { ...process, pid: process.pid, user: owners.get(process.pid) ?? null },
  );
}

/** Lines `/proc/PID UID NAME`. A uid that has no name stays a number. */
function readOwners(text: string): ReadonlyMap<number, string> {
  const owners = new Map<number, string>();
  for (const line of text.split('\n')) {
    const [, pid, uid, name] = /^\/proc\/(\d+) (\d+) (.+)$/.exec(line) ?? [];
    if (pid === undefined || uid === undefined || name === undefined) continue;
    owners.set(Number(pid), name === 'UNKNOWN' ? uid : name);
  }
  return owners;
}
