import { l10n } from 'vscode';
import type { Fleet } from '../../control/fleet';
import type { CommandHandler } from '../commandRegistry';
import { hostOfCommand } from '../hostOfCommand';
import type { RememberedHosts } from '../rememberedHosts';

/** Takes a host out of the tree, connection and all. Nothing on the host changes. */
export function forgetHost(fleet: Fleet, remembered: RememberedHosts): CommandHandler {
  return async row => {
    const host = await hostOfCommand(row, fleet.store.state, () => true, l10n.t('Choose the host to forget'));
    if (host === undefined) return;
    fleet.forget(host.spec.id);
    await remembered.remove(host.spec.id);
  };
}
