import type { Disposable } from '../core/base/disposable';
import type { HostId } from '../core/host/hostSpec';
import type { AttemptId } from '../core/job/attempt';
import type { LogEvent } from '../core/job/logFollow';
import { fromTail } from '../core/job/logPoint';
import { createLogTail, type LogTail } from '../core/job/logTail';
import { newestThroughput } from '../core/job/throughput';
import type { AttemptState, LogFacts } from '../core/model/jobsState';
import type { JobsContext } from './jobs';
import type { LogFollower, LogSubscription } from './logFollower';

/** Follows the logs of what runs on a host, for its throughput, its silence and its end; nothing while nothing runs. */
export interface LogWatch extends Disposable {
  /** The attempts in the model have changed. */
  update(): void;
  /** Puts into the model what the logs said since the last time, and tells of those that have gone quiet. */
  publish(nowMs: number): void;
  /** What comes next was written while nobody heard. */
  reconnected(): void;
}

export interface LogWatchOptions {
  readonly host: HostId;
  readonly context: JobsContext;
  readonly follower: LogFollower;
  /** An attempt has a `status` now. */
  readonly onEnded: () => void;
}

interface Watched {
  readonly subscription: LogSubscription;
  readonly tail: LogTail;
  outputAtMs: number;
  dirty: boolean;
  /** The silence since this moment has been told. */
  toldSinceMs: number | null;
}

/** What arrives so soon after the link came up was written before; when, nobody has said. */
const catchUpMs = 3_000;
const linesKept = 50;

export function createLogWatch({ host, context, follower, onEnded }: LogWatchOptions): LogWatch {
  const { store, clock, notices, stallAfterMs } = context;
  const watched = new Map<AttemptId, Watched>();
  let connectedAtMs = clock.nowMs();

  const running = (): readonly AttemptState[] =>
    [...(store.state.hosts.get(host)?.jobs?.attempts.values() ?? [])].filter(
      ({ attempt }) => attempt.status.kind === 'running',
    );

  const begin = (id: AttemptId, writtenAtMs: number | null): void => {
    const tail = createLogTail({ count: linesKept });
    const beganAtMs = clock.nowMs();
    const one: Watched = {
      subscription: follower.subscribe({ attempt: id, from: fromTail, live: true }, event => hear(event)),
      tail,
      outputAtMs: writtenAtMs ?? beganAtMs,
      dirty: true,
      toldSinceMs: null,
    };
    const hear = (event: LogEvent): void => {
      switch (event.kind) {
        case 'bytes': {
          const nowMs = clock.nowMs();
          const isOld = writtenAtMs !== null && nowMs - Math.max(beganAtMs, connectedAtMs) < catchUpMs;
          if (!isOld) one.outputAtMs = nowMs;
          tail.push(event.bytes, one.outputAtMs);
          one.dirty = true;
          return;
        }
        case 'skipped':
        case 'truncated':
        case 'replaced':
          return tail.clear();
        case 'ended':
          return onEnded();
        case 'missing':
          return;
      }
    };
    watched.set(id, one);
  };

  return {
    update() {
      const state = store.state.hosts.get(host)?.jobs;
      const now = running();
      for (const { attempt } of now) {
        const ahead = state?.clockAheadMs ?? null;
        const writtenAtMs = ahead === null || attempt.outputAtS === null ? null : attempt.outputAtS * 1000 - ahead;
        const one = watched.get(attempt.id);
        if (one === undefined) begin(attempt.id, writtenAtMs);
        else if (writtenAtMs !== null && writtenAtMs > one.outputAtMs + catchUpMs) {
          one.outputAtMs = writtenAtMs;
          one.dirty = true;
        }
      }
      const ids = new Set(now.map(({ attempt }) => attempt.id));
      for (const [id, { subscription }] of watched) {
        if (ids.has(id)) continue;
        subscription.dispose();
        watched.delete(id);
      }
    },
    publish(nowMs) {
      const logs = new Map<AttemptId, LogFacts>();
      for (const [id, one] of watched) {
        if (!one.dirty) continue;
        one.dirty = false;
        const lines = one.tail.lines();
        logs.set(id, {
          throughput: newestThroughput(lines),
          outputAtMs: one.outputAtMs,
          lastLines: lines.slice(-5).map(({ text }) => text),
        });
      }
      if (logs.size > 0) store.dispatch({ kind: 'logsHeard', host, logs });
      const limitMs = stallAfterMs();
      for (const { attempt } of limitMs === null ? [] : running()) {
        const one = watched.get(attempt.id);
        if (one === undefined || limitMs === null || one.toldSinceMs === one.outputAtMs) continue;
        const quietForMs = nowMs - one.outputAtMs;
        if (quietForMs < limitMs) continue;
        one.toldSinceMs = one.outputAtMs;
        notices.stalled({ host, attempt, quietForMs });
      }
    },
    reconnected: () => (connectedAtMs = clock.nowMs()),
    dispose() {
      for (const { subscription } of watched.values()) subscription.dispose();
      watched.clear();
    },
  };
}
