import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HostProcess } from '../../../src/core/job/process/processTable';
import {
  killWithinMs,
  mostFreezeSweeps,
  nextStop,
  type StopAction,
  type StopStage,
} from '../../../src/core/job/process/stopPlan';

const process = (pid: number, state = 'S', threads = 1): HostProcess => ({
  pid,
  startTicks: pid,
  ppid: 1,
  pgid: pid,
  sid: pid,
  state,
  threads,
  kernel: false,
  comm: 'python3',
  uid: 1000,
  attempt: null,
  cgroup: null,
});

/** Plays a stop against processes that answer as told, and tells what was done. `wait` takes no place in it. */
function play(
  world: (action: StopAction, nowMs: number) => readonly HostProcess[],
  { graceMs = 1_000, force = false } = {},
) {
  const done: string[] = [];
  let stage: StopStage = { kind: 'begin' };
  let nowMs = 0;
  let targets = world({ kind: 'wait', delayMs: 0 }, nowMs);
  for (let steps = 0; steps < 500; steps += 1) {
    const step = nextStop(stage, { targets, nowMs, graceMs, force });
    ({ stage } = step);
    const { action } = step;
    if (action.kind === 'over') return { done, nowMs, looks: steps + 1 };
    if (action.kind === 'signal') done.push(`${action.signal} ${action.targets.map(({ pid }) => pid).join(' ')}`);
    // A look takes its time too.
    nowMs += action.kind === 'wait' ? action.delayMs : 5;
    targets = world(action, nowMs);
  }
  throw new Error(`no end: ${done.slice(0, 20).join(', ')}`);
}

const isSignal = (action: StopAction, signal: string): boolean => action.kind === 'signal' && action.signal === signal;

describe('nextStop', () => {
  it('signals nobody when nobody lives, and looks twice', () => {
    expect(play(() => [])).toMatchObject({ done: [], looks: 2 });
    expect(play(() => [process(5, 'Z')])).toMatchObject({ done: [] });
  });

  it('asks by INT, then by TERM after the grace, then freezes and kills', () => {
    let state = 'S';
    let alive = true;
    const { done } = play(action => {
      if (isSignal(action, 'STOP')) state = 'T';
      if (isSignal(action, 'KILL')) alive = false;
      return alive ? [process(5, state)] : [];
    });
    expect(done).toEqual(['INT 5', 'TERM 5', 'STOP 5', 'KILL 5']);
  });

  it('is over as soon as INT was enough', () => {
    let alive = true;
    const { done, nowMs } = play(
      action => {
        if (isSignal(action, 'INT')) alive = false;
        return alive ? [process(5)] : [];
      },
      { graceMs: 60_000 },
    );
    expect(done).toEqual(['INT 5']);
    expect(nowMs).toBeLessThan(1_000);
  });

  it('goes on where it was when somebody turns up after an empty table', () => {
    const tables = [[process(5)], [], [process(6)], [], []];
    let at = 0;
    const { done } = play(() => tables[Math.min(at++, 4)]!);
    expect(done).toEqual(['INT 5']);
  });

  it('lets go on who is stopped, for no other signal reaches them', () => {
    const { action } = nextStop(
      { kind: 'begin' },
      { targets: [process(5), process(6, 'T')], nowMs: 0, graceMs: 1, force: false },
    );
    expect(action).toMatchObject({ signal: 'INT', targets: [{ pid: 5 }, { pid: 6 }], resume: [{ pid: 6 }] });
  });

  it('takes a process for living while one of its threads is', () => {
    expect(play((_, nowMs) => (nowMs < 2_000 ? [process(5, 'Z', 3)] : [])).done).toContain('INT 5');
  });

  it('skips every grace when forced', () => {
    const { done } = play(action => (isSignal(action, 'KILL') ? [] : [process(5, 'D')]), { force: true });
    expect(done[0]).toBe('KILL 5');
  });

  it('gives up on what no signal ends, in bounded time', () => {
    const { done, nowMs } = play(() => [process(5, 'D')]);
    expect(done).toEqual(['INT 5', 'TERM 5', 'KILL 5']);
    expect(nowMs).toBeLessThan(2_000 + killWithinMs + 1_000);
  });

  it('freezes a storm in sweeps, each those who still run, and no more than so many', () => {
    let next = 10;
    const { done } = play(action => (isSignal(action, 'KILL') ? [] : [process(next++)]), { force: true });
    expect(done.filter(text => text.startsWith('STOP'))).toHaveLength(mostFreezeSweeps);
    expect(done.at(-1)).toMatch(/^KILL/);
  });

  it('ends, whatever the host shows', () => {
    const anyTable = fc.array(
      fc
        .tuple(fc.integer({ min: 2, max: 9 }), fc.constantFrom('R', 'S', 'D', 'T', 'Z'))
        .map(([pid, state]) => process(pid, state)),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(fc.array(anyTable, { minLength: 1, maxLength: 40 }), fc.boolean(), (tables, force) => {
        let at = 0;
        // The last table stays.
        expect(play(() => tables[Math.min(at++, tables.length - 1)]!, { force }).looks).toBeLessThan(500);
      }),
    );
  });
});
