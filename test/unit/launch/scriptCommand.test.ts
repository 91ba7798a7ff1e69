import { describe, expect, it } from 'vitest';
import { scriptCommand } from '../../../src/core/job/command/scriptCommand';

describe('the command of a script', () => {
  it.each([
    ['train.py', 'python train.py'],
    ['scripts/run.sh', 'bash scripts/run.sh'],
    ["mia's/train.py", `python 'mia'\\''s/train.py'`],
    ['two words.py', `python 'two words.py'`],
    ['-x.py', 'python ./-x.py'],
    ['a;rm -rf b.sh', `bash 'a;rm -rf b.sh'`],
  ])('%s', (path, command) => expect(scriptCommand(path)).toBe(command));

  it.each(['notes.md', 'Makefile', 'toString', 'a.constructor'])('%s is no script', path =>
    expect(scriptCommand(path)).toBeNull(),
  );
});
