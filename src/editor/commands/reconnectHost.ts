import { l10n } from 'vscode';
import type { Fleet } from '../../control/fleet';
import type { CommandHandler } from '../commandRegistry';
import type { Connecting } from '../connecting';
import { hostOfCommand } from '../hostOfCommand';

/** Does not wait for the next try, and signs in where that is wanted: the user is here, so they can be asked. */
export function reconnectHost(fleet: Fleet, connecting: Connecting): CommandHandler {
  return async row => {
    const host = await hostOfCommand(
      row,
      fleet.store.state,
      ({ connection }) => connection.kind !== 'ready',
      l10n.t('Choose the host to reconnect'),
    );
    if (host !== undefined) await connecting.connect(host.spec);
  };
}
