import type { ProcessIdentity } from '../attempt';
import { isDead, isSame, type HostProcess } from './processTable';
import type { Signal } from './signalling';

/**
 * How an attempt is ended, step by step: asked by INT, which many programs take for Ctrl-C and save what they have; then by
 * TERM; then frozen, so that nothing forks out of reach, and killed. Before each step the table of processes is read anew,
 * and it is over when two tables in a row hold nobody.
 */
export type StopStage =
  | { readonly kind: 'begin' }
  | { readonly kind: 'asked'; readonly signal: 'INT' | 'TERM'; readonly sinceMs: number }
  | { readonly kind: 'freezing'; readonly sweeps: number }
  | {
      readonly kind: 'killing';
      readonly sinceMs: number;
      readonly sweeps: number;
      readonly killed: readonly ProcessIdentity[];
    }
  /** Nobody was found once; `before` goes on if somebody turns up after all. */
  | { readonly kind: 'empty'; readonly before: Exclude<StopStage, { readonly kind: 'empty' }> };

export type StopAction =
  /** `resume`: those of them that are stopped, which get no other signal before they are continued. */
  | {
      readonly kind: 'signal';
      readonly signal: Signal;
      readonly targets: readonly HostProcess[];
      readonly resume: readonly HostProcess[];
    }
  | { readonly kind: 'wait'; readonly delayMs: number }
  | { readonly kind: 'over' };

export interface StopStep {
  readonly stage: StopStage;
  readonly action: StopAction;
}

export interface StopMoment {
  /** Whom to end, by the newest table. */
  readonly targets: readonly HostProcess[];
  readonly nowMs: number;
  /** How long INT and then TERM are given. */
  readonly graceMs: number;
  /** The user does not want to wait any longer. */
  readonly force: boolean;
}

/** Each sweep stops what the ones before left running or had not seen yet; a frozen process forks no more. */
export const mostFreezeSweeps = 8;

/** A killed process that is still there after this is held up in the kernel, and no signal helps. */
export const killWithinMs = 5_000;

const confirmAfterMs = 100;
const [soonestMs, latestMs] = [100, 1_000];

/** The next thing to do. Pure: the stage holds all that is remembered from one step to the next. */
export function nextStop(stage: StopStage, moment: StopMoment): StopStep {
  const living = moment.targets.filter(process => !isDead(process));
  if (living.length === 0) {
    return stage.kind === 'empty'
      ? { stage, action: { kind: 'over' } }
      : { stage: { kind: 'empty', before: stage }, action: { kind: 'wait', delayMs: confirmAfterMs } };
  }
  const { nowMs, graceMs, force } = moment;
  switch (stage.kind) {
    case 'empty':
      return nextStop(stage.before, moment);
    case 'begin':
      return force ? freeze(living, 0, nowMs) : ask('INT', living, nowMs);
    case 'asked': {
      const waitedMs = nowMs - stage.sinceMs;
      if (force) return freeze(living, 0, nowMs);
      if (waitedMs < graceMs) return { stage, action: patience(waitedMs, graceMs) };
      return stage.signal === 'INT' ? ask('TERM', living, nowMs) : freeze(living, 0, nowMs);
    }
    case 'freezing':
      return freeze(living, stage.sweeps, nowMs);
    case 'killing': {
      const waitedMs = nowMs - stage.sinceMs;
      if (waitedMs >= killWithinMs) return { stage, action: { kind: 'over' } };
      // Somebody forked faster than all sweeps, or came out of an uninterruptible wait to do so.
      const isNew = living.some(process => !stage.killed.some(other => isSame(other, process)));
      return isNew ? freeze(living, stage.sweeps, stage.sinceMs) : { stage, action: patience(waitedMs, killWithinMs) };
    }
  }
}

function ask(signal: 'INT' | 'TERM', living: readonly HostProcess[], nowMs: number): StopStep {
  const resume = living.filter(({ state }) => state === 'T');
  return {
    stage: { kind: 'asked', signal, sinceMs: nowMs },
    action: { kind: 'signal', signal, targets: living, resume },
  };
}

/** Stops who still runs, or kills when nobody does. A process in an uninterruptible wait freezes when it comes out of it. */
function freeze(living: readonly HostProcess[], sweeps: number, sinceMs: number): StopStep {
  const running = living.filter(process => !'TtDZ'.includes(process.state));
  return running.length > 0 && sweeps < mostFreezeSweeps
    ? {
        stage: { kind: 'freezing', sweeps: sweeps + 1 },
        action: { kind: 'signal', signal: 'STOP', targets: running, resume: [] },
      }
    : {
        stage: { kind: 'killing', sinceMs, sweeps, killed: living },
        action: { kind: 'signal', signal: 'KILL', targets: living, resume: [] },
      };
}

/** Looks often at first, when most end, and rarely later on; and once when the time is up. */
function patience(waitedMs: number, limitMs: number): StopAction {
  const delayMs = Math.min(Math.max(waitedMs / 2, soonestMs), latestMs);
  return { kind: 'wait', delayMs: Math.min(delayMs, limitMs - waitedMs) };
}
