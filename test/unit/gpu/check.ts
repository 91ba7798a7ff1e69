import { expect } from 'vitest';
import { readNvidiaSmi } from '../../../src/core/gpu/nvidiaSmi';
import type { GpuReading, GpuToolResult, ListedGpuProcess } from '../../../src/core/gpu/reading';

export const blankGpu: GpuReading = {
  index: 0,
  uuid: null,
  name: null,
  memoryTotalBytes: null,
  memoryUsedBytes: null,
  utilization: null,
  powerWatts: null,
  powerLimitWatts: null,
  temperatureC: null,
  migEnabled: null,
  migDevices: null,
  fault: null,
};

export interface Expected {
  /** What is left out is null. */
  readonly gpus?: readonly Partial<GpuReading>[];
  readonly processes?: readonly ListedGpuProcess[];
  readonly error?: GpuToolResult['error'];
  readonly partial?: boolean;
}

export interface Output {
  readonly args: string;
  readonly text: string;
  readonly exitCode?: number | null;
}

/** The one way in: what a run printed, and all that must be read from it. */
export function check({ args, text, exitCode = 0 }: Output, expected: Expected): void {
  const { message: _, ...result } = readNvidiaSmi({ args, exitCode, text });
  expect(result).toEqual({
    gpus: (expected.gpus ?? []).map(gpu => ({ ...blankGpu, ...gpu })),
    processes: expected.processes ?? [],
    error: expected.error ?? null,
    partial: expected.partial ?? false,
  });
}

export const mib = (count: number): number => count * 2 ** 20;

/** Shorthands for the command lines that most cases share. */
export const gpuArgs = (fields: string, format = 'csv,noheader', more = ''): string =>
  `nvidia-smi --query-gpu=${fields} --format=${format}${more}`;
export const appArgs = (fields = 'gpu_uuid,pid,process_name,used_gpu_memory', format = 'csv,noheader'): string =>
  `nvidia-smi --query-compute-apps=${fields} --format=${format}`;
