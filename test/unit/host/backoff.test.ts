import { expect, it } from 'vitest';
import { retryDelayMs } from '../../../src/core/host/backoff';

const check = (attempt: number, least: number, most: number): void => {
  expect(retryDelayMs(attempt, 0)).toBe(least);
  expect(retryDelayMs(attempt, 1)).toBe(most);
};

it('waits 1 to 2 s, 10 to 14 s, 22 to 30 s, then twice as long each time, and never more than five minutes', () => {
  check(1, 1_000, 2_000);
  check(2, 10_000, 14_000);
  check(3, 22_000, 30_000);
  check(4, 44_000, 60_000);
  check(5, 88_000, 120_000);
  check(6, 176_000, 240_000);
  check(7, 225_000, 300_000);
  check(1_000, 225_000, 300_000);
});
