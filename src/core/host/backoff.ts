/**
 * When a lost link is tried again. A server counts connections, not intentions (fail2ban, sshd's PerSourcePenalties and
 * MaxStartups), so retries grow rare quickly, never more than three begin within a minute, and they are spread, so that
 * many windows that lost one server do not return to it at the same moment.
 */
const delaysMs: readonly (readonly [least: number, most: number])[] = [
  [1_000, 2_000],
  [10_000, 14_000],
  [22_000, 30_000],
];
const longestMs = 5 * 60_000;

/** A link that was up for so long was a good one: the next loss counts from the beginning. */
export const steadyAfterMs = 60_000;

/**
 * How long to wait before a try, in milliseconds.
 *
 * @param attempt 1 for the first try after the link was last up
 * @param random in [0, 1)
 */
export function retryDelayMs(attempt: number, random: number): number {
  const [least, most] = delaysMs[Math.max(0, attempt - 1)] ?? doubled(attempt);
  return Math.round(least + (most - least) * random);
}

function doubled(attempt: number): readonly [number, number] {
  const [least, most] = delaysMs[delaysMs.length - 1] ?? [longestMs, longestMs];
  // Beyond eight doublings every delay is the longest one.
  const factor = 2 ** Math.min(8, attempt - delaysMs.length);
  const end = Math.min(longestMs, most * factor);
  return [Math.min(least * factor, end * 0.75), end];
}
