import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLogTail } from '../../../src/core/job/log/logTail';
import { bytesOf, cutAt, cuts, oneByOne } from './chunks';

function tail(chunks: readonly Uint8Array[], count = 100): readonly string[] {
  const log = createLogTail({ count });
  for (const chunk of chunks) log.push(chunk, 0);
  return log.lines().map(({ text }) => text);
}

function check(log: string, expected: readonly string[], count?: number): void {
  expect(tail([bytesOf(log)], count)).toEqual(expected);
  expect(tail(oneByOne(bytesOf(log)), count)).toEqual(expected);
}

describe('log tail', () => {
  it('keeps the last lines, the unfinished one too', () => {
    check('', []);
    check('a\n\nb\nc', ['a', '', 'b', 'c']);
    check('1\n2\n3\n4\n5', ['3', '4', '5'], 3);
    check('1\n2\n3\n4\n', ['3', '4'], 2);
  });

  it('shows a bar that draws over itself as it was drawn last', () => {
    check('\r 10%|#  |\r 50%|## |\r100%|###|\ndone\n', ['100%|###|', 'done']);
    check(' 10%|#\r 50%|##\r', [' 50%|##']);
    check('a\r\nb\r\r\nc\r', ['a', 'b', 'c']);
    check(' 10%|#\rTraceback\n', ['Traceback']);
  });

  it('cuts a long line, not inside a character, and holds no more of a bar without line feeds', () => {
    check(`${'x'.repeat(65_535)}é tail\nnext\n`, ['x'.repeat(65_535), 'next']);
    check(`${'\r 50%|##'.repeat(20_000)}\n`, [' 50%|##']);
  });

  it('turns bytes that are no UTF-8 into U+FFFD', () => {
    expect(tail([Uint8Array.of(0x61, 0xff, 0x62, 0x0a)])).toEqual(['a\ufffdb']);
  });

  it('says when a line came, and forgets all when it is told to', () => {
    const log = createLogTail();
    log.push(bytesOf('a\nb'), 1);
    log.push(bytesOf('c\nd'), 2);
    expect(log.lines()).toEqual([
      { text: 'a', atMs: 1 },
      { text: 'bc', atMs: 2 },
      { text: 'd', atMs: 2 },
    ]);
    log.clear();
    log.push(bytesOf('e'), 3);
    expect(log.lines()).toEqual([{ text: 'e', atMs: 3 }]);
  });

  it('does not depend on the memory of a chunk once it was pushed', () => {
    const log = createLogTail();
    const chunk = bytesOf('a\nb');
    log.push(chunk, 0);
    chunk.fill(0x78);
    expect(log.lines().map(({ text }) => text)).toEqual(['a', 'b']);
  });

  it('gives the same however the bytes were cut into chunks, and as the rule says', () => {
    const words = fc.array(fc.constantFrom('a', 'é', '😀', '\r', '\n', '\r\n', '12%')).map(parts => parts.join(''));
    fc.assert(
      fc.property(words, cuts, (log, places) => {
        const lines = log.split('\n').map(line => line.replace(/\r+$/, '').split('\r').at(-1));
        if (lines.at(-1) === '') lines.pop();
        expect(tail(cutAt(bytesOf(log), places), 1000)).toEqual(lines);
      }),
    );
  });
});
