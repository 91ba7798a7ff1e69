import type { AttemptId } from '../attempt';
import { parseJobListing, type JobListing, type ListedAttempt } from './jobDirectory';
import { parseKeyValues } from './keyValues';

/** What launch.sh said. */
export type LaunchAnswer =
  /** It was seen to start, or to have ended already. */
  | { readonly kind: 'launched'; readonly attempt: ListedAttempt; readonly listing: JobListing }
  /** It is in place, and nothing was seen to start within the time that the script waits. */
  | { readonly kind: 'waiting'; readonly attempt: ListedAttempt; readonly listing: JobListing }
  /** Another attempt has taken the place of the parent. */
  | { readonly kind: 'relaunched'; readonly by: AttemptId }
  /** Nothing was left behind. */
  | { readonly kind: 'refused'; readonly refusal: LaunchRefusal };

export interface LaunchRefusal {
  readonly reason: LaunchRefusalReason;
  /** What the tool that failed said; empty where the reason says it all. Untrusted. */
  readonly detail: string;
  /** A folder that could be written to; null when there is none. */
  readonly writable: string | null;
}

const reasons = [
  'noSetsid',
  'noProc',
  'noHome',
  'badState',
  'notOurs',
  'diskFull',
  'quota',
  'readOnly',
  'denied',
  'noPlace',
] as const;

export type LaunchRefusalReason = (typeof reasons)[number];

/** Never throws; null for what is no answer, or one that was cut off. */
export function parseLaunchAnswer(output: string): LaunchAnswer | null {
  const lines = output.split('\n');
  // Of a key that comes twice the first counts, so no record can change the answer.
  const values = parseKeyValues(lines);
  switch (values.get('answer')) {
    case 'launched':
    case 'waiting': {
      const listing = parseJobListing(output);
      const [attempt] = listing?.attempts ?? [];
      if (listing === null || attempt === undefined) return null;
      return { kind: values.get('answer') === 'waiting' ? 'waiting' : 'launched', attempt, listing };
    }
    case 'relaunched': {
      const by = values.get('by') ?? '';
      return by === '' ? null : { kind: 'relaunched', by };
    }
    case 'refused':
      return {
        kind: 'refused',
        refusal: {
          reason: reasons.find(reason => reason === values.get('reason')) ?? 'noPlace',
          detail: values.get('detail') ?? '',
          writable: values.get('writable') || null,
        },
      };
    default:
      return null;
  }
}
