import { createLineSplitter } from '../base/lines';
import { readStreamLine, streamMark, type StreamLine } from './remoteScript';

/**
 * Reads what a stream script prints. Lines are split and told apart as `readStreamLine` says. After a control line whose first
 * word is `bytes`, everything up to the stream's next mark is bytes of somebody else's file: handed on raw, in pieces as they
 * arrive, line feeds and all. The mark ends them wherever it stands, for a file need not end with a line feed.
 *
 * Never throws.
 */
export interface StreamReader {
  /** What `chunk` completes, in order. A `bytes` piece is a view of memory that may be used again: copy what is kept. */
  push(chunk: Uint8Array): StreamLine[];
  /**
   * The stream is over: the last line if it had no line feed. The few bytes that were held back, because they may be half of
   * a mark, are dropped: who reads a file on from what it was handed loses nothing by that.
   */
  end(): StreamLine[];
}

const lineFeed = 0x0a;
/** What every mark begins with. */
const recordSeparator = 0x1e;
const longestLineBytes = 65_536;

export function createStreamReader(nonce: string): StreamReader {
  const mark = Uint8Array.from(streamMark(nonce), character => character.charCodeAt(0));
  const splitter = createLineSplitter({ maxBytes: longestLineBytes });
  let raw = false;
  /** How many bytes of the mark the raw part ended with so far; they were not handed on. */
  let held = 0;

  /** Reads lines from `start` to the end of the chunk, or to where raw bytes begin. Gives where it stopped. */
  const readLines = (chunk: Uint8Array, start: number, found: StreamLine[]): number => {
    let at = start;
    while (at < chunk.length) {
      const end = chunk.indexOf(lineFeed, at);
      const next = end < 0 ? chunk.length : end + 1;
      for (const text of splitter.push(chunk.subarray(at, next))) {
        const line = readStreamLine(text, nonce);
        found.push(line);
        raw = line.kind === 'control' && line.words.startsWith('bytes ');
      }
      at = next;
      if (raw) break;
    }
    return at;
  };

  /** Hands on raw bytes from `start` to the end of the chunk, or to the mark. Gives where it stopped. */
  const readRaw = (chunk: Uint8Array, start: number, found: StreamLine[]): number => {
    const give = (bytes: Uint8Array): void => {
      if (bytes.length > 0) found.push({ kind: 'bytes', bytes });
    };
    const endMark = (after: number): number => {
      raw = false;
      held = 0;
      splitter.push(mark);
      return after;
    };
    let from = start;
    if (held > 0) {
      const matched = matchLength(chunk, start, mark, held);
      if (held + matched === mark.length) return endMark(start + matched);
      if (start + matched === chunk.length) {
        held += matched;
        return chunk.length;
      }
      // It was no mark. Its first byte occurs in it only once, so none begins inside of what was held either.
      give(mark.slice(0, held));
      held = 0;
      from = start;
    }
    for (let at = chunk.indexOf(recordSeparator, from); at >= 0; at = chunk.indexOf(recordSeparator, at + 1)) {
      const matched = matchLength(chunk, at, mark, 0);
      if (matched < mark.length && at + matched < chunk.length) continue;
      give(chunk.subarray(from, at));
      if (matched === mark.length) return endMark(at + matched);
      held = matched;
      return chunk.length;
    }
    give(chunk.subarray(from));
    return chunk.length;
  };

  return {
    push(chunk) {
      const found: StreamLine[] = [];
      for (let at = 0; at < chunk.length;) at = raw ? readRaw(chunk, at, found) : readLines(chunk, at, found);
      return found;
    },
    end: () => (raw ? [] : splitter.end().map(text => readStreamLine(text, nonce))),
  };
}

/** How many bytes of `mark`, from its byte `known` on, stand in `chunk` at `at`. */
function matchLength(chunk: Uint8Array, at: number, mark: Uint8Array, known: number): number {
  let length = 0;
  while (known + length < mark.length && at + length < chunk.length && chunk[at + length] === mark[known + length])
    length++;
  return length;
}
