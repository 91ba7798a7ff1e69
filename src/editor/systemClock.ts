import { setTimeout, clearTimeout } from 'node:timers';
import type { Clock } from '../core/base/clock';
import { toDisposable } from '../core/base/disposable';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after: (delayMs, call) => {
    const timer = setTimeout(call, delayMs);
    return toDisposable(() => clearTimeout(timer));
  },
  random: () => Math.random(),
};
