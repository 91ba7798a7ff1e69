import type { Clock } from '../core/base/clock';
import { type Disposable, DisposableStore } from '../core/base/disposable';
import type { Event } from '../core/base/event';
import type { State } from '../core/model/state';

export interface RefresherOptions {
  readonly clock: Clock;
  readonly store: { readonly state: State; readonly onChange: Event<State> };
  /** Whether somebody looks at this window, or did not long ago. */
  readonly isWindowInUse: () => boolean;
  readonly draw: (state: State, nowMs: number) => void;
}

export interface Refresher extends Disposable {
  /** Draws as soon as possible: something other than the state changed. */
  refresh(): void;
}

const betweenDrawsMs = 1000;
/** Nobody looks: ages are kept right to the quarter of a minute. */
const idleMs = 15_000;

/**
 * Decides when views are drawn: at most once a second, and once a second while there are hosts, for ages change without any
 * event. A change of meaning (the state of a connection or of an
 * attempt, first numbers) does not wait. Without hosts there is no timer at all.
 */
export function createRefresher(options: RefresherOptions): Refresher {
  const { clock, store, draw } = options;
  const owned = new DisposableStore();
  let timer: { readonly dueMs: number; readonly handle: Disposable } | null = null;
  let drawnAtMs = Number.NEGATIVE_INFINITY;
  let drawnMeaning = meaning(store.state);

  const scheduleAt = (dueMs: number): void => {
    if (owned.isDisposed || (timer !== null && timer.dueMs <= dueMs)) return;
    timer?.handle.dispose();
    timer = { dueMs, handle: clock.after(Math.max(0, dueMs - clock.nowMs()), drawNow) };
  };

  const drawNow = (): void => {
    timer?.handle.dispose();
    timer = null;
    drawnAtMs = clock.nowMs();
    drawnMeaning = meaning(store.state);
    draw(store.state, drawnAtMs);
    if (store.state.hosts.size > 0) scheduleAt(drawnAtMs + (options.isWindowInUse() ? betweenDrawsMs : idleMs));
  };

  owned.add(
    store.onChange(state => {
      if (meaning(state) !== drawnMeaning) drawNow();
      else scheduleAt(drawnAtMs + betweenDrawsMs);
    }),
  );
  owned.add({ dispose: () => timer?.handle.dispose() });
  return { refresh: drawNow, dispose: () => owned.dispose() };
}

function meaning(state: State): string {
  return [...state.hosts.values()]
    .map(({ spec, connection, watch, jobs }) => {
      const attempts = [...(jobs?.attempts.values() ?? [])].map(({ attempt, isStopping }) =>
        isStopping ? 'stopping' : attempt.status.kind,
      );
      return [spec.id, connection.kind, watch?.gpu.reading != null, ...attempts].join(' ');
    })
    .join('\n');
}
