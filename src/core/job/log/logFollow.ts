import type { FollowMessage } from './followProtocol';
import { fromStart, type LogPoint } from './logPoint';

export type LogEvent =
  /** The bytes from `offset` on. A view of memory that may be used again: copy what is kept. */
  | { readonly kind: 'bytes'; readonly offset: number; readonly bytes: Uint8Array }
  /** The bytes from `from` up to `to` are not going to come: there were too many. */
  | { readonly kind: 'skipped'; readonly from: number; readonly to: number }
  /** The file has become shorter; it is read from its start again. */
  | { readonly kind: 'truncated' }
  /** Another file is in its place and is read from its start; what was left of the old one cannot be read any more. */
  | { readonly kind: 'replaced' }
  /** There is no such file now. Said once; the log goes on when there is one. */
  | { readonly kind: 'missing' }
  /** The attempt is over. Said once for each stream that follows it; some of the log may come after it. */
  | { readonly kind: 'ended' };

export interface LogStep {
  readonly point: LogPoint;
  readonly events: readonly LogEvent[];
  /** The host has read past, or not as far as, what has arrived: tell it `point`. */
  readonly outOfStep: boolean;
}

/** Reads a log on by one message about it. What came already is not told again, and a gap is told as one. */
export function followLog(point: LogPoint, message: Exclude<FollowMessage, { kind: 'end' }>): LogStep {
  const step = (next: LogPoint, ...events: readonly LogEvent[]): LogStep => ({
    point: next,
    events,
    outOfStep: false,
  });
  switch (message.kind) {
    case 'bytes':
      return addBytes(point, message);
    case 'sent':
      return { ...step(point), outOfStep: point.offset !== message.offset };
    case 'skipped':
      return step(
        { ...point, offset: message.to },
        { kind: 'skipped', from: numberOf(point.offset, message.from), to: message.to },
      );
    case 'truncated':
      return step({ ...point, offset: 0 }, { kind: 'truncated' });
    case 'replaced':
      return step(fromStart, { kind: 'replaced' });
    case 'missing':
    case 'ended':
      return step(point, { kind: message.kind });
  }
}

function addBytes(
  point: LogPoint,
  { offset, bytes, inode }: { readonly offset: number; readonly bytes: Uint8Array; readonly inode: string },
): LogStep {
  const expected = numberOf(point.offset, offset);
  const fresh = bytes.subarray(Math.max(0, expected - offset));
  const from = Math.max(expected, offset);
  const events: LogEvent[] = [];
  if (offset > expected) events.push({ kind: 'skipped', from: expected, to: offset });
  if (fresh.length > 0) events.push({ kind: 'bytes', offset: from, bytes: fresh });
  return { point: { offset: from + fresh.length, inode }, events, outOfStep: false };
}

const numberOf = (offset: number | 'tail', otherwise: number): number => (offset === 'tail' ? otherwise : offset);
