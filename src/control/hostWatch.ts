import type { Clock } from '../core/base/clock';
import { type DisposableStore, toDisposable } from '../core/base/disposable';
import { cancelled, linkLost, notLinux, tooMuchOutput, type Failure } from '../core/errors';
import type { HostId } from '../core/host/hostSpec';
import { sizeOfStreamLine } from '../core/host/remoteScript';
import type { HostIdentity, WatchFrame } from '../core/host/watchFrame';
import { createWatchReader } from '../core/host/watchProtocol';
import type { Connection, HostStream } from './ports';

export type WatchStart =
  | { readonly kind: 'watching'; readonly stream: HostStream; readonly identity: HostIdentity }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface WatchOptions {
  readonly host: HostId;
  readonly connection: Connection;
  readonly script: string;
  readonly clock: Clock;
  /** Owns the stream; disposed during the start, it ends the start. */
  readonly life: DisposableStore;
  readonly onFrame: (frame: WatchFrame) => void;
  /** The stream ended, or was given up; also during the start. */
  readonly onEnd: (failure: Failure) => void;
}

type HelloOrFailure =
  { readonly kind: 'hello'; readonly identity: HostIdentity } | { readonly kind: 'failed'; readonly failure: Failure };

/** From the script's start to its `ready`, and from there to the end of its hello. */
const readyWithinMs = 20_000;
const helloWithinMs = 20_000;
/** What a host may write for one tick, in characters: some times the longest frame. One that never stops would busy us for good. */
const mostWritten = 2_000_000;

/** Starts the watch script and waits until it has said where it runs. Hosts are Linux: another is refused here. */
export async function startHostWatch(options: WatchOptions): Promise<WatchStart> {
  const { host, connection, script, clock, life, onFrame, onEnd } = options;
  const reader = createWatchReader();
  // The first answer decides; what comes later changes nothing.
  let decide: (answer: HelloOrFailure) => void = () => undefined;
  const decided = new Promise<HelloOrFailure>(resolve => (decide = resolve));
  const giveUp = (failure: Failure): void => decide({ kind: 'failed', failure });
  life.add(toDisposable(() => giveUp(cancelled())));

  const end = (failure: Failure): void => {
    giveUp(failure);
    onEnd(failure);
  };

  let written = 0;
  const opened = await connection.openStream(script, {
    readyDeadlineMs: readyWithinMs,
    onLine: line => {
      if (written > mostWritten) return;
      written += 1 + sizeOfStreamLine(line);
      if (written > mostWritten) return end(tooMuchOutput(host));
      const message = reader.push(line);
      if (message === null || life.isDisposed) return;
      if (message.kind === 'hello') decide(message);
      else onFrame(message.frame);
    },
    onEnd: end,
  });
  if (opened.kind === 'failed') return opened;
  const { stream: own } = opened;
  const stream = life.add<HostStream>({
    send(line) {
      written = 0;
      own.send(line);
    },
    dispose: () => own.dispose(),
  });
  const deadline = clock.after(helloWithinMs, () => giveUp(linkLost(host, 'the watch did not start')));
  const answer = await decided;
  deadline.dispose();

  if (answer.kind === 'failed') return answer;
  const { identity } = answer;
  return identity.system === 'Linux'
    ? { kind: 'watching', stream, identity }
    : { kind: 'failed', failure: notLinux(host, identity.system) };
}
