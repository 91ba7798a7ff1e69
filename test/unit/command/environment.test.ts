import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readEnvFile } from '../../../src/core/job/environment/envFile';
import { firstWord } from '../../../src/core/job/command/firstWord';
import { jobEnvironment } from '../../../src/core/job/environment/jobEnvironment';
import { readLoginEnvironment } from '../../../src/core/job/environment/loginEnvironment';
import { readLookup } from '../../../src/core/job/environment/commandLookup';
import { environmentText } from '../../../src/core/job/environment/shellEnvironment';
import { run } from '../../support/processes';
import { loadParser } from '../shell/parser';

const parser = await loadParser();
const nonce = 'a1b2';
const mark = (words: string): string => `\x1e${nonce} ${words}\x1e\n`;
const output = (entries: readonly string[], ...said: readonly string[]): string =>
  `noise\x1e${nonce}-environment\x1e\n${entries.map(entry => `${entry}\0`).join('')}\x1e${nonce}-end\x1e\nnoise` +
  said.map(mark).join('');

describe('the login environment', () => {
  test('keeps variables and functions apart, and leaves the session out', () => {
    const entries = [
      'A=b=c\nd',
      'EMPTY=',
      'SSH_TTY=x',
      'SHLVL=2',
      'no name=1',
      '1X=2',
      'BASH_FUNC_f%%=() {  :\n}',
      'broken',
    ];
    const found = readLoginEnvironment(output(entries, 'shell /bin/bash', 'way interactive'), nonce);
    expect([...found!.variables]).toEqual([
      ['A', 'b=c\nd'],
      ['EMPTY', ''],
    ]);
    expect([...found!.functions]).toEqual([['f', '() {  :\n}']]);
  });

  test('is none when the script did not come to its end, or another one speaks', () => {
    expect(readLoginEnvironment(output(['A=1']), nonce)).toBeNull();
    expect(readLoginEnvironment('', nonce)).toBeNull();
    expect(readLoginEnvironment(output(['A=1'], 'way bare'), 'ffff')).toBeNull();
  });

  test('has over it the file of variables, and over that the job’s own', () => {
    const login = readLoginEnvironment(
      `${output(['A=1', 'B=1', 'C=1'], 'way bare', 'file')}B=2\nC=2\n\x1e${nonce}-end\x1e`,
      nonce,
    );
    const { variables } = jobEnvironment(login!, new Map([['C', '3']]));
    expect(Object.fromEntries(variables)).toEqual({ A: '1', B: '2', C: '3', PYTHONUNBUFFERED: '1' });
  });

  test('never throws, nor does the look-up', () => {
    const shred = fc.oneof(
      fc.constantFrom('\x1e', nonce, '-environment', '-end', ' ', '\n', '\0', 'way bare', '=', 'found '),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(shred), parts => {
        const text = parts.join('');
        readLoginEnvironment(text, nonce);
        const environment = { variables: new Map(), functions: new Map() };
        readLookup(text, { environment, cwd: '/', setup: [], word: 'x' }, nonce);
      }),
    );
  });
});

test('a file of variables', () => {
  const text = "# c\nA=1\r\n export B = 2\nexport C=\"x y\"\nD='z\nE=a=b # c\n\nnot one\nF=''\n";
  expect(readEnvFile(text)).toEqual({
    variables: new Map([
      ['A', '1'],
      ['C', 'x y'],
      ['D', "'z"],
      ['E', 'a=b # c'],
      ['F', ''],
    ]),
    badLines: [3, 8],
  });
});

test.each(['sh', 'bash', 'busybox sh'])('what %s is given arrives as it is', async shell => {
  const [command, ...args] = shell.split(' ');
  const value = fc.string({
    unit: fc.constantFrom('a', "'", '"', '\\', '$', '`', '\n', '\r', '\t', ' ', '=', '!', '🔥', '\x1b'),
  });
  const values = fc.sample(value, 60);
  const variables = new Map(values.map((text, index) => [`V${index}`, text]));
  const functions = new Map([['f', `() {  echo "it's $1";\n}`]]);
  const script = `${environmentText({ variables, functions })}exec cat /proc/self/environ\n`;
  const done = await run(command!, [...args, '-s'], { input: script, env: { PATH: process.env['PATH'] } });
  const arrived = new Map(
    done.stdout.split('\0').map(entry => [entry.split('=')[0]!, entry.slice(entry.indexOf('=') + 1)]),
  );
  expect(done.stderr).toBe('');
  for (const [name, text] of variables) expect(arrived.get(name)).toBe(text);
  expect([...arrived.keys()].some(name => name.startsWith('BASH_FUNC_f'))).toBe(shell === 'bash');
});

describe('the first word', () => {
  test.each<[string, string | null]>([
    ['torchrun t.py', 'torchrun'],
    ['A=1 nohup /opt/x/python3.11 t.py', '/opt/x/python3.11'],
    ['export A=1 && make -j8', 'make'],
    ['export PATH=/x:$PATH && make', null],
    ['conda run -n x python t.py', 'conda'],
    ['cd x && ./run.sh', null],
    ['source x && python', null],
    ['"my tool" x', 'my tool'],
    ['$TOOL x', null],
    ['echo $(nproc) && make', 'make'],
    ['A=1', null],
    ['for i in 1; do run $i; done', 'run'],
    ['timeout 1h python t.py', 'python'],
    ['', null],
  ])('%s', (text, word) => {
    expect(firstWord(text, parser)).toBe(word);
  });
});
