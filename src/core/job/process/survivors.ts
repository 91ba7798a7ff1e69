import { isDead, type HostProcess } from './processTable';

/** A process that is still there after everything was tried. */
export interface Survivor {
  readonly process: HostProcess;
  /**
   * `zombie`: it has ended, and its parent has not taken notice. `unkillable`: it waits in the kernel, mostly in a driver, and
   * no signal reaches it before that ends. `refused`: it runs as a user whom we may not signal. `alive`: for no reason to be seen.
   */
  readonly why: 'zombie' | 'unkillable' | 'refused' | 'alive';
}

/** Why each of these processes is still in the table. */
export function leftOver(
  processes: readonly HostProcess[],
  isRefused: (process: HostProcess) => boolean,
): readonly Survivor[] {
  return processes.map(process => ({ process, why: reasonOf(process, isRefused(process)) }));
}

function reasonOf(process: HostProcess, refused: boolean): Survivor['why'] {
  if (isDead(process)) return 'zombie';
  if (refused) return 'refused';
  // With its first thread ended and others left, one of those is held up.
  return 'DZ'.includes(process.state) ? 'unkillable' : 'alive';
}
