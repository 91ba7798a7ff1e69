import type { HostMemory } from '../host/hostMemory';
import { formatGiBOf, formatPercent } from './format';
import { plain } from './plain';

/** "401 of 432 GiB available"; with the pressure when tasks wait for memory. */
export function memoryNumbers(memory: HostMemory): string {
  const waiting =
    (memory.pressureSome10 ?? 0) >= 1 ? ` · ${formatPercent(memory.pressureSome10)} waiting for memory` : '';
  return `${formatGiBOf(memory.availableBytes, memory.totalBytes)} available${waiting}`;
}

/** What limits it and what it suffered, sentence by sentence. */
export function memoryLines(memory: HostMemory, oomKillsSeen: number): readonly string[] {
  return [
    memory.limitedBy.kind === 'cgroup'
      ? `The limit is that of the control group ${plain(memory.limitedBy.path)}, not the machine's.`
      : null,
    memory.pressureSome10 === null || memory.pressureSome10 < 1
      ? null
      : `In the last 10 s some task waited for memory ${formatPercent(memory.pressureSome10)} of the time.`,
    oomKillsSeen > 0 ? oomKillWords(oomKillsSeen) : null,
  ].filter(line => line !== null);
}

/** The counter is the machine's, so it does not say whose process it was. */
export function oomKillWords(count: number): string {
  return count === 1
    ? 'The kernel ended a process for want of memory since watching began.'
    : `The kernel ended ${count} processes for want of memory since watching began.`;
}
