/** A time limit that does not count while the user is being asked something. */
export interface PausableTimer {
  /** Nested pauses are fine: the time goes on when the last one is over. */
  whilePaused<T>(work: () => Promise<T>): Promise<T>;
  /** A question is open. */
  readonly isPaused: boolean;
  stop(): void;
}

export function startPausableTimer(limitMs: number, onPassed: () => void): PausableTimer {
  let leftMs = limitMs;
  let startedAtMs = performance.now();
  let timer: NodeJS.Timeout | null = setTimeout(onPassed, limitMs);
  let pauses = 0;
  let stopped = false;
  const halt = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };
  return {
    async whilePaused(work) {
      if (pauses++ === 0) {
        halt();
        leftMs -= performance.now() - startedAtMs;
      }
      try {
        return await work();
      } finally {
        if (--pauses === 0 && !stopped) {
          startedAtMs = performance.now();
          timer = setTimeout(onPassed, Math.max(leftMs, 0));
        }
      }
    },
    get isPaused() {
      return pauses > 0;
    },
    stop() {
      stopped = true;
      halt();
    },
  };
}
