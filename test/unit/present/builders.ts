import type { Failure, FailureKind } from '../../../src/core/errors';
import type { GpuReading } from '../../../src/core/gpu/reading';
import type { ConnectionState } from '../../../src/core/host/connection';
import { hostSpec } from '../../../src/core/host/hostSpec';
import type { OwnedGpuProcess } from '../../../src/core/host/watchFrame';
import type { JobsState } from '../../../src/core/model/jobsState';
import type { GpuSnapshot, GpuWatch, HostState, State, WatchState } from '../../../src/core/model/state';

/** A moment; everything below is of this moment unless told otherwise. */
export const now = Date.UTC(2026, 0, 1, 12);
export const gib = 2 ** 30;
export const mib = 2 ** 20;

export const ready: ConnectionState = { kind: 'ready', sinceMs: now - 60_000, interactive: false, attempt: 0 };

export function failureOf(kind: FailureKind, message = `It failed: ${kind}.`): Failure {
  return { kind, message, advice: 'Do something about it.', retry: 'user' };
}

/** A card of a 4 × 96 GB box: idle. */
export function gpu(index: number, changes: Partial<GpuReading> = {}): GpuReading {
  return {
    index,
    uuid: `GPU-${index}`,
    name: 'NVIDIA RTX PRO 6000',
    memoryTotalBytes: 97_887 * mib,
    memoryUsedBytes: 0,
    utilization: 0,
    powerWatts: 31,
    powerLimitWatts: 600,
    temperatureC: 33,
    migEnabled: false,
    migDevices: null,
    fault: null,
    ...changes,
  };
}

export function busyGpu(index: number, changes: Partial<GpuReading> = {}): GpuReading {
  const load = { memoryUsedBytes: 40_755 * mib, utilization: 98, powerWatts: 412, temperatureC: 61 };
  return gpu(index, { ...load, ...changes });
}

export function gpuProcess(gpuIndex: number, pid: number, changes: Partial<OwnedGpuProcess> = {}): OwnedGpuProcess {
  return { gpu: `GPU-${gpuIndex}`, pid, name: '/usr/bin/python3', memoryBytes: 1.5 * gib, user: 'mia', ...changes };
}

export interface HostParts {
  readonly name?: string;
  readonly connection?: ConnectionState;
  readonly gpus?: readonly GpuReading[];
  readonly processes?: readonly OwnedGpuProcess[] | null;
  readonly ageMs?: number;
  readonly snapshot?: Partial<GpuSnapshot>;
  readonly gpuWatch?: Partial<GpuWatch>;
  readonly watch?: Partial<WatchState> | null;
  readonly jobs?: JobsState;
}

/** A connected host with live numbers, unless told otherwise. */
export function host(parts: HostParts = {}): HostState {
  const atMs = now - (parts.ageMs ?? 500);
  const processes = parts.processes === undefined ? [] : parts.processes;
  const reading: GpuSnapshot = {
    atMs,
    durationMs: 40,
    gpus: parts.gpus ?? [gpu(0)],
    processes: processes === null ? null : { atMs, list: processes },
    error: null,
    partial: false,
    message: null,
    ...parts.snapshot,
  };
  const watch: WatchState = {
    lastFrameAtMs: atMs,
    memory: {
      totalBytes: 432 * gib,
      availableBytes: 401 * gib,
      limitedBy: { kind: 'machine' },
      oomKills: 0,
      pressureSome10: 0,
    },
    oomKillsSeen: 0,
    gpu: {
      noTool: false,
      unansweredForMs: null,
      broken: null,
      reading,
      lowPowerSinceMs: new Map(),
      ...parts.gpuWatch,
    },
    ...parts.watch,
  };
  return {
    spec: hostSpec(parts.name ?? 'blackwell'),
    connection: parts.connection ?? ready,
    intervalMs: 1000,
    identity: null,
    watch: parts.watch === null ? null : watch,
    jobs: parts.jobs ?? null,
    gpuMembers: new Map(),
  };
}

export function stateOf(...hosts: readonly HostState[]): State {
  return { hosts: new Map(hosts.map(each => [each.spec.id, each])) };
}
