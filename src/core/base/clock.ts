import type { Disposable } from './disposable';

/** Time as an argument: core and control never read it themselves, so tests decide what time it is. */
export interface Clock {
  /** Milliseconds since the epoch, by the wall clock of the machine the editor runs on. */
  nowMs(): number;
  /** Calls back once, after at least `delayMs`; dispose to cancel. */
  after(delayMs: number, call: () => void): Disposable;
  /** A number in [0, 1), for jitter. */
  random(): number;
}
