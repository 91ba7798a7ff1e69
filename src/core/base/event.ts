import { type Disposable, toDisposable } from './disposable';

/** Subscribe to something that happens; dispose to stop hearing of it. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

/** The side that fires. A listener that throws does not keep the others from hearing; the error reaches `onListenerError`. */
export class Emitter<T> implements Disposable {
  private readonly listeners = new Set<{ readonly call: (value: T) => void }>();

  private readonly onListenerError: (error: unknown) => void;

  constructor(onListenerError: (error: unknown) => void) {
    this.onListenerError = onListenerError;
  }

  readonly event: Event<T> = call => {
    const entry = { call };
    this.listeners.add(entry);
    return toDisposable(() => this.listeners.delete(entry));
  };

  fire(value: T): void {
    for (const entry of [...this.listeners]) {
      try {
        entry.call(value);
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}
