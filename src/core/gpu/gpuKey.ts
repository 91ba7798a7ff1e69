import type { GpuReading } from './reading';

/** The name of a device across readings and in `GpuProcess.gpu`: its uuid, else its index as text. */
export const gpuKey = (reading: GpuReading): string => reading.uuid ?? String(reading.index);
