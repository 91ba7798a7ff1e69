import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeNumber, maskedCommand } from '../../../src/core/job/command/changeNumber';
import { findNumbers, numberOf, type CommandNumber } from '../../../src/core/job/command/commandNumbers';
import { loadParser } from '../shell/parser';

const parser = await loadParser();
const none: ReadonlyMap<string, string> = new Map();

const numbers = (text: string, env = none): readonly CommandNumber[] => findNumbers(text, env, parser);
const told = (found: readonly CommandNumber[]): readonly string[] => found.map(({ name, text }) => `${name} ${text}`);
/** The knobs of a command, the first to change first. */
const findKnobs = (all: readonly CommandNumber[]) => all.filter(({ knob }) => knob !== null);
const knobs = (text: string, env = none): readonly string[] => told(findKnobs(numbers(text, env)));

describe('knobs of a command', () => {
  test.each<[string, readonly string[]]>([
    ['torchrun --nproc-per-node 4 train.py --max-seq-len 8192 --output-dir out', ['--max-seq-len 8192']],
    ['python train.py --batch_size=12 --block-size 1024', ['--batch_size 12', '--block-size 1024']],
    ['MAX_JOBS=32 pip install flash-attn', ['MAX_JOBS 32']],
    ['export MAX_JOBS=16 && export ARCH="8.0;9.0" && pip install x', ['MAX_JOBS 16']],
    ['env MAX_JOBS=4 NVCC_THREADS=2 uv pip install x', ['MAX_JOBS 4', 'NVCC_THREADS 2']],
    ['make -j32 GGML_CUDA=1 llama-server', ['-j 32']],
    ['make -j 8', ['-j 8']],
    ['make -j$(nproc) install', ['-j $(nproc)']],
    ['cmake --build build -j', ['-j -j']],
    ['yolo train batch=32 imgsz=640 workers=8 device=0,1 name=exp640', ['batch 32', 'imgsz 640', 'workers 8']],
    ['tune run x batch_size=8 tokenizer.max_seq_len=4096', ['batch_size 8', 'tokenizer.max_seq_len 4096']],
    ['./train_net.py SOLVER.IMS_PER_BATCH 16 SOLVER.BASE_LR 0.0025', ['SOLVER.IMS_PER_BATCH 16']],
    [
      'vllm serve m --max-model-len 32k --gpu-memory-utilization .92',
      ['--max-model-len 32k', '--gpu-memory-utilization .92'],
    ],
    [
      `lm_eval --model_args pretrained=a/b-6B,gpu_memory_utilization=0.8,max_model_len=4096`,
      ['max_model_len 4096', 'gpu_memory_utilization 0.8'],
    ],
    [`vllm serve m --limit-mm-per-prompt '{"image": 4}'`, ['limit_mm_per_prompt.image 4']],
    [`nohup python train.py --batch-size "64" > logs/bs64.log &`, ['--batch-size 64']],
    [`bash -c 'source env.sh && python t.py --batch_size 32'`, ['--batch_size 32']],
    ['docker run -p 80:80 -e MAX_TOTAL_TOKENS=4096 img', ['MAX_TOTAL_TOKENS 4096']],
    ['A=(--micro-batch-size 2 --lr 1e-4)\ntorchrun p.py ${A[@]}', ['--micro-batch-size 2']],
    ['BS=16\npython t.py --batch-size $BS', ['--batch-size $BS']],
    ['python t.py --batch-size ${B:-32}', ['--batch-size ${B:-32}']],
    ['python t.py --batch-tokens 32_768', ['--batch-tokens 32_768']],
    ['python t.py --resolution=1024,1024', ['--resolution 1024,1024']],
  ])('%s', (text, expected) => {
    expect(knobs(text)).toEqual(expected);
  });

  test.each([
    'python train.py --batch_size_schedule linear --seed 64 --port 8192 --save-steps 16384',
    `echo 'running with --batch-size 512'`,
    'python train.py # --batch-size 128',
    'cat <<END\n--batch-size 4\nEND',
    'python train.py –batch_size 32',
    'lm_eval --batch_size auto:4',
    'yolo train batch=-1',
    'torchrun --nproc_per_node 8 --master_port 6000 t.py --num-layers 24 --hidden-size 2048',
    `run --config_overrides="n_positions=1024,batch=4"`,
    'python t.py --batch_size',
  ])('there are none in %s', text => {
    expect(knobs(text)).toEqual([]);
  });

  test('of two equal flags the last one counts, within one program', () => {
    const text = 'a --batch_size 64 --batch_size 32 && b --batch_size 8';
    const found = findKnobs(numbers(text));
    expect(found.map(({ span }) => text.slice(span.start, span.end))).toEqual(['32', '8']);
  });

  test('a batch of 1 cannot shrink, so it comes last; a share of the card can', () => {
    expect(knobs('t --train_batch_size 1 --resolution 768')).toEqual(['--resolution 768', '--train_batch_size 1']);
    expect(knobs('yolo train batch=0.9 imgsz=640')[0]).toBe('batch 0.9');
  });

  test('mean what they mean to their program', () => {
    expect(knobs('llama-server -c 32768 -ngl 99 -j schema -t 16')).toEqual(['-c 32768', '-ngl 99']);
    expect(knobs('python t.py -c 3 -t 16')).toEqual([]);
    expect(findKnobs(numbers('python t.py --device=cpu --batch-size 4'))[0]?.knob?.memory).toBe('host');
    expect(findKnobs(numbers('python t.py --batch-size 4'))[0]?.knob?.memory).toBe('gpu');
    expect(findKnobs(numbers('t --gradient_accumulation_steps 4'))[0]?.knob?.direction).toBe('largerSavesMemory');
  });
});

describe('variables beside the command', () => {
  const env = new Map([
    ['MAX_JOBS', '8'],
    ['USE_CUDA', '1'],
    ['NAME', 'x9'],
  ]);

  test('are found in their own text', () => {
    expect(numbers('pip install .', env)[0]).toMatchObject({
      name: 'MAX_JOBS',
      source: { kind: 'environment', variable: 'MAX_JOBS' },
      span: { start: 0, end: 1 },
      value: 8,
    });
    expect(told(numbers('pip install .', env))).toEqual(['MAX_JOBS 8', 'USE_CUDA 1']);
  });

  test('are hidden by those that the command sets', () => {
    expect(knobs('MAX_JOBS=64 pip install .', env)).toEqual(['MAX_JOBS 64']);
  });
});

test('every other number is offered too, behind those that are known', () => {
  expect(told(numbers('python t.py --seed 7 --batch-size 4 --width 3'))).toEqual([
    '--batch-size 4',
    '--seed 7',
    '--width 3',
  ]);
});

test('a job file’s parameter is found by its place', () => {
  const found = numbers('MAX_JOBS=4 t --max-seq-len 8 batch_size=2');
  expect(numberOf(found, { kind: 'flag', flag: '--max-seq-len' })?.text).toBe('8');
  expect(numberOf(found, { kind: 'env', variable: 'MAX_JOBS' })?.text).toBe('4');
  expect(numberOf(found, { kind: 'assignment', key: 'batch_size' })?.text).toBe('2');
  expect(numberOf(found, { kind: 'flag', flag: '--other' })).toBeNull();
});

describe('changing a number', () => {
  const changed = (run: string, value: number): string => changeNumber({ run, env: none }, numbers(run)[0]!, value).run;

  test.each([
    ['t --max-seq-len 8192 --seed 8192', 4096, 't --max-seq-len 4096 --seed 8192'],
    ['t --batch-size="64" # 64', 32, 't --batch-size="32" # 64'],
    ['make -j32', 8, 'make -j8'],
    ['make -j', 8, 'make -j 8'],
    ['make -j$(nproc) x', 8, 'make -j8 x'],
    ['t --seq-len 32_768', 16384, 't --seq-len 16_384'],
    ['t --max-model-len 32k', 24_000, 't --max-model-len 24k'],
    ['t --max-model-len 32k', 24_576, 't --max-model-len 24576'],
    ['t --max-model-len 8.2k', 4100, 't --max-model-len 4.1k'],
    ['t --max-model-len 128K', 65_536, 't --max-model-len 64K'],
    ['t --max-model-len 128K', 65_000, 't --max-model-len 65000'],
    ['t --gpu-memory-utilization .92', 0.8, 't --gpu-memory-utilization .8'],
    ['t --gpu-memory-utilization 0.90', 0.8, 't --gpu-memory-utilization 0.80'],
    ['🔥 t --batch-size 8', 4, '🔥 t --batch-size 4'],
    [`bash -c 't --batch-size 8'`, 4, `bash -c 't --batch-size 4'`],
    [`t --limit-mm-per-prompt '{"image": 4, "x": 1}'`, 2, `t --limit-mm-per-prompt '{"image": 2, "x": 1}'`],
  ])('%s to %d', (run, value, expected) => {
    expect(changed(run, value)).toBe(expected);
  });

  test('in a variable beside the command changes only that', () => {
    const texts = {
      run: 'pip install x',
      env: new Map([
        ['MAX_JOBS', ' 32'],
        ['A', '1'],
      ]),
    };
    const after = changeNumber(texts, numbers(texts.run, texts.env)[0]!, 8);
    expect(after.run).toBe('pip install x');
    expect([...after.env]).toEqual([
      ['MAX_JOBS', ' 8'],
      ['A', '1'],
    ]);
  });

  test('gives the same masked command for every value, and another one for another number', () => {
    const masked = (run: string, index = 0): string => maskedCommand({ run, env: none }, numbers(run)[index]!);
    expect(masked('t --batch-size 8 --seq-len 4')).toBe(masked('t --batch-size 16 --seq-len 4'));
    expect(masked('t --batch-size 8 --seq-len 4')).not.toBe(masked('t --batch-size 8 --seq-len 8'));
    expect(masked('t --batch-size 8 --seq-len 4')).not.toBe(masked('t --batch-size 8 --seq-len 4', 1));
    const env = new Map([['MAX_JOBS', '4']]);
    expect(maskedCommand({ run: 'pip', env }, numbers('pip', env)[0]!)).toBe('MAX_JOBS=<value> pip');
  });

  test('changes that number and not one other character, whatever stands around it', () => {
    const word = fc.constantFrom('--seed 8', 'x8', `'8'`, '--lr=8e-4', '"$A8"', '\\\n', 'k=8', '🔥', '–x 8', '8');
    fc.assert(
      fc.property(fc.array(word), fc.array(word), fc.integer({ min: 1, max: 1e9 }), (before, behind, value) => {
        const head = ['run', ...before, '--batch-size '].join(' ');
        const tail = ['', ...behind].join(' ');
        const run = `${head}8${tail}`;
        const number = numberOf(numbers(run), { kind: 'flag', flag: '--batch-size' })!;
        const after = changeNumber({ run, env: none }, number, value).run;
        expect(after).toBe(`${head}${value}${tail}`);
        expect(numberOf(numbers(after), number.place)?.value).toBe(value);
      }),
      { numRuns: 200 },
    );
  });
});
