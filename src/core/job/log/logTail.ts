import { decodeCut, joinBytes } from '../../base/bytes';

/** A line of a log, and when the last of it came. Untrusted text, escape sequences and all. */
export interface LogLine {
  readonly text: string;
  readonly atMs: number;
}

/**
 * The last lines of a log, for messages and figures: what a terminal would show of each, if it were wide enough. A progress
 * bar that is drawn over itself with carriage returns is one line, and reads as it was drawn last.
 */
export interface LogTail {
  /** The chunk is copied where it must be kept. `atMs`: when it came. */
  push(chunk: Uint8Array, atMs: number): void;
  /** Oldest first; the last may be unfinished. Never throws: bytes that are no UTF-8 become U+FFFD. */
  lines(): readonly LogLine[];
  /** Forgets everything: the log began anew, or a part of it is missing. */
  clear(): void;
}

/** A line longer than this is cut: a log cannot make us hold more than that. */
const longestLineBytes = 65_536;

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A line as it arrived; most are never looked at, so none is decoded before. */
interface RawLine {
  readonly bytes: Uint8Array;
  readonly atMs: number;
}

export function createLogTail({ count = 200 }: { readonly count?: number } = {}): LogTail {
  const ring: RawLine[] = [];
  /** Where the next line goes once the ring is full: on the place of the oldest. */
  let oldest = 0;
  let pieces: Uint8Array[] = [];
  let length = 0;
  let atMs = 0;
  /** What was read of the line ends with a carriage return: what follows, if it is no line end, is drawn over it. */
  let returned = false;

  const keep = (piece: Uint8Array): void => {
    const kept = piece.slice(0, longestLineBytes - length);
    if (kept.length === 0) return;
    pieces.push(kept);
    length += kept.length;
  };

  /** A part of a line, without line feeds. */
  const add = (part: Uint8Array): void => {
    let end = part.length;
    while (end > 0 && part[end - 1] === carriageReturn) end--;
    if (end > 0) {
      const drawnOver = part.lastIndexOf(carriageReturn, end - 1);
      if (returned || drawnOver >= 0) {
        pieces = [];
        length = 0;
      }
      keep(part.subarray(drawnOver + 1, end));
      returned = false;
    }
    if (end < part.length) returned = true;
  };

  const current = (): RawLine => ({ bytes: joinBytes(pieces, length), atMs });

  const finish = (): void => {
    const line = current();
    if (ring.length < count) ring.push(line);
    else {
      ring[oldest] = line;
      oldest = (oldest + 1) % count;
    }
    pieces = [];
    length = 0;
    returned = false;
  };

  const clear = (): void => {
    ring.length = 0;
    oldest = 0;
    pieces = [];
    length = 0;
    returned = false;
  };

  return {
    push(chunk, nowMs) {
      atMs = nowMs;
      // Lines that would fall out of the ring again with this very chunk need no work.
      let start = startOfLast(count, chunk);
      if (start > 0) clear();
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
        add(chunk.subarray(start, end));
        finish();
        start = end + 1;
      }
      if (start < chunk.length) add(chunk.subarray(start));
    },
    lines() {
      const all = [...ring.slice(oldest), ...ring.slice(0, oldest)];
      if (length > 0) all.push(current());
      return all.slice(-count).map(line => ({ text: decodeCut(line.bytes), atMs: line.atMs }));
    },
    clear,
  };
}

/** Where in the chunk its last `count` whole lines begin; 0 if it has no more than that. */
function startOfLast(count: number, chunk: Uint8Array): number {
  let at = chunk.lastIndexOf(lineFeed);
  for (let lines = 0; lines < count && at >= 0; lines++) at = at === 0 ? -1 : chunk.lastIndexOf(lineFeed, at - 1);
  return at + 1;
}
