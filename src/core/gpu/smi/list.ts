import type { GpuReading, MigDevice } from '../reading';
import type { Outcome } from './outcome';
import { readCount, readText } from './value';

/** "GPU 0: Orin (nvgpu) (UUID: 54b2…)": the name may hold parentheses; early drivers end with a serial number. */
const gpuLine = /^GPU +(\d+): +(.*)\((UUID|S\/N): *([^()]*)\)\s*$/;

/** "  MIG 1c.3g.71gb  Device  0: (UUID: MIG-…)"; before R470 with single blanks and MIG-GPU-<uuid>/<instance>/<compute>. */
const migLine = /^\s*MIG +(\S+) +Device +(\d+): *\(UUID: *([^()]+)\)\s*$/;

/** Output of `-L`: the GPUs, and indented below each its MIG devices. Indices keep the gap of a card that did not answer. */
export function readList(lines: readonly string[]): Outcome {
  const gpus = new Map<number, GpuReading>();
  const noise: string[] = [];
  let current: number | null = null;
  for (const line of lines) {
    const gpu = readGpuLine(line);
    const mig = readMigLine(line);
    const parent = current === null ? undefined : gpus.get(current);
    if (gpu !== null) {
      gpus.set(gpu.index, gpu);
      current = gpu.index;
    } else if (mig !== null && parent !== undefined) {
      gpus.set(parent.index, { ...parent, migEnabled: true, migDevices: [...(parent.migDevices ?? []), mig] });
    } else if (line.trim() !== '') {
      noise.push(line);
    }
  }
  return { gpus: [...gpus.values()], processes: [], error: null, partial: false, noise, mayBeEmpty: false };
}

function readGpuLine(line: string): GpuReading | null {
  const [, digits, name = '', label, id] = gpuLine.exec(line) ?? [];
  const index = readCount(digits);
  if (index === null) return null;
  return {
    index,
    uuid: label === 'UUID' ? readText(id) : null,
    name: readText(name.trim()),
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
}

function readMigLine(line: string): MigDevice | null {
  const [, profile, digits, uuid] = migLine.exec(line) ?? [];
  const index = readCount(digits);
  return profile === undefined || uuid === undefined || index === null ? null : { index, uuid, profile };
}
