import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readNumber, writeNumber } from '../../../src/core/job/command/numberStyle';

test.each<[string, number | null]>([
  ['8192', 8192],
  ['32_768', 32_768],
  ['.8', 0.8],
  ['0.90', 0.9],
  ['1e5', 100_000],
  ['2e-5', 0.000_02],
  ['32k', 32_000],
  ['8.2k', 8200],
  ['128K', 131_072],
  ['-1', -1],
  ['', null],
  ['.', null],
  ['k', null],
  ['3m', 3_000_000],
  ['8x', null],
  ['1.2.3', null],
  ['auto:4', null],
  ['0x10', null],
  ['Infinity', null],
  ['1e999', null],
  ['8 ', null],
])('%s', (text, value) => {
  expect(readNumber(text)).toBe(value);
});

test('what is written reads as the value, in whatever style', () => {
  const styles = fc.constantFrom('8', '32_768', '.8', '0.90', '32k', '8.2k', '128K', '1M', '1e5', '', '$X');
  const values = fc.oneof(
    fc.integer({ min: 0, max: 2 ** 40 }),
    fc.integer({ min: 1, max: 99 }).map(part => part / 100),
  );
  fc.assert(
    fc.property(values, styles, (value, like) => {
      expect(readNumber(writeNumber(value, like))).toBe(value);
    }),
  );
});
