import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../src/core/base/clock';
import { linkLost } from '../../../src/core/errors';
import { oneShotScript, readOneShot } from '../../../src/core/host/remoteScript';
import type { Connection, RunResult } from '../../../src/control/ports';
import { run } from '../../support/processes';
import type { TestUser } from '../../support/users';

/** Runs scripts on this machine as a user, in the form and the shell in which they would reach a host. */
export interface LocalHost extends Pick<Connection, 'run'> {
  /** How long each script took, in milliseconds. */
  readonly tookMs: readonly number[];
  /** From now on every script is lost, as on a broken link. */
  breakLink(): void;
}

export function localHost(shell: string, user: TestUser, env: NodeJS.ProcessEnv = {}): LocalHost {
  const tookMs: number[] = [];
  let broken = false;
  return {
    tookMs,
    breakLink: () => (broken = true),
    async run(script): Promise<RunResult> {
      if (broken) return { kind: 'lost', failure: linkLost('box', 'cut') };
      const nonce = randomBytes(8).toString('hex');
      const [command = '', ...words] = shell.split(' ');
      const startedMs = performance.now();
      const done = await run(command, [...words, '-s'], {
        uid: user.uid,
        gid: user.gid,
        cwd: '/',
        env: { PATH: process.env['PATH'], HOME: user.home, ...env },
        input: oneShotScript(script, nonce),
        timeoutMs: 20_000,
      });
      tookMs.push(performance.now() - startedMs);
      const out = readOneShot(done.stdout, nonce);
      if (!out.begun) throw new Error(`${shell} ran nothing: ${done.stderr}`);
      return { kind: 'exited', code: out.code ?? done.code ?? 1, stdout: out.text, stderr: done.stderr };
    },
  };
}

export const clock: Clock = {
  nowMs: () => Date.now(),
  random: () => 0.5,
  after(delayMs, call) {
    const timer = setTimeout(call, delayMs);
    return { dispose: () => clearTimeout(timer) };
  },
};
