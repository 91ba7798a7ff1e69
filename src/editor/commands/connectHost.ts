import type { HostSpec } from '../../core/host/hostSpec';
import type { CommandHandler } from '../commandRegistry';
import type { Connecting } from '../connecting';

export function connectHost(pick: () => Promise<HostSpec | undefined>, connecting: Connecting): CommandHandler {
  return async () => {
    const spec = await pick();
    if (spec !== undefined) await connecting.connect(spec);
  };
}
