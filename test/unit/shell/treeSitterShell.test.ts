import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sourceSpan, type ShellCommand } from '../../../src/core/job/command/shellSyntax';
import { loadParser } from './parser';

const parser = await loadParser();

const words = (text: string): readonly (readonly string[])[] =>
  parser.parse(text).commands.map(command => command.words.map(word => word.text));

const only = (text: string): ShellCommand => {
  const { commands } = parser.parse(text);
  expect(commands).toHaveLength(1);
  return commands[0]!;
};

describe('words', () => {
  test.each<[string, readonly string[]]>([
    ['a b  c', ['a', 'b', 'c']],
    [`a "b c" 'd e' f\\ g`, ['a', 'b c', 'd e', 'f g']],
    ['a --x="3"', ['a', '--x=3']],
    [`a "say \\"x\\" \\$y \\z"`, ['a', 'say "x" $y \\z']],
    [`a 'no \\n "escapes"'`, ['a', 'no \\n "escapes"']],
    ['a \\\n  --b 1', ['a', '--b', '1']],
    ['a --b # --c 3', ['a', '--b']],
    ['a $HOME/x ${Y:-1} $(nproc)', ['a', '$HOME/x', '${Y:-1}', '$(nproc)']],
    ['a "$X y"z', ['a', '$X yz']],
    [`a ''`, ['a', '']],
    ['a –b 🔥 --c 4', ['a', '–b', '🔥', '--c', '4']],
  ])('%s', (text, expected) => {
    expect(words(text)[0]).toEqual(expected);
  });

  test('tell where each of their characters stands', () => {
    const text = `run 🔥 --x="a$Y"'b'\\ c`;
    const word = only(text).words[2]!;
    expect(word.text).toBe('--x=a$Yb c');
    expect(word.at.map(index => text[index]).join('')).toBe('--x=a$Yb c');
    const { start, end } = sourceSpan(word, 4, 7)!;
    expect(text.slice(start, end)).toBe('a$Y');
    expect(word.expansions.map(part => word.text.slice(part.start, part.end))).toEqual(['$Y']);
  });
});

describe('commands', () => {
  test('have their assignments, redirects and words apart', () => {
    const command = only('A=1 B="x y" make -j8 >log 2>&1 </dev/null');
    expect(command.assignments.map(({ name, value }) => [name, value?.text])).toEqual([
      ['A', '1'],
      ['B', 'x y'],
    ]);
    expect(command.words.map(word => word.text)).toEqual(['make', '-j8']);
    expect(command.redirects.map(({ operator, target }) => [operator, target?.text])).toEqual([
      ['>', 'log'],
      ['2>&', '1'],
      ['<', '/dev/null'],
    ]);
  });

  test('keep arrays and exports', () => {
    const { commands } = parser.parse('A=(--x 2)\nexport B=3 C');
    expect(commands[0]?.assignments[0]).toMatchObject({ name: 'A', value: null });
    expect(commands[0]?.assignments[0]?.elements.map(word => word.text)).toEqual(['--x', '2']);
    expect(commands[1]?.words.map(word => word.text)).toEqual(['export', 'B=3', 'C']);
  });

  test.each<[string, readonly (readonly [string, readonly string[], boolean])[]]>([
    [
      'a && b | c; d',
      [
        ['a', [], false],
        ['b', [], false],
        ['c', [], false],
        ['d', [], false],
      ],
    ],
    [
      'a & b',
      [
        ['a', [], true],
        ['b', [], false],
      ],
    ],
    [
      'a && b &',
      [
        ['a', [], true],
        ['b', [], true],
      ],
    ],
    ['a >x 2>&1 &', [['a', [], true]]],
    [
      '(a; b) &',
      [
        ['a', ['subshell'], true],
        ['b', ['subshell'], true],
      ],
    ],
    ['{ a; }', [['a', ['group'], false]]],
    ['for i in 1 2; do a; done', [['a', ['loop'], false]]],
    [
      'while a; do b; done',
      [
        ['a', ['loop'], false],
        ['b', ['loop'], false],
      ],
    ],
    [
      'if a; then b; fi',
      [
        ['a', ['condition'], false],
        ['b', ['condition'], false],
      ],
    ],
    ['f() { a; }', [['a', ['function', 'group'], false]]],
    [
      'a "$(b)"',
      [
        ['a', [], false],
        ['b', ['substitution'], false],
      ],
    ],
    [
      'a <(b)',
      [
        ['a', [], false],
        ['b', ['substitution'], false],
      ],
    ],
    [
      'X=$(b)',
      [
        ['', [], false],
        ['b', ['substitution'], false],
      ],
    ],
    ['! a', [['a', [], false]]],
  ])('%s', (text, expected) => {
    const found = parser.parse(text);
    expect(found.whole).toBe(true);
    expect(
      found.commands.map(({ words: [first], nesting, background }) => [first?.text ?? '', nesting, background]),
    ).toEqual(expected);
  });

  test('are not looked for in here-documents', () => {
    expect(words('cat <<END\nb --c 3\nEND\nd')).toEqual([['cat'], ['d']]);
  });
});

test('says when it did not understand everything', () => {
  expect(parser.parse('a "b').whole).toBe(false);
  expect(parser.parse('for do').whole).toBe(false);
  expect(parser.parse('a b').whole).toBe(true);
});

test('lets no nesting overflow the stack', () => {
  const deep = `${'$('.repeat(3_000)}a${')'.repeat(3_000)}`;
  expect(() => parser.parse(deep)).not.toThrow();
  expect(parser.parse(`${'a && '.repeat(5_000)}b`).whole).toBe(false);
  expect(parser.parse('a'.repeat(100_001))).toEqual({ commands: [], whole: false });
});

const shreds = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ' ',
        '\n',
        '\\\n',
        '"',
        "'",
        '$(',
        ')',
        '${X:-',
        '}',
        '`',
        '&',
        '&&',
        '|',
        ';',
        '#',
        '<<E\n',
        'E\n',
      ),
      fc.constantFrom(
        'A=1',
        '--x',
        '=3',
        '-j8',
        'for i in',
        'do ',
        'done',
        'if ',
        'then ',
        'fi',
        '(',
        '{ ',
        '[[',
        'export ',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { maxLength: 40 },
  )
  .map(parts => parts.join(''));

test('never throws, and all of its words lie where they say', () => {
  fc.assert(
    fc.property(shreds, text => {
      for (const { words: found, start, end } of parser.parse(text).commands) {
        expect(0 <= start && start <= end && end <= text.length).toBe(true);
        for (const word of found) {
          expect(word.at).toHaveLength(word.text.length);
          expect([...word.at.keys()].every(index => text[word.at[index]!] === word.text[index])).toBe(true);
          expect(word.at.every((place, index) => index === 0 || place > word.at[index - 1]!)).toBe(true);
        }
      }
    }),
    { numRuns: 300 },
  );
});
