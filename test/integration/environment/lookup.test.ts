import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CommandLookup, LookupQuestion } from '../../../src/core/job/environment/commandLookup';
import { jobEnvironment } from '../../../src/core/job/environment/jobEnvironment';
import type { ShellEnvironment } from '../../../src/core/job/environment/shellEnvironment';
import { startSshd, type Sshd } from '../../support/sshd';
import { ensureTestUser, writeInHome, type TestUser } from '../../support/users';
import { makeKey } from '../ssh/rig';
import { keptFiles } from './keptFiles';
import { signIn, type SignedIn } from './signIn';

let sshd: Sshd;
let keys: string;
let user: TestUser;
let session: SignedIn;
const files = keptFiles();

const program = (name: string, text: string): void => {
  writeInHome(user, name, text);
  chmodSync(join(user.home, name), 0o755);
};

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'hr-keys-'));
  user = await ensureTestUser('hr-bob');
  sshd = await startSshd({ authorizedKeys: { 'hr-bob': [await makeKey(join(keys, 'id'))] } });

  // What `conda init` writes, below the guard of a stock .bashrc, and the least that it needs.
  files.keep(join(user.home, '.bashrc'));
  const conda = join(user.home, 'miniconda3');
  const block = `
# >>> conda initialize >>>
__conda_setup="$('${conda}/bin/conda' 'shell.bash' 'hook' 2> /dev/null)"
if [ $? -eq 0 ]; then
    eval "$__conda_setup"
else
    export PATH="/nowhere:$PATH"
fi
unset __conda_setup
# <<< conda initialize <<<
hr_module() { echo "loaded {$1}"; }
export -f hr_module
`;
  writeInHome(user, '.bashrc', readFileSync('/etc/skel/.bashrc', 'utf8') + block);
  program('miniconda3/bin/conda', `#!/bin/sh\necho 'export PATH="${conda}/bin:$PATH" CONDA_DEFAULT_ENV=base'\n`);
  program('miniconda3/bin/python', '#!/bin/sh\n');
  program('miniconda3/bin/torchrun', `#!${conda}/bin/python\n`);
  program('miniconda3/envs/train/bin/hr-tool', '#!/bin/sh\n');
  program('hr-proj/.venv/bin/hr-tool', '#!/usr/bin/env python\n');
  program('hr-proj/run me.sh', '#!/bin/bash -eu\n');
  writeInHome(user, 'hr-proj/.venv/bin/activate', 'export PATH="$PWD/.venv/bin:$PATH"\n');
  session = await signIn(sshd, 'hr-bob', join(keys, 'id'));
});

afterAll(async () => {
  session.dispose();
  files.restore();
  rmSync(join(user.home, 'miniconda3'), { recursive: true, force: true });
  rmSync(join(user.home, 'hr-proj'), { recursive: true, force: true });
  await sshd.dispose();
  rmSync(keys, { recursive: true, force: true });
});

async function login(env: ReadonlyMap<string, string> = new Map()): Promise<ShellEnvironment> {
  const result = await session.probe.capture(session.connection, null);
  if (result.kind === 'failed') throw new Error(result.failure.message);
  return jobEnvironment(result.environment, env);
}

async function ask(question: Partial<LookupQuestion>) {
  const environment = question.environment ?? (await login());
  return session.probe.lookUp(session.connection, {
    cwd: '~/hr-proj',
    setup: [],
    word: null,
    ...question,
    environment,
  });
}

async function lookUp(question: Partial<LookupQuestion>): Promise<CommandLookup> {
  const result = await ask(question);
  if (result.kind !== 'answered') throw new Error(JSON.stringify(result));
  return result.lookup;
}

describe('the command of a job', () => {
  test('is conda’s python, though conda is set up below the guard of a stock .bashrc', async () => {
    const { command } = await lookUp({ word: 'python' });
    expect(command).toMatchObject({ kind: 'found', path: '/home/hr-bob/miniconda3/bin/python' });
  });

  test('is told with the interpreter that runs it', async () => {
    const { command } = await lookUp({ word: 'torchrun' });
    expect(command).toMatchObject({ interpreter: '/home/hr-bob/miniconda3/bin/python', realPath: null });
  });

  test('is found behind the setup lines, by env too', async () => {
    const { command, failedSetup } = await lookUp({
      word: 'hr-tool',
      setup: ['source .venv/bin/activate', 'echo noise'],
    });
    expect(failedSetup).toEqual([]);
    expect(command).toEqual({
      kind: 'found',
      path: '/home/hr-bob/hr-proj/.venv/bin/hr-tool',
      realPath: null,
      interpreter: '/home/hr-bob/miniconda3/bin/python',
    });
  });

  test('that is missing is told with where it lies all the same, the nearest first', async () => {
    expect((await lookUp({ word: 'hr-tool' })).command).toEqual({
      kind: 'missing',
      word: 'hr-tool',
      candidates: ['/home/hr-bob/hr-proj/.venv/bin/hr-tool', '/home/hr-bob/miniconda3/envs/train/bin/hr-tool'],
    });
    expect((await lookUp({ word: 'hr-nowhere' })).command).toMatchObject({ kind: 'missing', candidates: [] });
  });

  test('may be a path with blanks, of the job’s folder', async () => {
    const { command } = await lookUp({ word: './run me.sh' });
    expect(command).toMatchObject({ kind: 'found', path: './run me.sh', interpreter: '/bin/bash' });
    expect((await lookUp({ word: './gone' })).command).toMatchObject({ kind: 'missing', candidates: [] });
  });

  test('may be a function that the login hands on', async () => {
    expect((await lookUp({ word: 'hr_module' })).command).toMatchObject({ kind: 'found', path: 'hr_module' });
  });

  test('cannot run as shell text', async () => {
    const word = `$(touch ~/hr-proj/ran) '; touch ~/hr-proj/ran; '`;
    expect((await lookUp({ word, cwd: '~/hr-proj' })).command).toMatchObject({ kind: 'missing', word });
    expect((await lookUp({ cwd: '~/$(touch ran)' })).folderMissing).toBe(true);
    expect(existsSync(join(user.home, 'hr-proj/ran'))).toBe(false);
  });
});

describe('what stands before it', () => {
  test('a folder that is not there', async () => {
    const lookup = await lookUp({ cwd: '~/hr-gone', word: 'python' });
    expect(lookup).toMatchObject({ folderMissing: true, command: null });
  });

  test('setup lines that fail are told by their place', async () => {
    const { failedSetup } = await lookUp({ setup: ['true', 'source gone/activate', 'true', '(exit 7)'] });
    expect(failedSetup).toEqual([
      { line: 1, code: 1 },
      { line: 3, code: 7 },
    ]);
  });

  test.each([['exit 0'], ['if true; then'], ['echo "']])('a setup line that breaks the rest: %s', async line => {
    expect((await ask({ setup: [line], word: 'python' })).kind).toBe('setupBroken');
  });

  test('setup lines get nothing to read, and the job’s environment', async () => {
    const environment = await login(new Map([['HR_VALUE', `a\n'b' = "$c"`]]));
    const setup = ['! read -r _', `[ "$HR_VALUE" = "$(printf 'a\\n%s' "'b' = \\"\\$c\\"")" ]`, '[ -z "$SSH_CLIENT" ]'];
    expect((await lookUp({ environment, setup })).failedSetup).toEqual([]);
  });
});

test('a scheduler without a GPU is a login node', async () => {
  program('hr-proj/slurm/sbatch', '#!/bin/sh\n');
  const place = join(user.home, 'hr-proj/slurm');
  const environment = {
    variables: new Map([
      ['PATH', place],
      ['HOME', user.home],
    ]),
    functions: new Map(),
  };
  const hasGpu = existsSync('/dev/nvidia0') || existsSync('/dev/kfd') || existsSync('/dev/dxg');
  expect((await lookUp({ environment })).loginNodeOf).toBe(hasGpu ? null : 'sbatch');
  program('hr-proj/slurm/nvidia-smi', '#!/bin/sh\n');
  expect((await lookUp({ environment })).loginNodeOf).toBeNull();
  expect(
    (await lookUp({ environment: { ...environment, variables: new Map([['PATH', '/usr/bin']]) } })).loginNodeOf,
  ).toBeNull();
});

test('no secret of the job is in any argument list, log or answer', async () => {
  const environment = await login(new Map([['TOKEN', 'hunter2-planted']]));
  const leaks = join(user.home, 'hr-proj/leaks');
  // The pattern does not match itself.
  const setup = [`[ "$TOKEN" = hunter2-"planted" ]`, `grep -las 'hunter2-plante[d]' /proc/[0-9]*/cmdline >leaks; true`];
  const result = await ask({ environment, setup, word: 'python' });
  expect(result).toMatchObject({ kind: 'answered', lookup: { failedSetup: [] } });
  expect(readFileSync(leaks, 'utf8')).toBe('');
  const broken = await ask({ environment, setup: ['exit'], word: 'python' });
  expect(JSON.stringify([result, broken])).not.toContain('hunter2');
  expect(session.log.join('\n') + sshd.log()).not.toContain('hunter2');
});
