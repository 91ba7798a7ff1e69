import type { ListedGpuProcess, GpuReading, GpuToolFailure } from '../reading';
import type { ValueFault } from './value';

/** What one reader made of the output, before texts and exit code are weighed. */
export interface Outcome {
  readonly gpus: readonly GpuReading[];
  readonly processes: readonly ListedGpuProcess[];
  /** What the cells themselves say is wrong. */
  readonly error: GpuToolFailure | null;
  /** Some rows or devices were readable and others were not. */
  readonly partial: boolean;
  /** Lines that are no data. */
  readonly noise: readonly string[];
  /** Nothing at all is a good answer to this question. */
  readonly mayBeEmpty: boolean;
}

/** Why a row says nothing of use. What a card that waits for a reset lacks is told by its reading, and is no error. */
export type RowFailure = GpuToolFailure | 'requiresReset';

export const failureOfFault: Readonly<Record<ValueFault, RowFailure>> = {
  lost: 'gpuLost',
  requiresReset: 'requiresReset',
  permission: 'permission',
  unknown: 'unknown',
};

/** Why rows that say nothing say nothing, when they agree: one lost card decides, permission only if nobody was allowed. */
export function errorOfRows(faults: readonly (RowFailure | null)[]): GpuToolFailure | null {
  if (faults.includes('gpuLost')) return 'gpuLost';
  const first = faults[0] ?? null;
  return first !== 'requiresReset' && faults.every(fault => fault === first) ? first : null;
}

/** Some can be read and some cannot. */
export const isMixed = (unreadable: readonly boolean[]): boolean =>
  unreadable.includes(true) && unreadable.includes(false);
