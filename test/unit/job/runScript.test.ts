import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { quoteShellPath, quoteShellText } from '../../../src/core/base/shellText';
import type { Job } from '../../../src/core/job/job';
import { readEnvFile } from '../../../src/core/job/environment/envFile';
import { fillPlaceholders, runTexts, type RunOrder } from '../../../src/core/job/directory/runScript';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'headroom-run-'));
  mkdirSync(join(folder, 'it’s $(here)'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const job: Job = {
  name: 'drafter',
  host: 'box',
  cwd: '/',
  run: 'true',
  setup: [],
  env: new Map(),
  envFile: null,
  gpus: { kind: 'unpinned' },
  parameters: [],
  outputs: [],
  fitsAfter: null,
};

/** Runs the two files as the supervisor does, and gives what the command printed. */
function ran(change: Partial<Job>, more: Partial<RunOrder> = {}, shell = 'bash'): string {
  const login = new Map([...(more.login ?? []), ['PATH', '/usr/bin:/bin'] as const, ['HOME', folder] as const]);
  const { run, env } = runTexts({
    attempt: 'a-1',
    job: { ...job, ...change },
    value: null,
    gpus: null,
    ...more,
    login,
  });
  writeFileSync(join(folder, 'run'), run);
  writeFileSync(join(folder, 'env'), env);
  return execFileSync(shell, [join(folder, 'run')], { env: {}, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

describe.each(['bash', 'dash'])('run and env, in %s', shell => {
  it('pass every value as it is', () => {
    const value = fc.string({ unit: 'binary', maxLength: 40 }).filter(text => !text.includes('\0'));
    fc.assert(
      fc.property(value, value, (fromLogin, own) => {
        const run = 'printf "%s\\037%s" "$FROM_LOGIN" "$OWN"';
        const printed = ran(
          { run, env: new Map([['OWN', own]]) },
          { login: new Map([['FROM_LOGIN', fromLogin]]) },
          shell,
        );
        expect(printed).toBe(`${fromLogin}\u001f${fillPlaceholders(own, { attempt: 'a-1', value: null })}`);
      }),
      { numRuns: 40 },
    );
  });

  it('read a file of variables as the look-up before the launch does', () => {
    const line = fc
      .array(fc.constantFrom('A', 'B', 'export', ' ', '\t', '=', '"', "'", '#', '1', 'é', '$HOME', '\\', '\r'), {
        maxLength: 10,
      })
      .map(parts => parts.join(''));
    const example = ['  A= "x y"  \n\texport \t B=\'z\r\n#A=1\nA = 2\nexportA=3\nB="'.split('\n')] as const;
    fc.assert(
      fc.property(fc.array(line, { maxLength: 5 }), written => {
        const text = written.join('\n');
        writeFileSync(join(folder, 'job.env'), text);
        const { variables } = readEnvFile(text);
        const printed = ran({ envFile: '~/job.env', run: 'printf "%s|%s" "${A-unset}" "${B-unset}"' }, {}, shell);
        expect(printed).toBe(`${variables.get('A') ?? 'unset'}|${variables.get('B') ?? 'unset'}`);
      }),
      { numRuns: 60, examples: [[...example], [['A=\r']], [['A=1 \r', 'B=\r2']]] },
    );
  });

  it('run no name that is none', () => {
    const env = new Map([
      ['A; touch x', '1'],
      ['B', '2'],
      ['', '3'],
    ]);
    expect(ran({ run: 'echo "$B"', env }, {}, shell)).toBe('2\n');
  });

  it.each([
    ['~', ''],
    ['~/it’s $(here)', '/it’s $(here)'],
    ['it’s $(here)', '/it’s $(here)'],
  ])('go to %j', (cwd, below) => {
    expect(ran({ cwd, run: 'pwd' }, {}, shell)).toBe(`${folder}${below}\n`);
  });
});

it('a function that bash has exported is one again, also for what the command starts', () => {
  const login = new Map([['BASH_FUNC_module%%', '() {  echo "module $1"\n}']]);
  expect(ran({ run: 'module load; bash -c "module avail"' }, { login })).toBe('module load\nmodule avail\n');
  expect(ran({ run: 'echo fine' }, { login }, 'dash')).toBe('fine\n');
});

it('a file of the environment is read as text, and the job’s own variables win', () => {
  writeFileSync(
    join(folder, 'job.env'),
    'A=1\nexport B="$(touch ran)"\nC=\'q\'\n\n# D=1\nnot a line\n1E=2\nF=a=b\r\nG=last',
  );
  const run = 'printf "%s|" "$A" "$B" "$C" "${D-}" "$F" "$G"; ls ran 2>/dev/null || :';
  expect(ran({ cwd: '~', envFile: '~/job.env', env: new Map([['A', 'own']]), run })).toBe(
    'own|$(touch ran)|q||a=b|last|',
  );
});

it('why a command was not started is written down for its owner alone', () => {
  expect(() => ran({ cwd: '/not/there' })).toThrow();
  expect(readFileSync(join(folder, 'refused'), 'utf8')).toBe('format=1\nreason=cwd\ndetail=\n');
});

describe('placeholders', () => {
  it.each([
    ['out/{attempt}', 'out/a-1'],
    ['len{value} ${value} {other}', 'len8192 ${value} {other}'],
  ])('%j becomes %j', (text, expected) => {
    expect(fillPlaceholders(text, { attempt: 'a-1', value: 8192 })).toBe(expected);
  });

  it('without a value, its place stays', () => {
    expect(fillPlaceholders('{value}', { attempt: 'a-1', value: null })).toBe('{value}');
  });
});

describe('a word of a shell script', () => {
  it.each([
    ["it's", `'it'\\''s'`],
    ['a\nb', `'a\nb'`],
    ['a\0b', `'ab'`],
  ])('%j is %j', (text, word) => {
    expect(quoteShellText(text)).toBe(word);
  });

  it.each([
    ['/a b', `'/a b'`],
    ['~', '"$HOME"'],
    ['~/a b', `"$HOME"/'a b'`],
    ['~bob/x', `~bob/'x'`],
    ['~$(id)', `"$HOME"/'~$(id)'`],
    ['a', `"$HOME"/'a'`],
  ])('the path %j is %j', (path, word) => {
    expect(quoteShellPath(path)).toBe(word);
  });
});
