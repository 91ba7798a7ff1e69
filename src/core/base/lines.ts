import { decodeCut, joinBytes } from './bytes';

/** Bytes in, whole lines out. Never throws: bytes that are no UTF-8 become U+FFFD. */
export interface LineSplitter {
  /** The lines that `chunk` completes, in order. The chunk is copied where it must be kept. */
  push(chunk: Uint8Array): string[];
  /** The last line if it had no line feed, else nothing. Call it once, when no more bytes will come. */
  end(): string[];
}

/** Stands at the end of a line of which the rest was dropped. */
export const cutMark = '…';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Splits a byte stream at line feeds and takes one trailing CR off each line. A line longer than `maxBytes` is cut there,
 * the rest of it is dropped as it arrives, and `cutMark` is put in its place: a host cannot make us hold more than that.
 */
export function createLineSplitter({ maxBytes = 65_536 }: { readonly maxBytes?: number } = {}): LineSplitter {
  // One byte more than a line may have: the CR that is taken off does not count.
  const keptBytes = maxBytes + 1;
  let pieces: Uint8Array[] = [];
  let kept = 0;
  let length = 0;

  const keep = (piece: Uint8Array): void => {
    length += piece.length;
    const wanted = piece.subarray(0, keptBytes - kept);
    if (wanted.length === 0) return;
    pieces.push(wanted);
    kept += wanted.length;
  };

  const take = (): string => {
    const bytes = joinBytes(pieces, kept);
    const whole = length === kept;
    pieces = [];
    kept = 0;
    length = 0;
    const end = whole && bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length;
    return end > maxBytes
      ? decodeCut(bytes.subarray(0, maxBytes)) + cutMark
      : wholeLines.decode(bytes.subarray(0, end));
  };

  return {
    push(chunk) {
      const lines: string[] = [];
      let start = 0;
      for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, start)) {
        keep(chunk.subarray(start, end));
        lines.push(take());
        start = end + 1;
      }
      // A copy, for whoever read the chunk may use its memory again.
      if (start < chunk.length) keep(chunk.slice(start));
      return lines;
    },
    end: () => (length > 0 ? [take()] : []),
  };
}

/** Making one costs more than decoding a line with it. */
const wholeLines = new TextDecoder('utf-8', { ignoreBOM: true });
