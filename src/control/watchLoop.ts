import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';
import type { WatchFrame } from '../core/host/watchFrame';
import {
  afterFrame,
  newHistory,
  nextDelayMs,
  nextRequest,
  paces,
  type Attention,
  type Tick,
} from '../core/host/watchPace';
import { tickLine } from '../core/host/watchProtocol';

export interface WatchLoopOptions {
  readonly clock: Clock;
  readonly attention: Attention;
  readonly send: (line: string) => void;
  /** A tick was not answered in time: the link is dead, whatever it says. Called once; the loop has stopped. */
  readonly onSilent: (silentMs: number) => void;
}

/** Asks a stream for frames, one at a time, at the pace that the attention wants. Disposed, it asks no more. */
export interface WatchLoop extends Disposable {
  setAttention(attention: Attention): void;
  /** To be told of each frame. */
  heard(frame: WatchFrame): void;
}

/** A host that is short of memory answers late, and that is when it is worth watching. */
const answerWithinMs = 45_000;
/** After a suspend the link is most likely dead, and somebody is looking. */
const answerAfterSuspendWithinMs = 5_000;
/** A timer that is so late was held up by a suspend of this machine. */
const suspendedFromMs = 30_000;
const checkEveryMs = 5_000;

export function startWatchLoop({ clock, attention, send, onSilent }: WatchLoopOptions): WatchLoop {
  let pace = paces[attention];
  let history = newHistory;
  let asked: Tick | null = null;
  let timer: Disposable | null = null;
  let hurried = false;
  let stopped = false;

  /** Calls back after the delay and tells whether this machine slept in between. */
  const later = (delayMs: number, call: (suspended: boolean) => void): void => {
    const dueMs = clock.nowMs() + delayMs;
    timer?.dispose();
    timer = clock.after(delayMs, () => call(clock.nowMs() - dueMs > suspendedFromMs));
  };

  const tick = (suspended: boolean): void => {
    const nowMs = clock.nowMs();
    const request = nextRequest(pace, history, nowMs);
    hurried = false;
    asked = { atMs: nowMs, request };
    expectAnswer(suspended ? answerAfterSuspendWithinMs : answerWithinMs, 0);
    send(tickLine(request));
  };

  // In short steps, for a suspend is to be noticed soon after it.
  const expectAnswer = (leftMs: number, waitedMs: number): void => {
    const stepMs = Math.min(checkEveryMs, leftMs);
    later(stepMs, suspended => {
      if (suspended && leftMs > answerAfterSuspendWithinMs) expectAnswer(answerAfterSuspendWithinMs, waitedMs);
      else if (leftMs > stepMs) expectAnswer(leftMs - stepMs, waitedMs + stepMs);
      else {
        stop();
        onSilent(waitedMs + stepMs);
      }
    });
  };

  const stop = (): void => {
    stopped = true;
    timer?.dispose();
  };

  tick(false);
  return {
    setAttention(next) {
      if (stopped || paces[next] === pace) return;
      pace = paces[next];
      if (asked === null) tick(false);
      else hurried = true;
    },
    heard(frame) {
      if (stopped || asked === null) return;
      const nowMs = clock.nowMs();
      const { atMs } = asked;
      history = afterFrame(history, asked, frame, nowMs);
      asked = null;
      const delayMs = hurried ? 0 : nextDelayMs(pace, history, frame, nowMs - atMs, nowMs);
      later(delayMs, tick);
    },
    dispose: stop,
  };
}
