import type { GpuReading } from './reading';

const busyFromPerCent = 95;
const littleBelowShareOfLimit = 0.6;

/**
 * A card that is always busy and draws far less than it may: most of it waits. Utilisation says only that some kernel ran
 * during the sampling window (NVML, `nvmlUtilization_t.gpu`), so 100 % can be one small kernel after the other; power
 * against its limit tells how much of the card works. One reading proves nothing: let it hold for a while before saying it.
 */
export function isDrawingLittle(reading: GpuReading): boolean {
  const { fault, utilization, powerWatts, powerLimitWatts } = reading;
  if (fault !== null || utilization === null || powerWatts === null || powerLimitWatts === null) return false;
  return utilization >= busyFromPerCent && powerWatts < powerLimitWatts * littleBelowShareOfLimit;
}
