/** What one frame brought, as far as the pace of the next is concerned. */
export interface FrameSummary {
  /** Logs that were opened on the host to read from. */
  readonly reads: number;
  readonly bytes: number;
  /** Some log has more to be read. */
  readonly more: boolean;
  /** From the tick to the end of its frame. */
  readonly tookMs: number;
}

export interface FollowPace {
  /** How much the next tick asks for at most. */
  readonly askBytes: number;
  /** For how long nothing has grown. */
  readonly quietMs: number;
  /** Rest that the host has earned and not had yet. */
  readonly owedMs: number;
}

const leastBytes = 65_536;
/** All of a frame may be read in one turn of the event loop, and is to take a few milliseconds of it. */
const mostBytes = 1_048_576;

export const newFollowPace: FollowPace = { askBytes: 262_144, quietMs: 0, owedMs: 0 };

/** Five ticks a second: what a log says is on screen before it seems late. */
const livelyMs = 200;
const sleepyMs = 1_000;
const quietFromMs = 5_000;

/**
 * Rest that a tick earns its host. Looking at 50 logs costs about 2 ms of CPU and reading from one of them 1.2 ms, the SSH
 * server's share included, so with 50 times that as rest, following takes no more than 2 % of a core in the long run, however many logs grow.
 */
const restMs = 100;
const restPerReadMs = 60;
/** So much may be owed before a tick is put off for it: logs that grow once in a while are told of at once. */
const mostOwedMs = 4_000;

/**
 * What follows from a frame: how long to wait until the next tick, and the pace after that. The size asked for follows the
 * link: a frame should take about as long as a tick, for the numbers of the host come over the same link and are not to wait
 * behind a log.
 *
 * @param live an attempt whose log is followed is running: what it says is waited for, however long it was quiet
 */
export function nextFollowPace(
  pace: FollowPace,
  frame: FrameSummary,
  live: boolean,
): { readonly delayMs: number; readonly pace: FollowPace } {
  const tookMs = Math.max(0, frame.tookMs);
  const grew = frame.bytes > 0;
  const owedMs = Math.max(0, pace.owedMs + restMs + restPerReadMs * frame.reads - tookMs);
  const intervalMs = live || grew || pace.quietMs < quietFromMs ? livelyMs : sleepyMs;
  const delayMs = frame.more && grew ? 0 : Math.max(0, intervalMs - tookMs, owedMs - mostOwedMs);
  return {
    delayMs,
    pace: {
      askBytes: nextAskBytes(pace.askBytes, frame),
      quietMs: grew ? 0 : pace.quietMs + tookMs + delayMs,
      owedMs: Math.max(0, owedMs - delayMs),
    },
  };
}

function nextAskBytes(askBytes: number, { bytes, tookMs }: FrameSummary): number {
  if (bytes >= askBytes / 2 && tookMs < livelyMs / 2) return Math.min(mostBytes, askBytes * 2);
  if (bytes > 0 && tookMs > 2 * livelyMs) return Math.max(leastBytes, Math.round(askBytes / 2));
  return askBytes;
}
