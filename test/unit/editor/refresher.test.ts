import { describe, expect, it } from 'vitest';
import type { Clock } from '../../../src/core/base/clock';
import { toDisposable } from '../../../src/core/base/disposable';
import { Emitter } from '../../../src/core/base/event';
import { emptyState, type State } from '../../../src/core/model/state';
import { createRefresher } from '../../../src/editor/refresher';
import { gpu, host, now, stateOf } from '../present/builders';

/** Time that passes when it is told to, and a state that changes when it is told to. */
function rig(isWindowInUse = true) {
  let timeMs = now;
  let state: State = emptyState;
  const timers = new Set<{ readonly dueMs: number; readonly call: () => void }>();
  const changes = new Emitter<State>(error => {
    throw error;
  });
  const draws: number[] = [];
  const clock: Clock = {
    nowMs: () => timeMs,
    random: () => 0,
    after: (delayMs, call) => {
      const timer = { dueMs: timeMs + delayMs, call };
      timers.add(timer);
      return toDisposable(() => timers.delete(timer));
    },
  };
  const store = {
    get state() {
      return state;
    },
    onChange: changes.event,
  };
  const refresher = createRefresher({
    clock,
    store,
    isWindowInUse: () => isWindowInUse,
    draw: () => draws.push(timeMs - now),
  });
  return {
    refresher,
    draws,
    timers,
    change: (next: State) => {
      state = next;
      changes.fire(next);
    },
    pass: (ms: number) => {
      const endMs = timeMs + ms;
      for (;;) {
        const next = [...timers].filter(timer => timer.dueMs <= endMs).sort((a, b) => a.dueMs - b.dueMs)[0];
        if (next === undefined) break;
        timers.delete(next);
        timeMs = next.dueMs;
        next.call();
      }
      timeMs = endMs;
    },
  };
}

const live = (powerWatts: number) => stateOf(host({ gpus: [gpu(0, { powerWatts })] }));

describe('drawing', () => {
  it('does nothing and waits for nothing while there is no host', () => {
    const { draws, timers } = rig();
    expect([draws.length, timers.size]).toEqual([0, 0]);
  });

  it('happens at once for a new host, then at most once a second however often numbers change', () => {
    const { draws, change, pass } = rig();
    for (let step = 0; step < 30; step++) {
      change(live(step));
      pass(100);
    }
    expect(draws).toEqual([0, 1000, 2000, 3000]);
  });

  it('goes on without any event, for numbers grow old', () => {
    const { draws, change, pass } = rig();
    change(live(1));
    pass(3500);
    expect(draws).toEqual([0, 1000, 2000, 3000]);
  });

  it('does not wait when a connection is lost', () => {
    const { draws, change, pass } = rig();
    change(live(1));
    pass(300);
    change(stateOf(host({ connection: { kind: 'disconnected' } })));
    expect(draws).toEqual([0, 300]);
  });

  it('slows down while nobody looks', () => {
    const { draws, change, pass } = rig(false);
    change(live(1));
    pass(40_000);
    expect(draws).toEqual([0, 15_000, 30_000]);
  });

  it('stops when the last host goes, and for good when disposed', () => {
    const { refresher, draws, timers, change, pass } = rig();
    change(live(1));
    change(emptyState);
    expect(timers.size).toBe(0);
    change(live(1));
    refresher.dispose();
    pass(5000);
    expect(draws).toEqual([0, 0, 0]);
    expect(timers.size).toBe(0);
  });
});
