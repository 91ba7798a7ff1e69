import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readClaims } from '../../../src/core/job/directory/telling';
import { jobScripts } from '../../../src/hosts/jobScripts';
import { run } from '../../support/processes';

describe.each(['dash', 'busybox sh', 'bash'])('tell.sh in %s', shell => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "hr-tell it's-"));
    writeFileSync(join(folder, 'log'), 'step 1\nclaimed 7\n 50%\r100%\nRuntimeError: no');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const runScript = async (script: string): Promise<string> => {
    const [command = '', ...words] = shell.split(' ');
    const done = await run(command, [...words, '-s'], { input: script, cwd: '/' });
    expect(done.stderr).toBe('');
    return done.stdout;
  };
  const claim = async (...folders: readonly string[]) => readClaims(await runScript(jobScripts.claimTelling(folders)));

  it('gives an end to the first who asks, with the last lines of the log', async () => {
    const ours = { index: 1, lastLines: ['step 1', 'claimed 7', ' 50%', '100%', 'RuntimeError: no'] };
    expect(await claim('/no/such/folder', folder)).toEqual([ours]);
    expect(await claim('/no/such/folder', folder)).toEqual([]);
  });

  it('gives it to one of ten who ask at the same time', async () => {
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(folder)));
    expect(claims.flat()).toHaveLength(1);
  });

  it('gives it to another when it was not told in two minutes, and to nobody once it was told', async () => {
    await claim(folder);
    const minutesAgo = (Date.now() - 5 * 60_000) / 1000;
    utimesSync(join(folder, 'telling'), minutesAgo, minutesAgo);
    expect(await claim(folder)).toHaveLength(1);
    await runScript(jobScripts.writeTold([folder]));
    expect(readFileSync(join(folder, 'told'), 'utf8')).toMatch(/^format=1\nat=\d+\n$/);
    utimesSync(join(folder, 'telling'), minutesAgo, minutesAgo);
    expect(await claim(folder)).toEqual([]);
  });

  it('writes nothing into a folder that is not there', async () => {
    await runScript(jobScripts.writeTold([join(folder, 'gone')]));
    expect(existsSync(join(folder, 'gone'))).toBe(false);
    expect(existsSync(join(folder, 'told'))).toBe(false);
  });
});
