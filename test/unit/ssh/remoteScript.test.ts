import fc from 'fast-check';
import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import {
  isSendable,
  oneShotScript,
  readOneShot,
  readStreamLine,
  streamScript,
} from '../../../src/core/host/remoteScript';

const nonce = '0123456789abcdef';
const run = (script: string, shell: readonly string[]) =>
  spawnSync(shell[0] ?? '', [...shell.slice(1), '-s'], { input: script, encoding: 'utf8' });

describe.each([[['/bin/dash']], [['/bin/bash', '--posix']], [['/bin/busybox', 'sh']]])('in %j', shell => {
  test('a one-shot script gives its output, its errors and its code', () => {
    const done = run(oneShotScript('echo out; echo err >&2; cat; (exit 4)', nonce), shell);
    expect(readOneShot(done.stdout, nonce)).toEqual({ begun: true, text: 'out\n', code: 4 });
    expect(readOneShot(done.stderr, nonce)).toEqual({ begun: true, text: 'err\n', code: null });
  });

  test('a script that was cut off runs nothing', () => {
    const whole = oneShotScript('echo one\necho two\n', nonce);
    for (let length = 0; length < whole.indexOf('} </dev/null'); length++) {
      expect(run(whole.slice(0, length), shell).stdout).not.toContain('one\n');
    }
  });

  test('a stream is one group that leaves before anything after it could run', () => {
    const script = `printf '\\036%s ready\\n' "$NONCE"`;
    const done = run(`${streamScript(script, nonce)}echo sent too early\n`, shell);
    expect(done.stdout).toBe(`\n\x1e${nonce} ready\n`);
  });
});

test('what stands before the mark, and marks of another nonce, count for nothing', () => {
  const output = `motd \x1eBEGIN x\x1e\n\x1eBEGIN ${nonce}\x1e\na\x1eEND x 3\x1e\nb\x1eEND ${nonce} 0\x1e\n`;
  expect(readOneShot(output, nonce)).toEqual({ begun: true, text: 'a\x1eEND x 3\x1e\nb', code: 0 });
  expect(readOneShot('This account is not available\n', nonce)).toEqual({ begun: false, text: '', code: null });
});

test('only a line with the nonce is a control line', () => {
  expect(readStreamLine(`\x1e${nonce} frame 1`, nonce)).toEqual({ kind: 'control', words: 'frame 1' });
  const text = fc.string({ unit: 'binary' }).filter(line => !line.startsWith(`\x1e${nonce} `));
  fc.assert(fc.property(text, line => void expect(readStreamLine(line, nonce)).toEqual({ kind: 'text', text: line })));
});

test('nothing that a shell gives a meaning can be sent', () => {
  expect(['tick 1 gpu-0', 'a/b_c.d:e', ''].every(isSendable)).toBe(true);
  expect(['a\nb', '$(x)', '`x`', 'a;b', 'a\\', "'", '"', '*', 'ä'].some(isSendable)).toBe(false);
});
