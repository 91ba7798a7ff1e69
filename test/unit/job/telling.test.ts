import { expect, it } from 'vitest';
import { readClaims, tellingLine } from '../../../src/core/job/directory/telling';

it('reads which attempts are ours to tell of, with the ends of their logs', () => {
  const output = ['claimed 1', '1:step 1', '1:claimed 2', 'claimed 12', '12:1:x', '2:not ours', ''].join('\n');
  expect(readClaims(output)).toEqual([
    { index: 0, lastLines: ['step 1', 'claimed 2'] },
    { index: 11, lastLines: ['1:x'] },
  ]);
});

it.each(['', 'claimed', 'claimed x', 'claimed -1', '1:claimed 1'])('takes “%s” for no claim', output => {
  expect(readClaims(output)).toEqual([]);
});

it.each([
  [['loading', 'RuntimeError: shape', 'bye'], 'RuntimeError: shape'],
  [
    ['make: *** [all] Error 1', 'torch.OutOfMemoryError: CUDA out of memory', '  ', ''],
    'torch.OutOfMemoryError: CUDA out of memory',
  ],
  [['step 1', 'saved', ' '], 'saved'],
  [['', ' '], null],
  [[], null],
])('finds the line that says most in %j', (lines, expected) => {
  expect(tellingLine(lines)).toBe(expected);
});
