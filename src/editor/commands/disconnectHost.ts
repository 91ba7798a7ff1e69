import type { Fleet } from '../../control/fleet';
import type { CommandHandler } from '../commandRegistry';
import { hostFor } from '../hostPick';
import type { RememberedHosts } from '../rememberedHosts';

/** Ends the connection; the host stays in the tree, and is not connected again when the workspace is opened. */
export function disconnectHost(fleet: Fleet, remembered: RememberedHosts): CommandHandler {
  return async row => {
    const host = await hostFor(row, fleet.store.state, ({ connection }) => connection.kind !== 'disconnected');
    if (host === undefined) return;
    fleet.disconnect(host.spec.id);
    await remembered.remove(host.spec.id);
  };
}
