import type { Clock } from '../core/base/clock';
import { type Disposable, DisposableStore, toDisposable } from '../core/base/disposable';
import type { Connection } from './ports';

/** A script that is not through after so long may be waiting for a channel. */
const mayWaitMs = 4_000;
/** One script often follows another: the channel is given back when none has for so long. */
const restMs = 1_000;

/**
 * A connection whose scripts get the channel of the logs where there is no other: some servers allow two sessions, and the
 * watch has the first. Nothing is lost by it, for the logs are read on from where they were.
 *
 * @param followLogs takes a channel for the logs; disposed, it gives it back
 */
export function withScriptRoom(connection: Connection, clock: Clock, followLogs: () => Disposable): ScriptRoom {
  let logs: Disposable | null = null;
  let wanted = false;
  let disposed = false;
  /** Scripts that need the channel of the logs now. */
  let needing = 0;
  /** It was needed once, so it is given to each script from the start. */
  let isTight = false;
  let rest: Disposable | null = null;

  const update = (): void => {
    if (wanted && !disposed && needing === 0) logs ??= followLogs();
    else {
      logs?.dispose();
      logs = null;
    }
  };

  const take = (): Disposable => {
    isTight = true;
    needing += 1;
    rest?.dispose();
    rest = null;
    update();
    return toDisposable(() => {
      needing -= 1;
      if (needing > 0 || disposed) return;
      rest = clock.after(restMs, () => {
        rest = null;
        update();
      });
    });
  };

  return {
    connection: {
      onClosed: connection.onClosed,
      openStream: (script, options) => connection.openStream(script, options),
      async run(script, options) {
        const taken = new DisposableStore();
        if (isTight) taken.add(take());
        else taken.add(clock.after(mayWaitMs, () => taken.add(take())));
        try {
          return await connection.run(script, options);
        } finally {
          taken.dispose();
        }
      },
      dispose: () => connection.dispose(),
    },
    follow(anew) {
      wanted = true;
      if (anew) {
        logs?.dispose();
        logs = null;
      }
      if (rest === null) update();
    },
    dispose() {
      disposed = true;
      rest?.dispose();
      update();
    },
  };
}

export interface ScriptRoom extends Disposable {
  readonly connection: Connection;
  /**
   * Logs are followed from now on, whenever no script needs their channel.
   *
   * @param anew what is followed has changed: the channel is taken again
   */
  follow(anew: boolean): void;
}
