import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';
import { stackOf } from '../core/base/thrown';
import type { ConnectionState } from '../core/host/connection';
import type { HostId, HostSpec } from '../core/host/hostSpec';
import type { Attention } from '../core/host/watchPace';
import { createHostSession, type HostService, type HostSession } from './hostSession';
import type { HostConnector, Log, Prompts } from './ports';
import { createStore, type ReadableStore, type Store } from './store';

export interface FleetOptions {
  readonly connector: HostConnector;
  readonly clock: Clock;
  readonly log: Log;
  /** The text of watch.sh, with what the settings of now assign before it. Asked at each connection. */
  readonly watchScript: () => string;
  /** The model, where others write to it too; disposed with the fleet. */
  readonly store?: Store;
  /** What works on each host beside its watch. Not disposed with the fleet. */
  readonly services?: readonly HostService[];
}

/** All hosts of this window, and what is known of them. */
export interface Fleet extends Disposable {
  readonly store: ReadableStore;
  /**
   * Connects to a host and goes on watching it, through lost links, until it is disconnected. Resolves when the first try is
   * decided: ready, waiting for a retry, needing the user, or given up. A retry that waits begins at once; a try that is under
   * way is joined. Never rejects.
   *
   * @param prompts null: nobody may be asked
   * @param signal aborts the try
   */
  connect(spec: HostSpec, prompts: Prompts | null, signal?: AbortSignal): Promise<ConnectionState>;
  disconnect(host: HostId): void;
  /** Disconnects and removes the host from the model. */
  forget(host: HostId): void;
  /** How much of a host is being shown; `none` until told. Kept for hosts that are not known yet. */
  setAttention(host: HostId, attention: Attention): void;
}

export function createFleet(options: FleetOptions): Fleet {
  const { connector, clock, log, watchScript, services = [] } = options;
  const store = options.store ?? createStore(error => log.error(`A view failed: ${stackOf(error)}`));
  const context = { connector, clock, log, store, watchScript, services };
  const sessions = new Map<HostId, HostSession>();
  const attentions = new Map<HostId, Attention>();
  let disposed = false;

  const sessionOf = (spec: HostSpec): HostSession => {
    const known = sessions.get(spec.id);
    if (known !== undefined) return known;
    store.dispatch({ kind: 'hostAdded', spec });
    const session = createHostSession(spec, context, attentions.get(spec.id) ?? 'none');
    sessions.set(spec.id, session);
    return session;
  };

  return {
    store,
    async connect(spec, prompts, signal) {
      return disposed ? { kind: 'disconnected' } : sessionOf(spec).connect(prompts, signal);
    },
    disconnect(host) {
      sessions.get(host)?.disconnect();
    },
    forget(host) {
      sessions.get(host)?.dispose();
      sessions.delete(host);
      attentions.delete(host);
      for (const service of services) service.forget(host);
      store.dispatch({ kind: 'hostForgotten', host });
    },
    setAttention(host, attention) {
      attentions.set(host, attention);
      sessions.get(host)?.setAttention(attention);
    },
    dispose() {
      disposed = true;
      for (const session of sessions.values()) session.dispose();
      sessions.clear();
      store.dispose();
    },
  };
}
