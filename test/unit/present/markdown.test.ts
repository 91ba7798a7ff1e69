import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { escapeMarkdown, tooltipMarkdown } from '../../../src/core/present/markdown';
import { tooltip } from '../../../src/core/present/tooltip';

describe('escaping for Markdown', () => {
  it.each([
    ['[x](command:a)', '\\[x\\]\\(command\\:a\\)'],
    ['$(error)', '\\$\\(error\\)'],
    ['<b>&amp;', '\\<b\\>\\&amp\\;'],
    ['a|b', 'a\\|b'],
    ['https://example.org', 'https\\:\\/\\/example\\.org'],
    ['a\\', 'a\\\\'],
    ['# a\n- b', '\\# a \\- b'],
  ])('%j', (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });

  it('puts a backslash before every punctuation mark and loses no character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), text => {
        const escaped = escapeMarkdown(text);
        expect(escaped.replace(/\\[!-/:-@[-`{-~]/g, '')).not.toMatch(/[!-/:-@[-`{-~]/);
        expect(escaped.replace(/\\([!-/:-@[-`{-~])/g, '$1')).toBe(text.replace(/\s+/g, ' '));
      }),
    );
  });
});

describe('a tooltip', () => {
  it('is a title, tables and lines', () => {
    const view = tooltip('black|well', [
      { kind: 'table', header: ['User', 'Power'], numeric: [false, true], rows: [['mia', '412/600 W']] },
      { kind: 'lines', lines: ['One.', 'Two.'] },
      { kind: 'lines', lines: [] },
    ]);
    expect(tooltipMarkdown(view, 'as of 14:02:10')).toBe(
      [
        '**black\\|well** as of 14\\:02\\:10',
        '',
        '| User | Power |',
        '| :--- | ---: |',
        '| mia | 412\\/600 W |',
        '',
        'One\\.  ',
        'Two\\.',
      ].join('\n'),
    );
  });

  it('keeps its shape whatever is in a cell', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), cell => {
        const view = tooltip('t', [{ kind: 'table', header: ['a', 'b'], numeric: [], rows: [[cell, 'x']] }]);
        const last = tooltipMarkdown(view, null).split('\n').at(-1) ?? '';
        // As GFM splits a row: at pipes with an even number of backslashes before them.
        expect(last.match(/(?<!\\)(?:\\\\)*\|/g)).toHaveLength(3);
      }),
    );
  });
});
