/** Something that holds a resource until it is told to let go. Same shape as VS Code's, so that either serves as the other. */
export interface Disposable {
  dispose(): void;
}

export function toDisposable(dispose: () => void): Disposable {
  return { dispose };
}

/**
 * Owns disposables for as long as its owner lives. Disposed in reverse order of arrival; what arrives after that is
 * disposed at once, so that an asynchronous start that finishes after stop cannot leak.
 */
export class DisposableStore implements Disposable {
  private readonly items = new Set<Disposable>();
  private disposed = false;

  get isDisposed(): boolean {
    return this.disposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.disposed) item.dispose();
    else this.items.add(item);
    return item;
  }

  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    const items = [...this.items].reverse();
    this.items.clear();
    for (const item of items) item.dispose();
  }
}
