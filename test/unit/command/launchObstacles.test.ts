import { expect, test } from 'vitest';
import type { CommandLookup } from '../../../src/core/job/environment/commandLookup';
import { launchObstacles } from '../../../src/core/present/launchObstacles';

const question = {
  environment: { variables: new Map([['TOKEN', 'hunter2']]), functions: new Map() },
  cwd: '~/x',
  setup: ['source a'],
  word: 'torchrun',
};
const fine: CommandLookup = {
  folderMissing: false,
  failedSetup: [],
  command: { kind: 'found', path: '/x', realPath: null, interpreter: null },
  loginNodeOf: null,
};
const missing = (...candidates: readonly string[]): CommandLookup => ({
  ...fine,
  command: { kind: 'missing', word: 'torchrun', candidates },
});

test.each<[string, CommandLookup, RegExp]>([
  ['a missing command', missing(), /^There is no torchrun on box .* Check the spelling/],
  ['one in a venv', missing('/h/p/.venv/bin/torchrun'), /“source \/h\/p\/\.venv\/bin\/activate” into “setup”/],
  [
    'one of conda',
    missing('/h/miniconda3/envs/train/bin/torchrun'),
    /“source \/h\/miniconda3\/bin\/activate train” into/,
  ],
  ['one elsewhere', missing('/usr/local/cuda/bin/nvcc'), /write this path in the command/],
  ['no folder', { ...fine, folderMissing: true, command: null }, /The folder ~\/x is not on box/],
  ['a setup line', { ...fine, failedSetup: [{ line: 0, code: 1 }] }, /setup line 1, “source a”, ends with code 1/],
  ['a login node', { ...fine, loginNodeOf: 'sbatch' }, /box has no GPU.*sbatch/],
])('%s', (_, lookup, text) => {
  const [first, ...others] = launchObstacles('box', question, lookup);
  expect(others).toEqual([]);
  expect(`${first?.message ?? ''} ${first?.advice ?? ''}`).toMatch(text);
});

test('nothing is told where nothing is wrong, and never a value of the environment', () => {
  expect(launchObstacles('box', question, fine)).toEqual([]);
  expect(JSON.stringify(launchObstacles('box', question, missing()))).not.toContain('hunter2');
});

test('paths of a host carry no links', () => {
  const [obstacle] = launchObstacles('box', question, missing('/x](command:y)/$(bug)/torchrun'));
  expect(obstacle?.advice).not.toMatch(/\]\(|\$\(/);
});
