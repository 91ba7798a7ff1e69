import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Job } from '../../../src/core/job/job';
import { addJob, parseJobFile } from '../../../src/core/jobfile/jobFile';
import { example } from './example';

const job: Job = {
  name: 'new',
  host: 'box',
  cwd: '~/x',
  setup: ['source .venv/bin/activate'],
  run: 'python t.py --batch-size 8',
  env: new Map([['MAX_JOBS', '8']]),
  envFile: null,
  gpus: { kind: 'indices', indices: [0, 1] },
  parameters: [{ name: 'batch', place: { kind: 'flag', flag: '--batch-size' }, step: null, min: 1, max: null }],
  outputs: [{ path: 'out', onRelaunch: 'keep' }],
  fitsAfter: { kind: 'time', ms: 90_000 },
};

function added(text: string, what: Job = job): string {
  const result = addJob(text, what);
  if (result.kind === 'problems') throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.text;
}

function jobsOf(text: string): readonly Job[] {
  const result = parseJobFile(text, { host: null, cwd: '~' });
  if (result.kind === 'problems') throw new Error(result.problems.map(({ message }) => message).join('\n'));
  return result.jobs;
}

test('an empty file becomes one', () => {
  expect(added('\n')).toMatch(/^version: 1\njobs:\n {2}new:\n {4}host: box\n/);
  expect(jobsOf(added(''))).toEqual([job]);
});

describe('every character that was there stays', () => {
  test.each([
    ['the usual file', example],
    ['comments behind the jobs', `${example}    # the last word\n# and the end\n`],
    ['no line end at the end', example.trimEnd()],
    ['four blanks', 'version: 1\n\njobs:\n\n    a:   # first\n        host: h\n        run: x\n'],
    ['a key behind the jobs', 'jobs:\n  a:\n    host: h\n    run: x\n\n# which one\nversion: 1\n'],
    ['a block of text at the end', 'version: 1\njobs:\n  a:\n    host: h\n    run: |\n      x\n      y\n'],
    ['line ends of Windows', 'version: 1\r\njobs:\r\n  a:\r\n    host: h\r\n    run: x\r\n'],
  ])('%s', (_, text) => {
    const after = added(text);
    const before = jobsOf(text);
    expect(jobsOf(after)).toEqual([...before, job]);
    // What is new is one piece.
    const common = [...after].findIndex((character, index) => character !== text[index]);
    const head = text.slice(0, common);
    expect(after.startsWith(head)).toBe(true);
    expect(after.endsWith(text.slice(common))).toBe(true);
  });
});

test.each([
  ['jobs in one line', 'version: 1 # one\njobs: { a: { host: h, run: x } } # two\n'],
  ['no job yet', 'version: 1 # one\njobs: # two\n'],
  ['no jobs yet', '# one\nversion: 1 # two\n'],
])('comments and order stay in a file with %s', (_, text) => {
  const after = added(text);
  expect(jobsOf(after).at(-1)).toEqual(job);
  expect(after).toMatch(/# one[^]*# two/);
});

test('a name that is taken, and a file with problems, are left alone', () => {
  const taken = addJob(example, { ...job, name: 'drafter' });
  expect(taken.kind === 'problems' && taken.problems[0]).toMatchObject({
    line: 3,
    column: 3,
    message: 'There is a job “drafter” already. Give this one another name.',
  });
  expect(addJob('version: 2\njobs: { a: { host: h, run: x } }', job).kind).toBe('problems');
  expect(addJob('- x', job).kind).toBe('problems');
});

test('any command and any variable come back as they were', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', ' ', '\n', '\\', "'", '"', '#', ':', '-', '|', '{', '🔥', '\t', '1'),
  });
  const run = text.filter(value => value.trim() !== '');
  fc.assert(
    fc.property(run, text, (command, value) => {
      const saved = { ...job, run: command, env: new Map([['A', value]]) };
      expect(jobsOf(added(example, saved)).at(-1)).toEqual(saved);
    }),
    { numRuns: 200 },
  );
});
