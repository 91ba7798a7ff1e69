import type { Clock } from '../core/base/clock';
import { type Disposable, DisposableStore, toDisposable } from '../core/base/disposable';
import { stackOf } from '../core/base/thrown';
import { linkLost, tooMuchOutput, type Failure } from '../core/errors';
import type { HostId } from '../core/host/hostSpec';
import type { AttemptId } from '../core/job/attempt';
import {
  createFollowReader,
  followLine,
  unfollowLine,
  type FollowKey,
  type FollowMessage,
} from '../core/job/log/followProtocol';
import { followLog, type LogEvent } from '../core/job/log/logFollow';
import type { LogPoint } from '../core/job/log/logPoint';
import { startFollowLoop, type FollowLoop } from './followLoop';
import type { Connection, HostStream, Log } from './ports';

export interface LogFollowerOptions {
  readonly host: HostId;
  readonly clock: Clock;
  readonly log: Log;
  /** The text of follow.sh, with the jobs folder assigned before it as `JOBS`. Asked at each start. */
  readonly script: () => string;
}

export interface LogWish {
  readonly attempt: AttemptId;
  /** `fromStart`, `fromTail`, or the point of an earlier subscription. */
  readonly from: LogPoint;
  /** The attempt runs: what its log says is looked for five times a second even when it has been quiet. */
  readonly live: boolean;
}

export interface LogSubscription extends Disposable {
  /** How far the subscriber has heard. */
  readonly point: LogPoint;
  /** The attempt has begun to run, or has ended. */
  setLive(live: boolean): void;
}

/**
 * Follows logs of one host for as long as anybody wants them, over lost connections, without loss and without a byte twice.
 * All of them come over one channel; with nothing to follow there is none.
 */
export interface LogFollower extends Disposable {
  /** The listener is told of the log from `from` on, in order, never before this returns. */
  subscribe(wish: LogWish, listener: (event: LogEvent) => void): LogSubscription;
  /** There is a connection. Dispose when it is over: what is followed waits for the next one. */
  attach(connection: Connection): Disposable;
}

interface Followed {
  readonly attempt: AttemptId;
  readonly listener: (event: LogEvent) => void;
  point: LogPoint;
  live: boolean;
}

const readyWithinMs = 20_000;
const firstRetryMs = 1_000;
const longestRetryMs = 30_000;

export function createLogFollower({ host, clock, log, script }: LogFollowerOptions): LogFollower {
  const followed = new Map<FollowKey, Followed>();
  let lastKey = 0;
  let connection: Connection | null = null;
  /** The lifetime of one stream, from when it is asked for; null: there is none. */
  let life: DisposableStore | null = null;
  let open: { readonly stream: HostStream; readonly loop: FollowLoop } | null = null;
  let retryMs = firstRetryMs;

  const end = (): void => {
    life?.dispose();
    life = null;
    open = null;
  };

  const fail = (failure: Failure): void => {
    log.warn(`${host}: logs: ${failure.message}`);
    end();
    if (connection === null || followed.size === 0) return;
    const waiting = (life = new DisposableStore());
    waiting.add(
      clock.after(retryMs, () => {
        end();
        start();
      }),
    );
    retryMs = Math.min(2 * retryMs, longestRetryMs);
  };

  const start = (): void => {
    if (connection === null || life !== null || followed.size === 0) return;
    const own = (life = new DisposableStore());
    void bringUp(connection, own).catch((error: unknown) => log.error(`${host}: logs: ${stackOf(error)}`));
  };

  const bringUp = async (over: Connection, own: DisposableStore): Promise<void> => {
    const reader = createFollowReader();
    const opened = await over.openStream(script(), {
      readyDeadlineMs: readyWithinMs,
      onLine: line => {
        const message = own.isDisposed ? null : reader.push(line);
        if (message !== null) hear(message);
      },
      onEnd: failure => {
        if (!own.isDisposed) fail(failure);
      },
    });
    if (opened.kind === 'failed') {
      if (!own.isDisposed) fail(opened.failure);
      return;
    }
    const stream = own.add(opened.stream);
    if (own.isDisposed) return;
    for (const [key, { attempt, point }] of followed) stream.send(followLine(key, attempt, point));
    const loop = startFollowLoop({
      clock,
      send: line => stream.send(line),
      isLive: () => [...followed.values()].some(({ live }) => live),
      onSilent: silentMs => fail(linkLost(host, `no word of the logs for ${Math.round(silentMs / 1000)} s`)),
      onFlood: () => fail(tooMuchOutput(host)),
    });
    open = { stream, loop: own.add(loop) };
  };

  const hear = (message: FollowMessage): void => {
    if (message.kind === 'end') retryMs = firstRetryMs;
    else hearOf(message);
    open?.loop.heard(message);
  };

  const hearOf = (message: Exclude<FollowMessage, { kind: 'end' }>): void => {
    const one = followed.get(message.key);
    if (one === undefined) return;
    const { point, events, outOfStep } = followLog(one.point, message);
    one.point = point;
    if (outOfStep) open?.stream.send(followLine(message.key, one.attempt, point));
    for (const event of events) {
      try {
        one.listener(event);
      } catch (error) {
        log.error(`${host}: ${stackOf(error)}`);
      }
    }
  };

  const drop = (key: FollowKey): void => {
    if (!followed.delete(key)) return;
    if (followed.size === 0) end();
    else open?.stream.send(unfollowLine(key));
  };

  return {
    subscribe({ attempt, from, live }, listener) {
      const key = ++lastKey;
      const one: Followed = { attempt, listener, point: from, live };
      followed.set(key, one);
      if (open === null) start();
      else {
        open.stream.send(followLine(key, attempt, from));
        open.loop.hurry();
      }
      return {
        get point() {
          return one.point;
        },
        setLive: next => void (one.live = next),
        dispose: () => drop(key),
      };
    },
    attach(next) {
      end();
      connection = next;
      retryMs = firstRetryMs;
      start();
      return toDisposable(() => {
        if (connection !== next) return;
        connection = null;
        end();
      });
    },
    dispose() {
      followed.clear();
      connection = null;
      end();
    },
  };
}
