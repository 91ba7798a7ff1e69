import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTerminalFilter } from '../../../src/core/present/terminalFilter';
import { bytesOf, cutAt, cuts, joinBytes, oneByOne } from '../logs/chunks';

function shown(chunks: readonly Uint8Array[]): string {
  const filter = createTerminalFilter();
  return chunks.map(chunk => filter.push(chunk)).join('');
}

function check(log: string, expected: string): void {
  expect(shown([bytesOf(log)])).toBe(expected);
  expect(shown(oneByOne(bytesOf(log)))).toBe(expected);
}

const esc = '\x1b';
/** Nothing in here but what the allow-list names. */
const allowed = /^(?:\x1b\[[\d:;]*m|\x1b\[\d*[A-DK]|[^\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f])*$/;

describe('terminal filter', () => {
  it.each([
    ['colours', `${esc}[1;38;5;208mloss${esc}[0m${esc}[m ${esc}[38:2::1:2:3mx`],
    ['a progress bar', ` 10%|█▏ |\r${esc}[K 20%|██▎ |${esc}[2K`],
    ['nested bars', `${esc}[A\r1/3\t${esc}[1B${esc}[10C${esc}[3D\b`],
  ])('passes %s', (_what, log) => check(log, log));

  it('makes every line feed one for a terminal', () => check('a\nb\r\n\n\rc\r\r\n', 'a\r\nb\r\n\r\n\rc\r\r\n'));

  it.each([
    ['a link (OSC 8)', `${esc}]8;;https://evil.example/${esc}\\`],
    ['the clipboard (OSC 52)', `${esc}]52;c;ZXZpbA==\x07`],
    ['shell integration (OSC 633)', `${esc}]633;E;rm -rf /\x07${esc}]633;C\x07`],
    ['iTerm2 files (OSC 1337)', `${esc}]1337;File=inline=1:AAAA${esc}\\`],
    ['a title (OSC 0)', `${esc}]0;title\x07`],
    ['DCS, with BEL and 8-bit end', `${esc}P$q"p${esc}\\${esc}P+q544e\x9c`],
    ['tmux passing through', `${esc}Ptmux;${esc}${esc}]52;c;AA==\x07${esc}\\`],
    ['APC, PM and SOS', `${esc}_Gf=100;AAAA${esc}\\${esc}^pm${esc}\\${esc}Xsos${esc}\\`],
    ['private modes', `${esc}[?1049h${esc}[?25l${esc}[?2004h${esc}[>4;2m${esc}[<1u${esc}[=1K${esc}[?1K`],
    ['queries', `${esc}[c${esc}[>c${esc}[6n${esc}[?6n${esc}[18t${esc}[x${esc}Z\x05`],
    ['moving about and clearing', `${esc}[2J${esc}[H${esc}[1;1f${esc}[5G${esc}[3d${esc}[2L${esc}[S${esc}[!p${esc}[1 q`],
    ['single escapes', `${esc}c${esc}7${esc}8${esc}(0${esc})B${esc}#8${esc}=${esc}>${esc}D${esc}M${esc}%G`],
    ['8-bit controls', '\x84\x85\x8d\x8e\x9b2J\x9b?1049h\x9d52;c;AA==\x07\x90q\x9c\x98s\x9c\x9ep\x9c\x9fa\x9c'],
    ['control characters', '\x00\x01\x07\x0b\x0c\x0e\x0f\x18\x1a\x7f'],
    ['parameters without end', `${esc}[${'1;'.repeat(100)}m${esc}[99999A`],
  ])('drops %s', (_what, log) => check(`a${log}b`, 'ab'));

  it('lets 8-bit controls that are no UTF-8 do nothing', () => {
    const latin = Uint8Array.from('a\x9b2J\x9d52;c;AA==\x07b', character => character.charCodeAt(0));
    expect(shown([latin])).toBe('a\ufffd2J\ufffd52;c;AA==b');
    expect(shown([joinBytes([bytesOf('a'), Uint8Array.of(0xe2, 0x96), bytesOf('b')])])).toBe('a\ufffdb');
  });

  it('goes on after what is broken off', () => {
    check(`${esc}]52;c;AA\nTraceback\n`, '\r\nTraceback\r\n');
    check(`${esc}[31\nm${esc}\nx`, '\r\nm\r\nx');
    check(`${esc}[3${esc}[32mx`, `${esc}[32mx`);
    check(`${esc}]0;a\x18b${esc}[\x1ac`, 'bc');
    check(`${esc}(\x1b[31mx`, `${esc}[31mx`);
  });

  it('emits nothing but what is allowed, the same however it was cut', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        esc,
        `${esc}[`,
        `${esc}]`,
        '\x9b',
        '\x9d',
        '\x9c',
        'm',
        'K',
        'A',
        'J',
        '1;',
        '?',
        '>',
        ' ',
        '(',
        '\\',
      ),
      fc.constantFrom('\n', '\r', '\t', '\b', '\x07', '\x18', '█', '😀', '31m', '8;;x', 'P', '_', '^', 'X'),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    const log = fc.oneof(
      fc.array(piece, { maxLength: 30 }).map(pieces => bytesOf(pieces.join(''))),
      fc.uint8Array({ maxLength: 60 }),
    );
    fc.assert(
      fc.property(log, cuts, (whole, places) => {
        const out = shown([whole]);
        expect(out).toMatch(allowed);
        expect(out.replace(/\r\n/g, '')).not.toContain('\n');
        expect(shown(cutAt(whole, places))).toBe(out);
        expect(shown(oneByOne(whole))).toBe(out);
      }),
      { numRuns: 1000 },
    );
  });
});
