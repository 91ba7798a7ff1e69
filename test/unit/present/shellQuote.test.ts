import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellQuote } from '../../../src/hosts/shellQuote';

describe('shellQuote', () => {
  it.each(['/usr/bin/nvidia-smi', "it's", '$(id)', '`id`', '\\', '"', 'a b;c&d|e', '~', '*', ''])(
    'keeps %j one word in a real shell',
    text => {
      const printed = execFileSync('/bin/sh', ['-s'], { input: `printf %s ${shellQuote(text)}`, encoding: 'utf8' });
      expect(printed).toBe(text);
    },
  );

  it.each(['a\nb', 'a\rb', 'a\u0000b', '\u001b[0m', '\u0085'])('refuses %j', text => {
    expect(shellQuote(text)).toBeNull();
  });
});
