import { describe, expect, it } from 'vitest';
import { createLogTail } from '../../../src/core/job/log/logTail';
import { newestThroughput, throughputOf } from '../../../src/core/job/log/throughput';
import { bytesOf } from './chunks';

/** Lines as the tools print them, and what they say. */
const golden: readonly (readonly [string, number, string])[] = [
  // tqdm
  [' 45%|████▌     | 450/1000 [02:15<02:45,  3.33it/s]', 3.33, 'it/s'],
  [' 45%|████▌     | 450/1000 [02:15<02:45,  1.20s/it, loss=2.31]', 1.2, 's/it'],
  ['  3%|▎         | 31/1000 [07:32<3:55:10, 14.56s/it]', 14.56, 's/it'],
  ['12it [00:03,  3.87it/s]', 3.87, 'it/s'],
  ['train:  50%|█████     | 50/100 [00:05<00:05,  9.50batch/s]', 9.5, 'it/s'],
  ['Steps:  10%|█         | 100/1000 [01:40<15:00,  1.00step/s, lr=1e-4, step_loss=0.1]', 1, 'it/s'],
  [' 10%|█         | 1.02M/10.0M [00:10<01:30, 102ktok/s]', 102_000, 'tokens/s'],
  ['  1%|          | 512/50000 [00:02<03:13, 256.00samples/s]', 256, 'samples/s'],
  ['\x1b[32m 45%|████▌     | 450/1000 [02:15<02:45,  3.33it/s]\x1b[0m', 3.33, 'it/s'],
  ['[rank0]:  5%|▌   | 5/100 [00:10<03:10,  2.00s/it]', 2, 's/it'],
  // Hugging Face
  [
    "{'train_runtime': 123.4, 'train_samples_per_second': 65.2, 'train_steps_per_second': 4.1, 'train_loss': 2.3, 'epoch': 1.0}",
    65.2,
    'samples/s',
  ],
  ["{'loss': 1.23, 'grad_norm': 0.5, 'learning_rate': 1e-05, 'tokens_per_second': 5123.4}", 5123.4, 'tokens/s'],
  ['  train_steps_per_second   =      4.102', 4.102, 'it/s'],
  ["{'train_tokens_per_second': '1,234.5'}", 1234.5, 'tokens/s'],
  // Lightning
  ['Epoch 0:  50%|█████     | 50/100 [00:05<00:05,  9.50it/s, v_num=0, train_loss=0.3]', 9.5, 'it/s'],
  ['Epoch 0/9 ━━━━━━━━━━━━━━━━ 50/100 0:00:05 • 0:00:05 9.51it/s v_num: 0.000', 9.51, 'it/s'],
  // Megatron, DeepSpeed, fairseq, torchtitan
  [
    ' iteration       10/     500 | consumed samples:          640 | elapsed time per iteration (ms): 5234.1 | throughput per GPU (TFLOP/s/GPU): 210.3 | learning rate: 1.0E-05 |',
    5.2341,
    's/it',
  ],
  [
    ' iteration 10/500 | elapsed time per iteration (ms): 5234.1 | samples per second: 12.228 | TFLOPs: 45.1 |',
    12.228,
    'samples/s',
  ],
  [
    '[2024-05-01 10:00:00,123] [INFO] [timer.py:260:stop] epoch=0/micro_step=100/global_step=10, RunningAvgSamplesPerSec=12.34, CurrSamplesPerSec=12.91, MemAllocated=3.1GB, MaxMemAllocated=9.9GB',
    12.91,
    'samples/s',
  ],
  [
    'epoch 001:   100 / 1234 loss=9.1, ppl=550, wps=12345.6, ups=2.3, wpb=5367, bsz=128, num_updates=100',
    12345.6,
    'tokens/s',
  ],
  ['[titan] step: 10  loss:  7.2  memory: 20.1GiB(25.3%)  tps: 5,432  tflops: 123.4  mfu: 39.6%', 5432, 'tokens/s'],
  // nanoGPT, llm.c, Keras, TensorFlow, timm, MMEngine, detectron2
  ['iter 100: loss 2.3145, time 123.45ms, mfu 30.12%', 0.12345, 's/it'],
  [
    'step   10/19560 | loss 7.1 (+nanz)| norm 3.2 | lr 8.6e-06 | 1201.32 ms | 61.2% bf16 MFU | 436432 tok/s',
    436_432,
    'tokens/s',
  ],
  ['100/938 ━━━━━━━━━━━━━━━━━━━━ 5s 12ms/step - accuracy: 0.91 - loss: 0.3', 0.012, 's/it'],
  ['938/938 [==============================] - 3s 2s/step - loss: 0.2', 2, 's/it'],
  ['INFO:tensorflow:global_step/sec: 12.3', 12.3, 'it/s'],
  [
    'Train: 0 [  50/1251 (  4%)]  Loss: 6.9 (6.92)  Time: 0.345s,  742.03/s  (0.356s,  719.10/s)  LR: 1.000e-06',
    742.03,
    'samples/s',
  ],
  [
    '05/01 10:00:00 - mmengine - INFO - Epoch(train) [1][50/1000] lr: 1e-2 eta: 1:23:45 time: 0.3456 data_time: 0.0123 memory: 1234 loss: 2.1',
    0.3456,
    's/it',
  ],
  [
    '[05/01 10:00:00 d2.utils.events]:  eta: 1:00:00  iter: 19  total_loss: 3.1  time: 0.2512  last_time: 0.24  data_time: 0.0101  lr: 1e-3  max_mem: 3100M',
    0.2512,
    's/it',
  ],
  // Serving
  [
    'INFO 05-01 10:00:00 metrics.py:455] Avg prompt throughput: 123.4 tokens/s, Avg generation throughput: 456.7 tokens/s, Running: 3 reqs, Swapped: 0 reqs, Pending: 0 reqs, GPU KV cache usage: 1.2%',
    456.7,
    'tokens/s',
  ],
  [
    'Engine 000: Avg prompt throughput: 512.0 tokens/s, Avg generation throughput: 0.0 tokens/s, Running: 1 reqs',
    512,
    'tokens/s',
  ],
  [
    '[2025-01-01 10:00:00] Decode batch. #running-req: 1, #token: 345, token usage: 0.00, gen throughput (token/s): 50.12, #queue-req: 0',
    50.12,
    'tokens/s',
  ],
  [
    'llama_print_timings:        eval time =    1234.56 ms /   100 runs   (   12.35 ms per token,    81.00 tokens per second)',
    81,
    'tokens/s',
  ],
  // By hand
  ['step 100 loss 2.3 throughput 12,345 tokens/sec', 12_345, 'tokens/s'],
  ['tokens/s: 1.2e4', 12_000, 'tokens/s'],
  ['tok/s=51.3k', 51_300, 'tokens/s'],
  ['images/sec: 312.5', 312.5, 'samples/s'],
  ['[step 20] 312.5 img/s', 312.5, 'samples/s'],
  ['step time: 350 ms', 0.35, 's/it'],
  ['step_time=1.25s loss=0.1', 1.25, 's/it'],
  ['sec/step: 0.8', 0.8, 's/it'],
  ['steps/s: 2.5', 2.5, 'it/s'],
  // Where there are several: work before steps.
  ['step 5 | 3.2 it/s | 104,857 tokens/s', 104_857, 'tokens/s'],
];

/** Lines that look like it, and say nothing of how fast the job works. */
const lookalikes: readonly string[] = [
  '',
  'loss 2.3',
  '  0%|          | 0/1000 [00:00<?, ?it/s]',
  'Downloading torch-2.5.1-cp311-cp311-manylinux1_x86_64.whl (906.4 MB)',
  '   ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━ 906.4/906.4 MB 45.6 MB/s eta 0:00:00',
  'model.safetensors: 100%|██████████| 4.98G/4.98G [01:58<00:00, 42.1MB/s]',
  'model-00001-of-00002.safetensors:  12%|█▏        | 598M/4.98G [00:14<01:44, 41.9MB/s]',
  'Downloading shards: 100%|██████████| 2/2 [00:10<00:00,  5.01s/it]',
  'Loading checkpoint shards: 100%|██████████| 4/4 [00:06<00:00,  1.63s/it]',
  'Loading safetensors checkpoint shards:  50% Completed | 2/4 [00:01<00:01,  1.63it/s]',
  'Fetching 12 files: 100%|██████████| 12/12 [00:00<00:00, 123.45it/s]',
  'Capturing CUDA graph shapes: 100%|██████████| 35/35 [00:21<00:00,  1.63it/s]',
  'Map:  45%|████▌     | 4500/10000 [00:05<00:06, 899.12 examples/s]',
  'Map (num_proc=8): 100%|██████████| 10000/10000 [00:02<00:00, 4321.00 examples/s]',
  'Generating train split: 12000 examples [00:01, 9012.33 examples/s]',
  'Tokenizing train dataset: 100%|██████████| 1000/1000 [00:01<00:00, 812.1 examples/s]',
  'Validation DataLoader 0: 100%|██████████| 10/10 [00:00<00:00, 31.2it/s]',
  'Sanity Checking DataLoader 0: 100%|██████████| 2/2 [00:00<00:00,  5.5it/s]',
  "{'eval_loss': 1.2, 'eval_runtime': 10.1, 'eval_samples_per_second': 98.7, 'eval_steps_per_second': 12.3}",
  'Fetched 12.3 MB in 3s (4,100 kB/s)',
  'ncclAllReduce busbw 123.4 GB/s',
  'achieved 210.3 TFLOP/s/GPU',
  'tokens/s/gpu: 1234',
  '1234.5 tokens/sec/GPU',
  '12.3 tokens per second per GPU',
  'Processed 100 files/s',
  'see https://example.com/10s/it for docs',
  'max_tokens/sequence: 4096',
  'Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 0.0 tokens/s, Running: 0 reqs',
  'tokens/s: nan',
  'took 12.3 s in total',
  'timeout: 30s',
];

describe('throughput', () => {
  it.each(golden)('reads %s', (line, value, unit) => {
    const found = throughputOf(line);
    expect(found?.unit).toBe(unit);
    expect(found?.value).toBeCloseTo(value, 9);
  });

  it.each(lookalikes)('is not taken in by %j', line => expect(throughputOf(line)).toBeNull());

  it('is the newest that the log tells, with its age', () => {
    const log = createLogTail();
    expect(newestThroughput(log.lines())).toBeNull();
    log.push(bytesOf('\r 1%|  | 1/100 [00:01<01:39,  1.00it/s]\r 2%|  | 2/100 [00:01<00:49,  2.00it/s]'), 1_000);
    expect(newestThroughput(log.lines())).toEqual({ value: 2, unit: 'it/s', atMs: 1_000 });
    log.push(bytesOf('\nsaving checkpoint\n'), 5_000);
    log.push(bytesOf('done\n'), 6_000);
    // The bar's line was ended at 5 s, but its figure is what was last drawn on it.
    expect(newestThroughput(log.lines())).toMatchObject({ value: 2, unit: 'it/s' });
  });

  it('takes no time over a line made to be slow', () => {
    const startMs = performance.now();
    for (const part of ['1', '1,', 'a ', 'time: 1 ', 'step ', '(ms):'])
      expect(throughputOf(part.repeat(100_000))).toBeNull();
    expect(performance.now() - startMs).toBeLessThan(1_000);
  });
});
