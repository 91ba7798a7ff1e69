import { describe, expect, it } from 'vitest';
import type { CommandLookup } from '../../../src/core/job/environment/commandLookup';
import { findNumbers } from '../../../src/core/job/command/commandNumbers';
import { gpuOffer } from '../../../src/core/job/gpuOffer';
import {
  detachingObstacle,
  gpuChoices,
  gpuList,
  gpuQuestionText,
  interpreterText,
  noSuchGpu,
  numberChoices,
} from '../../../src/core/present/launchQuestions';
import { loadParser } from '../shell/parser';
import { gpu, mib } from './builders';

it('offers every number with what it does, the most useful first', async () => {
  const command = 'MAX_JOBS=8 torchrun --nproc-per-node 4 train.py --epochs 3 --max-seq-len 8192';
  const rows = numberChoices(findNumbers(command, new Map(), await loadParser()));
  expect(rows[0]).toMatchObject({ label: '--max-seq-len', description: '8192', detail: 'Smaller saves GPU memory' });
  expect(rows.map(({ label }) => label)).toContain('--epochs');
});

describe('GPUs to choose', () => {
  const card = (index: number, usedMib: number, owners: readonly string[] = [], jobs: readonly string[] = []) => ({
    reading: gpu(index, { memoryUsedBytes: usedMib * mib }),
    isFree: usedMib === 0,
    owners,
    attempts: jobs.map(job => ({ id: `${job} ${index}`, job })),
  });

  it('say what is free on them and who has the rest', () => {
    const offer = gpuOffer({ kind: 'anyFree', count: 1 }, [
      card(0, 71_200, ['mia']),
      card(1, 0),
      card(2, 30_000, ['me'], ['drafter']),
      card(3, 30_000),
    ]);
    expect(gpuChoices(offer)).toMatchObject([
      { label: 'GPU 0', description: 'in use · 26.1 of 95.6 GiB free', detail: 'Used by mia', picked: false },
      { label: 'GPU 1', description: 'free · 95.6 of 95.6 GiB free', detail: null, picked: true },
      { detail: 'Used by your job drafter, me' },
      { detail: '29.3 GiB used by nobody that can be seen' },
    ]);
    expect(gpuQuestionText(offer)).toBeNull();
  });

  it('are asked about in words', () => {
    const cards = [card(0, 30_000, [], ['drafter']), card(1, 30_000, [], ['drafter']), card(2, 0)];
    expect(gpuQuestionText(gpuOffer({ kind: 'anyFree', count: 2 }, cards))).toBe(
      '1 of the 2 GPUs that the job wants are free. Choose its GPUs.',
    );
    expect(gpuQuestionText(gpuOffer({ kind: 'unpinned' }, cards))).toBe(
      'drafter of yours runs on GPUs 0 and 1. The job is not pinned to GPUs and may take any.',
    );
  });

  it.each([
    [[], 'no GPU'],
    [[2], 'GPU 2'],
    [[1, 0], 'GPUs 0 and 1'],
    [[3, 1, 2, 0], 'GPUs 0–3'],
    [[0, 2, 5], 'GPUs 0, 2 and 5'],
  ])('%j reads as %s', (indices, text) => {
    expect(gpuList(indices)).toBe(text);
  });
});

it('shows what runs the command', () => {
  const found = { kind: 'found', path: '/v/bin/torchrun', realPath: null, interpreter: '/v/bin/python3' } as const;
  const lookup: CommandLookup = { folderMissing: false, failedSetup: [], command: found, loginNodeOf: null };
  expect(interpreterText(lookup, { shell: '/bin/zsh' })).toBe(
    'Runs /v/bin/torchrun, run by /v/bin/python3, in the environment of your zsh.',
  );
  expect(interpreterText(null, { shell: '/bin/zsh' })).toBeNull();
});

it('says what forbids a launch, and what to do', () => {
  const offer = gpuOffer(
    { kind: 'indices', indices: [5] },
    [0, 1, 2].map(index => ({ reading: gpu(index), isFree: true, owners: [], attempts: [] })),
  );
  expect(noSuchGpu('box', offer)).toMatchObject({
    message: 'box has no GPU 5.',
    advice: 'Choose among GPUs 0–2 in “gpus”.',
    passable: false,
  });
  const detaching = detachingObstacle({ kind: 'background', what: 'nohup … &', advice: 'Leave it out.' });
  expect(detaching).toMatchObject({ passable: false, advice: 'Leave it out.' });
  expect(detaching.message).toContain('“nohup … &”');
});
