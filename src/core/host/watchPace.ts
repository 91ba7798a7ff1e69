import type { WatchFrame, WatchRequest } from './watchFrame';

/**
 * How much of a host is being shown. `full`: its GPUs and their processes are in view. `brief`: a few numbers are, as in
 * the status bar. `none`: nothing is; only what must be heard in any case is asked for.
 */
export type Attention = 'full' | 'brief' | 'none';

export interface Pace {
  /** From one tick to the next. */
  readonly intervalMs: number;
  readonly gpus: boolean;
  /** At most so often; null: never. */
  readonly processesEveryMs: number | null;
}

export const paces: Readonly<Record<Attention, Pace>> = {
  full: { intervalMs: 1_000, gpus: true, processesEveryMs: 0 },
  // Who holds the cards changes slowly, and asking costs a second run of the tool; it decides which cards are free.
  brief: { intervalMs: 2_000, gpus: true, processesEveryMs: 10_000 },
  // Kills by the kernel are still heard, and a link that died is noticed.
  none: { intervalMs: 10_000, gpus: false, processesEveryMs: null },
};

/** What one stream has asked and heard so far. Times by the editor's clock, when the tick was sent. */
export interface WatchHistory {
  readonly queryStartedMs: number | null;
  readonly processesAskedMs: number | null;
  readonly listAskedMs: number | null;
  /** When the newest answer was heard, and how long its query took. */
  readonly answeredMs: number | null;
  readonly durationMs: number;
  readonly migEnabled: boolean;
}

export const newHistory: WatchHistory = {
  queryStartedMs: null,
  processesAskedMs: null,
  listAskedMs: null,
  answeredMs: null,
  durationMs: 0,
  migEnabled: false,
};

const leastQueryIntervalMs = 1_000;
const listEveryMs = 60_000;
/** A timer may fire that much early by the wall clock; a query must not be put off by a whole tick for it. */
const timerSlackMs = 5;

/**
 * From one query of the GPUs to the next, at least, when the tool takes `durationMs`. That may be a tenth of a second of a
 * core or half a minute: it runs at most a quarter of the time.
 */
export const queryIntervalMs = (durationMs: number): number => Math.max(leastQueryIntervalMs, 4 * durationMs);

/**
 * What a tick at `nowMs` asks. That no query is started while one is under way is the host's to see to, for only it knows
 * when one has ended.
 */
export function nextRequest(pace: Pace, history: WatchHistory, nowMs: number): WatchRequest {
  // A clock that was set back must not put things off until it is what it was.
  const due = (sinceMs: number | null, everyMs: number): boolean =>
    sinceMs === null || nowMs < sinceMs || nowMs - sinceMs >= everyMs - timerSlackMs;
  const gpus = pace.gpus && due(history.queryStartedMs, queryIntervalMs(history.durationMs));
  return {
    gpus,
    processes: gpus && pace.processesEveryMs !== null && due(history.processesAskedMs, pace.processesEveryMs),
    list: gpus && history.migEnabled && due(history.listAskedMs, listEveryMs),
  };
}

/** A tick that was sent, and what it asked. */
export interface Tick {
  readonly atMs: number;
  readonly request: WatchRequest;
}

/** The history after `frame` answered `tick`. */
export function afterFrame(history: WatchHistory, tick: Tick, frame: WatchFrame, nowMs: number): WatchHistory {
  const { atMs, request } = tick;
  const started = frame.queryStarted
    ? {
        queryStartedMs: atMs,
        processesAskedMs: request.processes ? atMs : history.processesAskedMs,
        listAskedMs: request.list ? atMs : history.listAskedMs,
      }
    : {};
  if (frame.gpu.kind !== 'answered') return { ...history, ...started };
  const { durationMs, gpus } = frame.gpu.answer;
  return {
    ...history,
    ...started,
    durationMs,
    answeredMs: nowMs,
    migEnabled: gpus.some(gpu => gpu.migEnabled === true),
  };
}

const soonestMs = 150;

/**
 * How long to wait after a frame. A host that answers late is short of something, and gets as long a rest as it took. While
 * nothing recent is known of the GPUs, their first answer is fetched as soon as it can be there.
 *
 * @param tookMs from the tick to its frame; nonsense when the clock was set in between
 */
export function nextDelayMs(
  pace: Pace,
  history: WatchHistory,
  frame: WatchFrame,
  tookMs: number,
  nowMs: number,
): number {
  const delayMs = Math.max(pace.intervalMs - Math.max(0, tookMs), Math.min(pace.intervalMs, tookMs));
  const awaited = history.answeredMs === null || nowMs - history.answeredMs > 2 * pace.intervalMs;
  return pace.gpus && awaited && frame.gpu.kind === 'running'
    ? Math.min(delayMs, Math.max(soonestMs, frame.gpu.forMs))
    : delayMs;
}
