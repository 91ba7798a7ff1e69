import type { OwnedGpuProcess } from '../host/watchFrame';
import { formatCelsius, formatGiB, formatGiBPair, formatPercent, formatWattsPair, joinParts } from './format';
import { faultWords } from './gpuTrouble';
import type { GpuFacts } from './hostFacts';
import { plain } from './plain';
import type { TooltipSection } from './tooltip';

/** "412/600 W · 39.8/95.6 GiB · 98 % · 61 °C", or in words what is wrong with the card. */
export function gpuNumbers(gpu: GpuFacts): string {
  const { reading } = gpu;
  if (reading.fault !== null) return faultWords[reading.fault].short;
  const numbers = joinParts([
    formatWattsPair(reading.powerWatts, reading.powerLimitWatts),
    gpu.hasUnifiedMemory ? 'unified memory' : formatGiBPair(reading.memoryUsedBytes, reading.memoryTotalBytes),
    formatPercent(reading.utilization),
    formatCelsius(reading.temperatureC),
  ]);
  return numbers === '' ? 'no readings' : numbers;
}

/** "3 of 8": how many cards are there for the taking. */
export function freeCount(gpus: readonly GpuFacts[]): string {
  return `${gpus.filter(gpu => gpu.isFree).length} of ${gpus.length}`;
}

/** "GPU 2 lost": the first card with a fault; null when none has one. */
export function faultyCard(gpus: readonly GpuFacts[]): string | null {
  const faulty = gpus.find(gpu => gpu.reading.fault !== null)?.reading;
  return faulty?.fault == null ? null : `GPU ${faulty.index} ${faultWords[faulty.fault].short}`;
}

/** "NVIDIA H200", made plain. */
export function gpuName(gpu: GpuFacts): string {
  return plain(gpu.reading.name ?? '', 60) || 'unknown model';
}

/** The program of a process: nvidia-smi tells whole paths. */
export function processName(process: OwnedGpuProcess): string {
  const path = plain(process.name ?? '', 300);
  return plain(path.split(/[/\\]/).at(-1) || path, 60) || 'unknown program';
}

export function processUser(process: OwnedGpuProcess): string {
  return plain(process.user ?? '', 40) || 'unknown user';
}

/** All cards of a host as a table; their name once above it where all have the same, for a hover is narrow. */
export function gpuTable(gpus: readonly GpuFacts[]): readonly TooltipSection[] {
  const [name, ...otherNames] = new Set(gpus.map(gpuName));
  const header = ['Power', 'VRAM', 'Use', 'Temperature'];
  if (name !== undefined && otherNames.length === 0)
    return [
      { kind: 'lines', lines: [gpus.length === 1 ? name : `${gpus.length} × ${name}`] },
      table(['GPU', ...header], gpus, gpuCells),
    ];
  return [table(['GPU', 'Name', ...header], gpus, gpu => [gpuName(gpu), ...gpuCells(gpu)])];
}

function table(
  header: readonly string[],
  gpus: readonly GpuFacts[],
  cells: (gpu: GpuFacts) => readonly string[],
): TooltipSection {
  return {
    kind: 'table',
    header,
    numeric: header.map(title => title !== 'GPU' && title !== 'Name'),
    rows: gpus.map(gpu => [String(gpu.reading.index), ...cells(gpu)]),
  };
}

/** All processes of a host as a table; the first `limit` of them, and how many more there are. */
export function processTable(gpus: readonly GpuFacts[], limit: number): readonly TooltipSection[] {
  const rows = gpus.flatMap(gpu =>
    (gpu.processes ?? []).map(process => [
      String(gpu.reading.index),
      processName(process),
      processUser(process),
      formatGiB(process.memoryBytes),
      String(process.pid),
    ]),
  );
  const more = rows.length - limit;
  const first: TooltipSection = {
    kind: 'table',
    header: ['GPU', 'Process', 'User', 'VRAM', 'pid'],
    numeric: [false, false, false, true, true],
    rows: rows.slice(0, limit),
  };
  return more > 0 ? [first, { kind: 'lines', lines: [`and ${more} more`] }] : [first];
}

function gpuCells(gpu: GpuFacts): readonly string[] {
  const { reading } = gpu;
  if (reading.fault !== null) return [faultWords[reading.fault].short, '', '', ''];
  return [
    formatWattsPair(reading.powerWatts, reading.powerLimitWatts),
    gpu.hasUnifiedMemory ? 'unified' : formatGiBPair(reading.memoryUsedBytes, reading.memoryTotalBytes),
    reading.migEnabled === true && reading.utilization === null ? 'n/a (MIG)' : formatPercent(reading.utilization),
    formatCelsius(reading.temperatureC),
  ];
}
