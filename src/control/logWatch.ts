import type { Disposable } from '../core/base/disposable';
import type { HostId } from '../core/host/hostSpec';
import type { AttemptId } from '../core/job/attempt';
import type { ListedAttempt } from '../core/job/directory/jobDirectory';
import type { LogEvent } from '../core/job/log/logFollow';
import { fromTail } from '../core/job/log/logPoint';
import { createLogTail, type LogTail } from '../core/job/log/logTail';
import { newestThroughput } from '../core/job/log/throughput';
import type { AttemptState, LogFacts } from '../core/model/jobsState';
import type { JobsContext } from './jobs';
import type { LogFollower, LogSubscription } from './logFollower';

/** Follows the logs of what runs on a host, for its throughput, its silence and its end; nothing while nothing runs. */
export interface LogWatch extends Disposable {
  /** The attempts in the model have changed. */
  update(): void;
  /** Puts into the model what the logs said since the last time, and tells of those that have gone quiet. */
  publish(nowMs: number): void;
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
  /** What the newest listing said: these bytes had been written, the last of them then. */
  listed: { readonly bytes: number; readonly atMs: number };
  outputAtMs: number;
  dirty: boolean;
  /** The silence since this moment has been told. */
  toldSinceMs: number | null;
}

const linesKept = 50;

export function createLogWatch({ host, context, follower, onEnded }: LogWatchOptions): LogWatch {
  const { store, clock, notices, stallAfterMs } = context;
  const watched = new Map<AttemptId, Watched>();

  const running = (): readonly AttemptState[] =>
    [...(store.state.hosts.get(host)?.jobs?.attempts.values() ?? [])].filter(
      ({ attempt }) => attempt.status.kind === 'running',
    );

  const begin = (id: AttemptId, listed: Watched['listed']): void => {
    const tail = createLogTail({ count: linesKept });
    const one: Watched = {
      subscription: follower.subscribe({ attempt: id, from: fromTail, live: true }, event => hear(event)),
      tail,
      listed,
      outputAtMs: listed.atMs,
      dirty: true,
      toldSinceMs: null,
    };
    const hear = (event: LogEvent): void => {
      switch (event.kind) {
        case 'bytes':
          one.outputAtMs = event.offset + event.bytes.length > one.listed.bytes ? clock.nowMs() : one.listed.atMs;
          tail.push(event.bytes, one.outputAtMs);
          one.dirty = true;
          return;
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
        const listed = listedOutput(attempt, state?.clockAheadMs ?? null);
        const one = watched.get(attempt.id);
        if (one === undefined) begin(attempt.id, listed ?? { bytes: 0, atMs: clock.nowMs() });
        else if (listed !== null) one.listed = listed;
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
    dispose() {
      for (const { subscription } of watched.values()) subscription.dispose();
      watched.clear();
    },
  };
}

/** By the editor's clock; null where the host has not said. */
function listedOutput({ output }: ListedAttempt, clockAheadMs: number | null): Watched['listed'] | null {
  return output === null || clockAheadMs === null
    ? null
    : { bytes: output.bytes, atMs: output.atS * 1000 - clockAheadMs };
}
