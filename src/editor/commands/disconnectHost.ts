import { l10n } from 'vscode';
import type { Fleet } from '../../control/fleet';
import type { CommandHandler } from '../commandRegistry';
import { hostOfCommand } from '../hostOfCommand';
import type { RememberedHosts } from '../rememberedHosts';

/** Ends the connection; the host stays in the tree, and is not connected again when the workspace is opened. */
export function disconnectHost(fleet: Fleet, remembered: RememberedHosts): CommandHandler {
  return async row => {
    const host = await hostOfCommand(
      row,
      fleet.store.state,
      ({ connection }) => connection.kind !== 'disconnected',
      l10n.t('Choose the host to disconnect'),
    );
    if (host === undefined) return;
    fleet.disconnect(host.spec.id);
    await remembered.remove(host.spec.id);
  };
}
