import type { Fleet } from '../../control/fleet';
import type { CommandHandler } from '../commandRegistry';
import type { Connecting } from '../connecting';
import { hostOfCommand } from '../hostOfCommand';

/** "Retry Now" and "Sign In": the user is here, so they can be asked. */
export function reconnectHost(fleet: Fleet, connecting: Connecting): CommandHandler {
  return async row => {
    const host = await hostOfCommand(row, fleet.store.state, ({ connection }) => connection.kind !== 'ready');
    if (host !== undefined) await connecting.connect(host.spec);
  };
}
