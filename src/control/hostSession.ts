import type { Clock } from '../core/base/clock';
import { type Disposable, DisposableStore, toDisposable } from '../core/base/disposable';
import { stackOf } from '../core/base/thrown';
import { cancelled, internal, linkLost, type Failure } from '../core/errors';
import {
  asSignInNeeded,
  nextConnection,
  type ConnectionEvent,
  type ConnectionState,
  type ConnectStep,
} from '../core/host/connection';
import type { HostId, HostSpec } from '../core/host/hostSpec';
import type { WatchFrame } from '../core/host/watchFrame';
import { paces, type Attention } from '../core/host/watchPace';
import { startHostWatch } from './hostWatch';
import type { Connection, HostConnector, Log, Prompts } from './ports';
import type { Store } from './store';
import { startWatchLoop, type WatchLoop } from './watchLoop';

export interface SessionContext {
  readonly connector: HostConnector;
  readonly clock: Clock;
  readonly log: Log;
  readonly store: Store;
  /** As in `FleetOptions`. */
  readonly watchScript: () => string;
  readonly services: readonly HostService[];
}

/** Work on a host beside its watch, for as long as its link is up. */
export interface HostService {
  /** The link is up and the host is known to be one that jobs run on. Dispose when it is over. */
  attach(spec: HostSpec, connection: Connection): Disposable;
  /** The user wants to hear no more of the host. */
  forget(host: HostId): void;
}

/** One host of the fleet, from when it was first named until it is forgotten. Outlives its connections. */
export interface HostSession extends Disposable {
  /**
   * Brings the link up and resolves when it is decided what became of that: ready, waiting for a retry, needing the user, or
   * given up. Joins a try that is under way. Aborting gives the try up, for all who joined it.
   *
   * @param prompts null: nobody may be asked
   */
  connect(prompts: Prompts | null, signal?: AbortSignal): Promise<ConnectionState>;
  disconnect(): void;
  setAttention(attention: Attention): void;
}

export function createHostSession(spec: HostSpec, context: SessionContext, firstAttention: Attention): HostSession {
  const { connector, clock, log, store, watchScript, services } = context;
  let attention = firstAttention;
  /** The lifetime of one connection, from its try on. */
  let life = new DisposableStore();
  let loop: WatchLoop | null = null;
  let retry: Disposable | null = null;
  /** Whether the present try may ask the user. */
  let mayAsk = false;

  const current = (): ConnectionState => store.state.hosts.get(spec.id)?.connection ?? { kind: 'disconnected' };

  const apply = (event: ConnectionEvent, nowMs = clock.nowMs()): void => {
    const before = current();
    const connection = nextConnection(before, event, nowMs, clock.random());
    if (connection === before) return;
    retry?.dispose();
    retry = null;
    store.dispatch({ kind: 'connectionChanged', host: spec.id, connection });
    if (connection.kind !== 'waiting') return;
    const { retryAtMs } = connection;
    // By the wall clock a timer may fire a moment early; the try is due all the same.
    retry = clock.after(retryAtMs - nowMs, () => begin(null, Math.max(clock.nowMs(), retryAtMs)));
  };

  const end = (event: ConnectionEvent): void => {
    life.dispose();
    loop = null;
    apply(event);
  };

  const begin = (prompts: Prompts | null, nowMs = clock.nowMs()): void => {
    life.dispose();
    life = new DisposableStore();
    mayAsk = prompts !== null;
    apply({ kind: 'connect' }, nowMs);
    void bringUp(life, prompts);
  };

  /** Never rejects. What arrives after `own` was disposed is disposed with it and changes nothing. */
  const bringUp = async (own: DisposableStore, prompts: Prompts | null): Promise<void> => {
    let interactive = false;
    const isOver = (): boolean => own.isDisposed;
    const fail = (failure: Failure): void => {
      if (isOver()) return;
      log.warn(`${spec.id}: ${failure.message}`);
      end({ kind: 'failed', failure: interactive ? asSignInNeeded(failure) : failure });
    };
    const onStep = (step: ConnectStep): void => {
      if (!isOver()) apply({ kind: 'step', step });
    };
    try {
      const abort = new AbortController();
      own.add(toDisposable(() => abort.abort()));
      const result = await connector.connect(spec, { prompts, onStep, signal: abort.signal });
      if (result.kind === 'failed') return fail(result.failure);
      const connection = own.add(result.connection);
      if (isOver()) return;
      interactive = result.interactive;
      for (const notice of result.notices) log.info(`${spec.id}: ${notice}`);
      own.add(connection.onClosed(fail));
      onStep('starting');
      const watch = { host: spec.id, connection, script: watchScript(), clock, life: own, onFrame, onEnd: fail };
      const started = await startHostWatch(watch);
      if (started.kind === 'failed') return fail(started.failure);
      if (isOver()) return;
      store.dispatch({ kind: 'identified', host: spec.id, identity: started.identity });
      apply({ kind: 'connected', interactive });
      log.info(`${spec.id}: watching`);
      const send = (line: string): void => started.stream.send(line);
      const onSilent = (ms: number): void => fail(linkLost(spec.id, `no answer for ${Math.round(ms / 1000)} s`));
      loop = own.add(startWatchLoop({ clock, attention, send, onSilent }));
      for (const service of services) own.add(service.attach(spec, connection));
    } catch (error) {
      log.error(`${spec.id}: ${stackOf(error)}`);
      fail(internal(error));
    }
  };

  const onFrame = (frame: WatchFrame): void => {
    store.dispatch({ kind: 'frame', host: spec.id, frame, atMs: clock.nowMs() });
    loop?.heard(frame);
  };

  const tellPace = (): void => {
    const intervalMs = attention === 'none' ? null : paces[attention].intervalMs;
    store.dispatch({ kind: 'paceChanged', host: spec.id, intervalMs });
  };

  /** Resolves when no try is under way. */
  const decided = (): Promise<ConnectionState> =>
    new Promise(resolve => {
      const look = (): void => {
        const state = current();
        if (state.kind === 'connecting') return;
        listening.dispose();
        resolve(state);
      };
      const listening = store.onChange(look);
      look();
    });

  tellPace();
  return {
    async connect(prompts, signal) {
      const joins = current().kind === 'connecting';
      const canAsk = mayAsk || prompts === null;
      const cancel = (): void => {
        if (current().kind === 'connecting') end({ kind: 'failed', failure: cancelled() });
      };
      if (signal?.aborted || current().kind === 'ready') return current();
      if (!joins) begin(prompts);
      signal?.addEventListener('abort', cancel, { once: true });
      try {
        const state = await decided();
        if (!joins || canAsk || state.kind !== 'needsUser' || signal?.aborted) return state;
        // The try that was joined could not ask the user, and this one can.
        begin(prompts);
        return await decided();
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    },
    disconnect: () => end({ kind: 'disconnect' }),
    setAttention(next) {
      if (next === attention) return;
      attention = next;
      tellPace();
      loop?.setAttention(next);
    },
    dispose: () => end({ kind: 'disconnect' }),
  };
}
