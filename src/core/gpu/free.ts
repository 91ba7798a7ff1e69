import type { GpuProcess, GpuReading } from './reading';

/** An idle desktop holds a few hundred MiB and repaints now and then; a job that is loading soon holds more. */
const idleMemoryBytes = 1024 * 2 ** 20;
const idleUtilization = 10;

/** What shows a desktop, or waits to share the card: holds a little memory for ever and is nobody's job. */
const backgroundPrograms: ReadonlySet<string> = new Set([
  'Xorg',
  'X',
  'Xwayland',
  'gnome-shell',
  'gnome-remote-desktop-daemon',
  'kwin_x11',
  'kwin_wayland',
  'plasmashell',
  'sway',
  'weston',
  'nvidia-cuda-mps-server',
]);

/**
 * Whether a whole card is there for the taking. What is not known is not free, and an empty list of processes is not an idle
 * card: in a container the list is empty while the card works at 100 %, so memory and utilisation must agree.
 *
 * - A lost card, or one that waits for a reset, is not free, although its memory may read 0.
 * - A card split by MIG is not free as a whole: jobs go to its instances, and its own utilisation is not available.
 * - Where memory is not available for good (GB10: unified memory), processes and utilisation decide.
 *
 * @param processes those on this card; null when they were not asked for
 */
export function isFree(reading: GpuReading, processes: readonly GpuProcess[] | null): boolean {
  const { fault, migEnabled, memoryUsedBytes, utilization } = reading;
  if (fault !== null || migEnabled === true) return false;
  if (memoryUsedBytes === null && utilization === null) return false;
  if (memoryUsedBytes !== null && memoryUsedBytes > idleMemoryBytes) return false;
  if (utilization !== null && utilization > idleUtilization) return false;
  return processes === null || processes.every(isBackground);
}

function isBackground(process: GpuProcess): boolean {
  const program = process.name?.split(' ')[0]?.split('/').at(-1);
  return program !== undefined && backgroundPrograms.has(program);
}
