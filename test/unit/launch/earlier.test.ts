import { describe, expect, it } from 'vitest';
import type { AttemptSpec } from '../../../src/core/job/attempt';
import { commandJob } from '../../../src/core/job/command/commandJob';
import { findNumbers } from '../../../src/core/job/command/commandNumbers';
import { jobChange } from '../../../src/core/job/jobChange';
import { numberBefore } from '../../../src/core/job/command/numberBefore';
import { replaceWord } from '../../../src/core/job/command/replaceWord';
import { savedJob } from '../../../src/core/job/command/savedJob';
import { loadParser } from '../shell/parser';

const parser = await loadParser();

const spec = (changes: Partial<AttemptSpec> = {}): AttemptSpec => ({
  format: 1,
  job: 'drafter',
  run: 'torchrun train.py --max-seq-len 8192 --lr 3',
  cwd: '~/train',
  values: { '--max-seq-len': 8192 },
  parent: null,
  gpus: null,
  createdAtMs: 0,
  source: null,
  ...changes,
});

const before = (run: string, earlier: readonly AttemptSpec[]) =>
  numberBefore(run, findNumbers(run, new Map(), parser), earlier, parser);

describe('the number that a command was about before', () => {
  it('is found again at another value', () => {
    const found = before('torchrun train.py --max-seq-len 4096 --lr 3', [spec()]);
    expect(found).toMatchObject({ kind: 'chosen', number: { name: '--max-seq-len', value: 4096 } });
  });

  it('may be none', () => expect(before(spec().run, [spec({ values: {} })])).toEqual({ kind: 'chosen', number: null }));

  it('is known by the name that a job file gave it', () =>
    expect(before(spec().run, [spec({ values: { 'max-seq-len': 1 } })])).toMatchObject({ kind: 'chosen' }));

  it.each([
    ['another command', 'torchrun other.py --max-seq-len 8192 --lr 3', [spec()]],
    ['no record', spec().run, []],
    ['a number that the command has not', spec().run, [spec({ values: { '--batch': 1 } })]],
  ])('is asked about for %s', (_, run, earlier) => expect(before(run, earlier)).toEqual({ kind: 'neverAsked' }));
});

describe('the job of a pasted command', () => {
  const name = (run: string, cwd = '~/train'): string => commandJob({ run, host: 'box', cwd }, [spec()], parser).name;

  it('is that of earlier attempts, whatever their numbers', () =>
    expect(name('torchrun train.py --max-seq-len 1 --lr 2')).toBe('drafter'));

  it('is another one in another place', () => expect(name(spec().run, '~')).toBe('train'));
  it('is another one for another command', () => expect(name('python other.py')).toBe('other'));
});

describe('the job that is saved of an attempt', () => {
  it('has the parameter that the attempt was about', () =>
    expect(savedJob(spec({ gpus: ['GPU-1', 'GPU-2'] }), 'box', parser)).toMatchObject({
      name: 'drafter',
      run: spec().run,
      gpus: { kind: 'anyFree', count: 2 },
      parameters: [{ name: 'max-seq-len', place: { kind: 'flag', flag: '--max-seq-len' } }],
    }));
});

describe('a job file that has changed', () => {
  const job = savedJob(spec(), 'box', parser);
  const source = { file: '/w/headroom.yaml', hash: 'new' };
  const launched = spec({ source: { file: '/w/headroom.yaml', hash: 'old' } });
  const changed = { ...job, run: 'torchrun train.py --max-seq-len 1 --lr 3' };

  it('is asked about, with both commands', () =>
    expect(jobChange(changed, source, [launched])).toEqual({
      before: { run: spec().run, cwd: '~/train' },
      now: { run: changed.run, cwd: '~/train' },
    }));

  it.each([
    ['the file is the same', changed, { ...source, hash: 'old' }, [launched]],
    ['the change is in another job', job, source, [launched]],
    ['it was never launched from there', changed, { ...source, file: '/other' }, [launched]],
    ['a newer attempt is of this file', changed, source, [spec({ source }), launched]],
  ])('is not asked about where %s', (_, now, file, earlier) => expect(jobChange(now, file, earlier)).toBeNull());
});

describe('a command that lies elsewhere', () => {
  it.each([
    ['torchrun train.py', '/e/bin/torchrun train.py'],
    ['A=torchrun; nice "torchrun" x', 'A=torchrun; nice /e/bin/torchrun x'],
    ['python train.py', 'python train.py'],
  ])('%s', (run, expected) => expect(replaceWord(run, 'torchrun', '/e/bin/torchrun', parser)).toBe(expected));
});
