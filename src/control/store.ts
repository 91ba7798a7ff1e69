import type { Disposable } from '../core/base/disposable';
import { Emitter, type Event } from '../core/base/event';
import type { HostEvent } from '../core/model/events';
import { reduce } from '../core/model/reduce';
import { emptyState, type State } from '../core/model/state';

/** The side of the model that views see. */
export interface ReadableStore {
  readonly state: State;
  /** Fires after the state has changed; never for an event that changed nothing. */
  readonly onChange: Event<State>;
}

export interface Store extends ReadableStore, Disposable {
  dispatch(event: HostEvent): void;
}

/** @param onError hears what a listener threw; the other listeners are not kept from hearing */
export function createStore(onError: (error: unknown) => void): Store {
  const changes = new Emitter<State>(onError);
  let state = emptyState;
  return {
    get state() {
      return state;
    },
    onChange: changes.event,
    dispatch(event) {
      const next = reduce(state, event);
      if (next === state) return;
      state = next;
      changes.fire(state);
    },
    dispose: () => changes.dispose(),
  };
}
