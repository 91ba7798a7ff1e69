import type { StreamLine } from '../../host/remoteScript';
import type { AttemptId } from '../attempt';
import type { LogPoint } from './logPoint';

/** Names one followed log of one stream. Never used twice in a stream, so that what comes late is told from what is new. */
export type FollowKey = number;

/** What follow.sh says. `key` is always one that it was told to follow, or was until a moment ago. */
export type FollowMessage =
  /** A piece of a log. A view of memory that may be used again: copy what is kept. */
  | {
      readonly kind: 'bytes';
      readonly key: FollowKey;
      readonly inode: string;
      readonly offset: number;
      readonly bytes: Uint8Array;
    }
  /** All of a part was sent; the host goes on at `offset`. */
  | { readonly kind: 'sent'; readonly key: FollowKey; readonly offset: number }
  | { readonly kind: 'skipped'; readonly key: FollowKey; readonly from: number; readonly to: number }
  /** `ended`: the attempt is over, and what it wrote until then comes before this or in the next frames. */
  | { readonly kind: 'truncated' | 'replaced' | 'missing' | 'ended'; readonly key: FollowKey }
  /** The frame is over; `more`: some log has more to be read at once. */
  | { readonly kind: 'end'; readonly more: boolean };

export const tickLine = (bytes: number): string => `tick ${bytes}`;

export const followLine = (key: FollowKey, attempt: AttemptId, { offset, inode }: LogPoint): string =>
  `follow ${key} ${attempt} ${offset} ${inode ?? '-'}`;

export const unfollowLine = (key: FollowKey): string => `unfollow ${key}`;

/** Reads what follow.sh prints. Never throws: what it does not know is passed over. */
export interface FollowReader {
  push(line: StreamLine): FollowMessage | null;
}

export function createFollowReader(): FollowReader {
  /** The part that is being sent: where the next of its bytes stands in its log. */
  let part: { readonly key: FollowKey; readonly inode: string; readonly from: number; offset: number } | null = null;

  const readControl = (words: string): FollowMessage | null => {
    const [word = '', first, second, third] = words.split(' ');
    if (word === 'end') return { kind: 'end', more: second === 'more' };
    if (word === 'sent') {
      const sent = count(first);
      const message = part === null || sent === null ? null : ({ kind: 'sent', ...next(part, sent) } as const);
      part = null;
      return message;
    }
    const key = count(first);
    if (key === null) return null;
    switch (word) {
      case 'bytes': {
        const offset = count(third);
        part = offset === null || second === undefined ? null : { key, inode: second, from: offset, offset };
        return null;
      }
      case 'skipped': {
        const [from, to] = [count(second), count(third)];
        return from === null || to === null ? null : { kind: 'skipped', key, from, to };
      }
      case 'truncated':
      case 'replaced':
      case 'missing':
      case 'ended':
        return { kind: word, key };
      default:
        return null;
    }
  };

  return {
    push(line) {
      if (line.kind === 'control') return readControl(line.words);
      if (line.kind === 'text' || part === null) return null;
      const { key, inode, offset } = part;
      part.offset += line.bytes.length;
      return { kind: 'bytes', key, inode, offset, bytes: line.bytes };
    },
  };
}

const next = ({ key, from }: { readonly key: FollowKey; readonly from: number }, sent: number) => ({
  key,
  offset: from + sent,
});

function count(digits: string | undefined): number | null {
  return digits !== undefined && /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}
