import { gpuKey } from '../gpu/gpuKey';
import type { GpuReading } from '../gpu/reading';
import type { AttemptId } from './attempt';
import type { GpuWish } from './job';

/** Which GPUs a job may be pinned to, and which it should be. */
export interface GpuOffer {
  readonly wish: GpuWish;
  /** All cards of the host, by index; empty when they are not known. */
  readonly choices: readonly GpuChoice[];
  /** UUIDs to pin to without a question; null: to none. */
  readonly proposed: readonly string[] | null;
  /** What stands against `proposed` and has to be asked about; null when nothing does. */
  readonly question: GpuQuestion | null;
  /** Indices that the job names, or would need, and the host does not have. */
  readonly missing: readonly number[];
}

export type GpuQuestion =
  /** Fewer cards are free than are wanted. */
  | { readonly kind: 'tooFewFree'; readonly wanted: number; readonly free: number }
  /** Jobs of our own are on these cards already. */
  | { readonly kind: 'shared'; readonly gpus: readonly GpuChoice[] };

export interface GpuChoice {
  readonly index: number;
  readonly uuid: string;
  /** Untrusted. */
  readonly name: string | null;
  readonly freeBytes: number | null;
  readonly totalBytes: number | null;
  readonly isFree: boolean;
  /** Logins whose processes are on it. Untrusted. */
  readonly owners: readonly string[];
  /** Our own attempts that run there. */
  readonly attempts: readonly { readonly id: AttemptId; readonly job: string }[];
}

/** What is known of one card. */
export interface CardInUse {
  readonly reading: GpuReading;
  readonly isFree: boolean;
  readonly owners: readonly string[];
  readonly attempts: GpuChoice['attempts'];
}

/** The cards for a wish: free ones first, in the order of their index, none that a job of our own is on. */
export function gpuOffer(wish: GpuWish, cards: readonly CardInUse[]): GpuOffer {
  const choices = cards.map(choiceOf).sort((one, other) => one.index - other.index);
  const base = { wish, choices, missing: [], question: null, proposed: null };
  const pinned = (picked: readonly GpuChoice[]): GpuOffer => {
    const shared = picked.filter(({ attempts }) => attempts.length > 0);
    return {
      ...base,
      proposed: picked.map(({ uuid }) => uuid),
      question: shared.length === 0 ? null : { kind: 'shared', gpus: shared },
    };
  };
  switch (wish.kind) {
    case 'unpinned': {
      // It sees all cards and may take any.
      const shared = choices.filter(({ attempts }) => attempts.length > 0);
      return { ...base, question: shared.length === 0 ? null : { kind: 'shared', gpus: shared } };
    }
    case 'all':
      // None that is known: an empty list would hide them all from the job.
      return choices.length === 0 ? base : pinned(choices);
    case 'indices': {
      const missing = wish.indices.filter(index => !choices.some(choice => choice.index === index));
      return { ...pinned(choices.filter(({ index }) => wish.indices.includes(index))), missing };
    }
    case 'anyFree': {
      if (choices.length === 0) return { ...base, missing: [...Array(wish.count).keys()] };
      const free = choices.filter(({ isFree, attempts }) => isFree && attempts.length === 0);
      if (free.length >= wish.count) return pinned(free.slice(0, wish.count));
      return { ...base, question: { kind: 'tooFewFree', wanted: wish.count, free: free.length } };
    }
  }
}

function choiceOf({ reading, isFree, owners, attempts }: CardInUse): GpuChoice {
  const { index, name, memoryTotalBytes, memoryUsedBytes } = reading;
  const isKnown = memoryTotalBytes !== null && memoryUsedBytes !== null;
  return {
    index,
    uuid: gpuKey(reading),
    name,
    freeBytes: isKnown ? Math.max(0, memoryTotalBytes - memoryUsedBytes) : null,
    totalBytes: memoryTotalBytes,
    isFree,
    owners,
    attempts,
  };
}
