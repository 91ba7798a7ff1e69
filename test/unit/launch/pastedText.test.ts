import { describe, expect, it } from 'vitest';
import { pastedText } from '../../../src/core/job/command/pastedText';

describe('what was pasted', () => {
  it.each([
    ['were dropped', 'cd trainpython train.py', 'cd train\npython train.py\n'],
    ['became blanks', 'cd train python train.py', 'cd train\npython train.py\n'],
    ['became one blank each, beside the indentation', 'do   train  done', 'do\r\n  train\r\n\ndone'],
  ])('has its line breaks back from the clipboard where they %s', (_, kept, clipboard) =>
    expect(pastedText(kept, clipboard)).toBe(clipboard),
  );

  it.each([
    ['was changed since', 'cd trainpython train.py --x 1', 'cd train\npython train.py'],
    ['is one line', 'python train.py', 'python train.py\n'],
    ['is something else', 'python train.py', 'a password\nand more'],
    ['is empty', 'python train.py', ''],
  ])('stands as it is where the clipboard %s', (_, kept, clipboard) => expect(pastedText(kept, clipboard)).toBe(kept));
});
