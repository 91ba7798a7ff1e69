import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLineSplitter, cutMark } from '../../../src/core/base/lines';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function split(chunks: readonly Uint8Array[], maxBytes?: number): string[] {
  const splitter = createLineSplitter(maxBytes === undefined ? {} : { maxBytes });
  return [...chunks.flatMap(chunk => splitter.push(chunk)), ...splitter.end()];
}

const check = (input: string, expected: readonly string[], maxBytes?: number): void =>
  expect(split([bytes(input)], maxBytes)).toEqual(expected);

describe('line splitter', () => {
  it('gives whole lines and keeps empty ones', () => check('a\n\nb\n', ['a', '', 'b']));
  it('gives the last line at the end only', () => check('a\nb', ['a', 'b']));
  it('gives nothing for nothing', () => check('', []));
  it('takes one trailing CR off and leaves others alone', () => check('a\r\nb\rc\r\r\n', ['a', 'b\rc\r']));
  it('leaves a byte order mark in place', () => check('\ufeffa\n', ['\ufeffa']));
  it('turns bytes that are no UTF-8 into U+FFFD', () =>
    expect(split([Uint8Array.of(0x61, 0xff, 0x62, 0x0a)])).toEqual(['a\ufffdb']));

  it('does not cut a line of just the cap', () => check('abcd\nabcd\r\n', ['abcd', 'abcd'], 4));
  it('cuts a longer line, drops the rest of it, and goes on', () =>
    check('abcdefgh\nij\n', [`abcd${cutMark}`, 'ij'], 4));
  it('cuts before a character, not inside it', () => check('abcé\n', [`abc${cutMark}`], 4));
  it('cuts an unfinished line at the end', () => check('abcdefgh', [`abcd${cutMark}`], 4));

  it('does not depend on the memory of a chunk once it was pushed', () => {
    const splitter = createLineSplitter();
    const chunk = bytes('held');
    splitter.push(chunk);
    chunk.fill(0x78);
    expect(splitter.push(bytes('\n'))).toEqual(['held']);
  });

  it('gives the same lines however the bytes were cut into chunks', () => {
    const text = fc.array(fc.constantFrom('a', 'é', '√', '😀', '\r', '\n', '\r\n')).map(parts => parts.join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(40)), fc.integer({ min: 1, max: 12 }), (input, cuts, maxBytes) => {
        const whole = bytes(input);
        const edges = [0, ...cuts.filter(cut => cut < whole.length).sort((a, b) => a - b), whole.length];
        const chunks = edges.slice(1).map((edge, index) => whole.subarray(edges[index], edge));
        expect(split(chunks, maxBytes)).toEqual(split([whole], maxBytes));
        const lines = input.split('\n').map(line => line.replace(/\r$/, ''));
        if (input === '' || input.endsWith('\n')) lines.pop();
        expect(split(chunks)).toEqual(lines);
      }),
    );
  });
});
