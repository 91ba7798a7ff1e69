import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseJobFile } from '../../../src/core/jobfile/jobFile';
import type { JobFileProblem } from '../../../src/core/jobfile/jobFileProblem';
import type { Job } from '../../../src/core/job/job';
import { example } from './example';

const defaults = { host: null, cwd: '~' };

function jobsOf(text: string): readonly Job[] {
  const result = parseJobFile(text, defaults);
  if (result.kind === 'problems') throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.jobs;
}

function problemsOf(text: string): readonly JobFileProblem[] {
  const result = parseJobFile(text, defaults);
  return result.kind === 'problems' ? result.problems : [];
}

/** A file with one job, in which `lines` stand. */
const file = (...lines: readonly string[]): string =>
  ['version: 1', 'jobs:', '  a:', '    host: h', '    run: x', ...lines.map(line => `    ${line}`), ''].join('\n');

test('reads every key', () => {
  expect(jobsOf(example)).toEqual([
    {
      name: 'drafter',
      host: 'blackwell',
      cwd: '~/train/drafter',
      setup: ['source .venv/bin/activate'],
      run: 'torchrun --nproc-per-node 4 train.py --max-seq-len 8192 --output-dir out/drafter',
      env: new Map([['WANDB_MODE', 'offline']]),
      envFile: null,
      gpus: { kind: 'anyFree', count: 4 },
      parameters: [
        { name: 'max-seq-len', place: { kind: 'flag', flag: '--max-seq-len' }, step: 1024, min: 4096, max: 65_536 },
      ],
      outputs: [{ path: 'out/drafter', onRelaunch: 'ask' }],
      fitsAfter: { kind: 'time', ms: 180_000 },
    },
    {
      name: 'flash-attn',
      host: 'blackwell',
      cwd: '~',
      setup: [],
      run: 'pip install flash-attn==2.8.3 --no-build-isolation',
      env: new Map([['MAX_JOBS', '32']]),
      envFile: null,
      gpus: { kind: 'unpinned' },
      parameters: [{ name: 'MAX_JOBS', place: { kind: 'env', variable: 'MAX_JOBS' }, step: null, min: 1, max: null }],
      outputs: [],
      fitsAfter: null,
    },
  ]);
});

describe('values', () => {
  const [base] = jobsOf(file());

  test.each<[string, Partial<Job>]>([
    ['gpus: all', { gpus: { kind: 'all' } }],
    ['gpus: [0, 3]', { gpus: { kind: 'indices', indices: [0, 3] } }],
    [
      'outputs: [ out, { path: b, onRelaunch: setAside } ]',
      {
        outputs: [
          { path: 'out', onRelaunch: 'ask' },
          { path: 'b', onRelaunch: 'setAside' },
        ],
      },
    ],
    ['outputs: [ { path: out } ]', { outputs: [{ path: 'out', onRelaunch: 'ask' }] }],
    ['fitsAfter: 1h30m', { fitsAfter: { kind: 'time', ms: 5_400_000 } }],
    ['fitsAfter: 90s', { fitsAfter: { kind: 'time', ms: 90_000 } }],
    ['fitsAfter: { log: "step 20" }', { fitsAfter: { kind: 'log', text: 'step 20' } }],
    ['envFile: ~/.env', { envFile: '~/.env' }],
    ['cwd: /data/x', { cwd: '/data/x' }],
    [
      'parameters: { b: { assignment: batch } }',
      {
        parameters: [{ name: 'b', place: { kind: 'assignment', key: 'batch' }, step: null, min: null, max: null }],
      },
    ],
    // What a variable holds is text: as it is written, and not as YAML understands it.
    [
      'env: { A: yes, B: 1_000, C: 0x10, D: 1e3, E: true, F: "", G: 007, H: ~ x }',
      {
        env: new Map(
          Object.entries({ A: 'yes', B: '1_000', C: '0x10', D: '1e3', E: 'true', F: '', G: '007', H: '~ x' }),
        ),
      },
    ],
  ])('%s', (line, expected) => {
    expect(jobsOf(file(line))).toEqual([{ ...base, ...expected }]);
  });

  test('a file of variables is in the folder of the job', () => {
    const text = 'version: 1\njobs:\n  a: { host: h, run: x, cwd: ~/train/, envFile: ./job.env }\n';
    expect(jobsOf(text)[0]?.envFile).toBe('~/train/job.env');
  });

  test('commands of several lines stay as they are', () => {
    const text = 'version: 1\njobs:\n  a:\n    host: h\n    run: |\n      a \\\n        --b\n      c\n';
    expect(jobsOf(text)[0]?.run).toBe('a \\\n  --b\nc\n');
  });

  test('variables can be shared by an anchor', () => {
    const text =
      'version: 1\njobs:\n  a: { host: h, run: x, env: &shared { A: 1 } }\n  b: { host: h, run: x, env: *shared }\n';
    expect(jobsOf(text).map(({ env }) => [...env])).toEqual([[['A', '1']], [['A', '1']]]);
  });

  test('host and folder come from the window where the file does not say', () => {
    const result = parseJobFile('version: 1\njobs: { a: { run: x } }', { host: 'box', cwd: '~/here' });
    expect(result.kind === 'jobs' && result.jobs[0]).toMatchObject({ host: 'box', cwd: '~/here' });
  });
});

describe('problems', () => {
  test.each<[string, string, number, number, RegExp]>([
    ['an empty file', '', 1, 1, /Write: version: 1$/],
    ['no version', 'jobs: { a: { host: h, run: x } }', 1, 1, /version is missing. Write as the first line: version: 1/],
    ['another version', 'version: 2\njobs: {}', 1, 10, /version 1 of the file. Write: version: 1/],
    ['no jobs', 'version: 1\n', 1, 1, /no jobs/],
    ['jobs in a list', 'version: 1\njobs: [ a ]', 2, 7, /“jobs” must be a list of keys with values/],
    ['an unknown key', 'version: 1\njob: {}', 2, 1, /no “job”. Did you mean “jobs”\?/],
    ['an unknown key of a job', file('outptus: []'), 6, 5, /no “outptus”. Did you mean “outputs”\?/],
    [
      'an unknown key of an output',
      file('outputs: [ { path: o, onrelaunch: ask } ]'),
      6,
      27,
      /Did you mean “onRelaunch”\?/,
    ],
    ['a key that is like none', file('zzz: 1'), 6, 5, /Known are: host, cwd/],
    ['a key twice', file('cwd: ~/a', 'cwd: ~/b'), 7, 5, /“cwd” stands here twice/],
    [
      'a job twice',
      'version: 1\njobs:\n  a: { host: h, run: x }\n  a: { host: h, run: y }',
      4,
      3,
      /“a” stands here twice/,
    ],
    ['a tab', 'version: 1\njobs:\n\ta: 1', 3, 1, /tab cannot indent/],
    ['nothing to run', 'version: 1\njobs:\n  a: { host: h }', 3, 3, /nothing to run. Write: run: python train.py/],
    ['no host', 'version: 1\njobs:\n  a: { run: x }', 3, 3, /no host. Write: host:/],
    ['a number to run', 'version: 1\njobs:\n  a: { host: h, run: 3 }', 3, 22, /“run” must be a text. Write: run: "3"/],
    ['an empty command', 'version: 1\njobs:\n  a: { host: h, run: " " }', 3, 22, /not empty/],
    ['no host at all', 'version: 1\njobs:\n  a: { host: "-h", run: x }', 3, 14, /“-h” is not a host.*Write an alias/],
    ['a relative folder', file('cwd: x/y'), 6, 10, /must begin with “\/” or “~\/”. Write: cwd: ~\/x\/y/],
    ['no GPUs', file('gpus: 0'), 6, 11, /Write: gpus: 4/],
    ['half a GPU', file('gpus: 1.5'), 6, 11, /Write: gpus: 4/],
    ['a GPU twice', file('gpus: [1, 1]'), 6, 11, /twice/],
    ['GPUs in words', file('gpus: [a]'), 6, 12, /A GPU must be a number/],
    ['a variable without a value', file('env: { A: }'), 6, 15, /must be a text or a number. Write: A: ""/],
    ['a variable with a list', file('env: { A: [1] }'), 6, 15, /must be a text or a number/],
    ['a name no variable has', file('env: { a-b: 1 }'), 6, 12, /“a-b” cannot name a variable/],
    ['a parameter without a place', file('parameters: { p: { step: 1 } }'), 6, 19, /one of flag, env and assignment/],
    [
      'a parameter with two',
      file('parameters: { p: { flag: --p, env: P } }'),
      6,
      19,
      /one of flag, env and assignment/,
    ],
    [
      'a flag with its value',
      file('parameters: { p: { flag: "--p=3" } }'),
      6,
      30,
      /“--p=3” is not a flag. Write: flag: --p/,
    ],
    ['limits the wrong way round', file('parameters: { p: { flag: --p, min: 5, max: 2 } }'), 6, 48, /below “min”/],
    ['a step of nothing', file('parameters: { p: { flag: --p, step: 0 } }'), 6, 41, /above 0/],
    ['an output that holds more', file('outputs: [ "/" ]'), 6, 16, /holds more than the outputs/],
    ['an output above the folder', file('outputs: [ "../.." ]'), 6, 16, /holds more than the outputs/],
    ['a time without its unit', file('fitsAfter: 3'), 6, 16, /Write: fitsAfter: 3m/],
    ['a time in words', file('fitsAfter: soon'), 6, 16, /must be a time with its unit/],
    ['a choice that is none', file('outputs: [ { path: o, onRelaunch: kep } ]'), 6, 39, /Did you mean “keep”\?/],
    ['a colon in a command', 'version: 1\njobs:\n  a:\n    run: echo a: b', 4, 10, /must stand in quotes/],
    ['an alias of nothing', file('cwd: *x'), 6, 10, /“cwd” must be a text|marked before/],
    ['a list that is not closed', 'version: 1\njobs: [', 2, 8, /not closed/],
    ['two documents', 'version: 1\n---\njobs: {}', 2, 1, /one document/],
  ])('%s', (_, text, line, column, message) => {
    const found = problemsOf(text);
    expect(found.map(problem => problem.message).join('\n')).toMatch(message);
    expect(found.find(problem => message.test(problem.message))).toMatchObject({ line, column });
  });

  test('are all told, in the order of the file', () => {
    const found = problemsOf(file('gpus: 0', 'cwd: x', 'fitsAfter: 3'));
    expect(found.map(({ line }) => line)).toEqual([6, 7, 8]);
  });

  test('of one job keep the others from being launched', () => {
    const text = 'version: 1\njobs:\n  a: { host: h, run: x }\n  b: { host: h, rum: x }\n';
    expect(parseJobFile(text, defaults).kind).toBe('problems');
  });

  test('tell no value of a variable', () => {
    const found = problemsOf(file('env: { TOKEN: [ hunter2 ], b-c: hunter2, TOKEN2: { a: hunter2 } }'));
    expect(found.length).toBeGreaterThan(2);
    expect(JSON.stringify(found)).not.toContain('hunter2');
  });
});

test('a file that doubles itself over and over is read in no time', () => {
  const levels = Array.from({ length: 40 }, (_, level) => `  j${level}: &l${level} [ *l${level - 1}, *l${level - 1} ]`);
  const text = ['version: 1', 'jobs:', '  j: &l-1 [ x ]', ...levels].join('\n');
  expect(problemsOf(text).length).toBeGreaterThan(0);
});

const shreds = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'version: 1\n',
        'jobs:\n',
        '  a:\n',
        '    run: x\n',
        '    host: h\n',
        '    env:',
        ' { A: 1 }\n',
        '\t',
      ),
      fc.constantFrom(
        'gpus: ',
        'outputs: [',
        ']',
        '{',
        '}',
        '- ',
        '*a',
        '&a ',
        '!!binary ',
        '? ',
        ': ',
        '|\n',
        '>-\n',
        '#',
      ),
      fc.constantFrom(
        '"',
        "'",
        '---\n',
        '...\n',
        '%YAML 1.1\n',
        '<<: *a\n',
        '~',
        'null',
        '.nan',
        '-.inf',
        '\r\n',
        '1e999',
      ),
      fc.string({ unit: 'binary', maxLength: 8 }),
    ),
    { maxLength: 30 },
  )
  .map(parts => parts.join(''));

test('never throws, and each problem lies in the text', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        shreds,
        shreds.map(text => example + text),
      ),
      text => {
        const lines = text.split('\n').length;
        for (const { line, column, start, end, message } of problemsOf(text)) {
          expect(line >= 1 && line <= lines && column >= 1).toBe(true);
          expect(start >= 0 && start <= end).toBe(true);
          expect(message).not.toBe('');
        }
      },
    ),
    { numRuns: 500 },
  );
});
