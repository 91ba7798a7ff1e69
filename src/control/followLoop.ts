import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';
import { newFollowPace, nextFollowPace } from '../core/job/log/followPace';
import { tickLine, type FollowMessage } from '../core/job/log/followProtocol';

export interface FollowLoopOptions {
  readonly clock: Clock;
  readonly send: (line: string) => void;
  /** Whether a followed log belongs to an attempt that runs. */
  readonly isLive: () => boolean;
  /** Nothing came for long, though a tick was sent. Called once; the loop has stopped. */
  readonly onSilent: (silentMs: number) => void;
  /** The host sent much more than it was asked for. Called once; the loop has stopped. */
  readonly onFlood: () => void;
}

/** Asks a log stream for frames, one at a time. Disposed, it asks no more. */
export interface FollowLoop extends Disposable {
  /** To be told of each message of the stream. */
  heard(message: FollowMessage): void;
  /** A log has been added: the next tick is due at once. */
  hurry(): void;
}

/** A frame may take long on a slow link; while parts of it come, it is not silent. */
const silentFromMs = 45_000;

export function startFollowLoop({ clock, send, isLive, onSilent, onFlood }: FollowLoopOptions): FollowLoop {
  let pace = newFollowPace;
  let askedAtMs: number | null = null;
  let heardAtMs = 0;
  let bytes = 0;
  let reads = 0;
  let hurried = false;
  let timer: Disposable | null = null;
  let stopped = false;

  const later = (delayMs: number, call: () => void): void => {
    timer?.dispose();
    timer = clock.after(delayMs, call);
  };

  const tick = (): void => {
    askedAtMs = heardAtMs = clock.nowMs();
    bytes = reads = 0;
    hurried = false;
    expectWord(silentFromMs);
    send(tickLine(pace.askBytes));
  };

  const expectWord = (delayMs: number): void =>
    later(delayMs, () => {
      const silentMs = clock.nowMs() - heardAtMs;
      // A clock that was set back says nothing: wait once more.
      if (silentMs >= 0 && silentMs < silentFromMs) return expectWord(silentFromMs - silentMs);
      if (silentMs < 0) {
        heardAtMs = clock.nowMs();
        return expectWord(silentFromMs);
      }
      stop();
      onSilent(silentMs);
    });

  const stop = (): void => {
    stopped = true;
    timer?.dispose();
  };

  tick();
  return {
    heard(message) {
      if (stopped) return;
      heardAtMs = clock.nowMs();
      if (message.kind === 'bytes') bytes += message.bytes.length;
      if (message.kind === 'sent') reads += 1;
      if (bytes > 2 * pace.askBytes) {
        stop();
        return onFlood();
      }
      if (message.kind !== 'end' || askedAtMs === null) return;
      const frame = { reads, bytes, more: message.more, tookMs: heardAtMs - askedAtMs };
      askedAtMs = null;
      const next = nextFollowPace(pace, frame, isLive());
      ({ pace } = next);
      later(hurried ? 0 : next.delayMs, tick);
    },
    hurry() {
      if (stopped) return;
      if (askedAtMs === null) tick();
      else hurried = true;
    },
    dispose: stop,
  };
}
