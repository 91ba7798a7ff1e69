import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plain } from '../../../src/core/present/plain';

describe('plain', () => {
  it.each([
    ['keeps an ordinary name', 'NVIDIA RTX PRO 6000', 'NVIDIA RTX PRO 6000'],
    ['keeps every script', '計算機 Größe мощность', '計算機 Größe мощность'],
    ['breaks a command link', '[x](command:workbench.action.quit)', '[x] (command:workbench.action.quit)'],
    ['breaks an icon', '$(error) trouble', '$ (error) trouble'],
    ['breaks an icon put together by what is stripped', '$\u200b(error)', '$ (error)'],
    ['breaks a link put together by an escape sequence', '[x]\u001b[31m(command:a)', '[x] (command:a)'],
    ['drops colours', '\u001b[1;31mred\u001b[0m', 'red'],
    ['drops the C1 form of a sequence', 'a\u009b31mb', 'ab'],
    ['drops a window title', 'a\u001b]0;title\u0007b', 'ab'],
    ['drops a terminated device string', 'a\u001bPq#0\u001b\\b', 'ab'],
    ['keeps what follows a string that never ends', 'a\u001b]0;title', 'a0;title'],
    ['drops bidirectional controls', 'user\u202egnp.exe\u2066\u2069\u200e\u061c', 'usergnp.exe'],
    ['drops zero-width characters', 'ro\u200bo\u200d\ufefft\u2060', 'root'],
    ['drops fillers that draw nothing', 'a\u3164\u115f\uffa0b', 'ab'],
    ['makes one line', ' a\r\nb\u2028c\td\u00a0e\u0085f ', 'a b c d e f'],
    ['drops lone surrogates', 'a\ud800b\udc00c', 'abc'],
    ['drops controls', 'a\u0000b\u0008c\u007fd', 'abcd'],
    ['lowers stacked marks', `a${'\u0301'.repeat(40)}b`, 'a\u0301\u0301\u0301b'],
    ['gives nothing for nothing', ' \u200b\n', ''],
  ])('%s', (_, text, expected) => {
    expect(plain(text)).toBe(expected);
  });

  it('cuts by code point and says so', () => {
    expect(plain('a'.repeat(121))).toBe(`${'a'.repeat(119)}…`);
    expect(plain('a'.repeat(120))).toBe('a'.repeat(120));
    expect(plain('😀😀😀😀', 3)).toBe('😀😀…');
    expect(plain('ab cd', 4)).toBe('ab…');
    expect(plain('ab', 1)).toBe('…');
    expect(plain('ab', 0)).toBe('');
  });

  it('is quick on long hostile texts', () => {
    for (const piece of ['\u001b]', '\u009d', '\u001b[', '$(', '](', '\u0301', ' \u200b']) {
      const started = performance.now();
      plain(piece.repeat(200_000));
      expect(performance.now() - started).toBeLessThan(1000);
    }
  });

  /** Texts made of the pieces that matter, so that chance finds the combinations. */
  const hostile = fc
    .array(
      fc.oneof(
        fc.constantFrom(
          '$',
          '(',
          ')',
          '[',
          ']',
          '\u001b',
          '\u009b',
          '\u0007',
          '\u200b',
          '\u202e',
          ' ',
          '\n',
          'm',
          ';',
          '\ud83d',
        ),
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'grapheme' }),
      ),
    )
    .map(pieces => pieces.join(''));

  it('never lets an icon, a link, a control or an invisible character through', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: -1, max: 200 }), (text, maxLength) => {
        const shown = plain(text, maxLength);
        expect(shown).not.toMatch(/\$\(|\]\(/);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
        expect([...shown].length).toBeLessThanOrEqual(Math.max(0, maxLength));
        expect(shown).toBe(shown.trim());
      }),
      { numRuns: 2000 },
    );
  });

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(hostile, text => void expect(plain(plain(text))).toBe(plain(text))),
      { numRuns: 2000 },
    );
  });
});
