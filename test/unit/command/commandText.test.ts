import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultJobName, freeName, readPasted } from '../../../src/core/job/command/commandText';
import { loadParser } from '../shell/parser';

const parser = await loadParser();

describe('a pasted command', () => {
  test.each<[string, string, readonly string[]]>([
    ['torchrun \\\n  --n 4 \\\n  t.py', 'torchrun --n 4 t.py', []],
    ['a \\\r\n  b\r\n', 'a b', ['lineEnds']],
    ['a \\  \n  b', 'a b', ['continuations']],
    ['a \\    --b 1', 'a --b 1', ['continuations']],
    ['a \\ --b 1', 'a --b 1', ['continuations']],
    ['a b\\ c', 'a b\\ c', []],
    ['$ cd x\n$ python t.py', 'cd x\npython t.py', ['prompts']],
    ['$ a \\\n>   b', 'a b', ['prompts']],
    ['(venv) me@box:~/x$ a', 'a', ['prompts']],
    ['[me@box x]$ a', 'a', ['prompts']],
    ['# a comment\nb', '# a comment\nb', []],
    ['echo $ x', 'echo $ x', []],
    ['a\u00a0--b\u202f1\ufeff', 'a --b 1', ['blanks']],
    [`a 'x \\\n y'`, `a 'x \\\n y'`, []],
    [`a "x\\\ny"`, 'a "xy"', []],
    ['a --b\\\nc', 'a --bc', []],
    ['a # it\\\nb', 'a # it\\\nb', []],
    [`a \\' \\\n b`, `a \\' b`, []],
    ['a\nb', 'a\nb', []],
  ])('%j', (pasted, text, mended) => {
    expect(readPasted(pasted)).toEqual({ text, mended, suggestion: null });
  });

  test('keeps typographic quotes and dashes, and offers plain ones', () => {
    expect(readPasted('t –batch 3 —x “a b” ‘c’')).toEqual({
      text: 't –batch 3 —x “a b” ‘c’',
      mended: [],
      suggestion: `t --batch 3 --x "a b" 'c'`,
    });
  });

  test('that is in order is not changed by reading it again', () => {
    const part = fc.constantFrom('a', ' ', '\\\n', '\\', "'", '"', '#', '$ ', '> ', '\n', '\r\n', '\u00a0', '--b');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), parts => {
        const { text } = readPasted(parts.join(''));
        expect(text).not.toMatch(/[\r\u00a0]/);
      }),
    );
  });
});

describe('the name of a job', () => {
  test.each([
    ['torchrun --nproc-per-node 4 train.py --max-seq-len 8192', 'train'],
    ['cd x && python -m trainer.main --a 1 | tee log', 'main'],
    ['pip install flash-attn==2.8.3 --no-build-isolation', 'flash-attn'],
    ['python -m pip install -v git+https://host/a/flash-attention.git@v2', 'flash-attention'],
    ['MAX_JOBS=4 make -j8', 'make'],
    ['/opt/x/bin/vllm serve m', 'vllm'],
    ['bash scripts/run_all.sh', 'run_all'],
    ['export A=1', 'job'],
    ['$RUN', 'job'],
    ['', 'job'],
  ])('%s', (text, name) => {
    expect(defaultJobName(text, [], parser)).toBe(name);
  });

  test('is new', () => {
    expect(freeName('a', ['b'])).toBe('a');
    expect(freeName('a', ['a', 'a-2'])).toBe('a-3');
    expect(defaultJobName('python train.py', ['train'], parser)).toBe('train-2');
  });
});
