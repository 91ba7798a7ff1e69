import { randomBytes } from 'node:crypto';
import type { ClientChannel } from 'ssh2';
import type { RunOptions, RunResult } from '../../control/ports';
import { cancelled, deadlinePassed, linkLost, noCommands, tooMuchOutput, type Failure } from '../../core/errors';
import { oneShotScript, readOneShot } from '../../core/host/remoteScript';
import type { Channels } from './channels';

/** After the exit status, output that is still on its way is waited for so long: children of the script may hold it open. */
const drainMs = 250;

const mostOutputBytes = 32 * 1024 * 1024;

export interface RunContext {
  readonly host: string;
  readonly channels: Channels;
  /** A deadline passed: find out whether anybody is there, and end the link if not. */
  readonly suspectLink: () => void;
}

/** Runs a script in the one-shot form. The deadline counts from this call, so a link that is dead cannot hang its caller. */
export function runScript(context: RunContext, script: string, options: RunOptions): Promise<RunResult> {
  const { host, channels } = context;
  const { deadlineMs, signal } = options;
  const nonce = randomBytes(16).toString('hex');
  return new Promise(resolve => {
    const pending = channels.open();
    let channel: ClientChannel | null = null;

    const settle = (result: RunResult): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      pending.abandon();
      channel?.close();
      resolve(result);
    };
    const lose = (failure: Failure): void => settle({ kind: 'lost', failure });
    const onAbort = (): void => lose(cancelled());
    const timer = setTimeout(() => {
      lose(deadlinePassed(host, deadlineMs));
      if (pending.asked) context.suspectLink();
    }, deadlineMs);
    signal?.addEventListener('abort', onAbort, { once: true });
    if (signal?.aborted === true) return onAbort();

    void pending.result.then(opened => {
      if (opened.kind === 'failed') return lose(opened.failure);
      channel = opened.channel;
      readResult(channel, nonce, { host, channels, lose, settle });
      channel.end(oneShotScript(script, nonce));
    });
  });
}

interface Reading {
  readonly host: string;
  readonly channels: Channels;
  readonly lose: (failure: Failure) => void;
  readonly settle: (result: RunResult) => void;
}

function readResult(channel: ClientChannel, nonce: string, { host, channels, lose, settle }: Reading): void {
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let bytes = 0;
  const collect =
    (into: Buffer[]) =>
    (chunk: Buffer): void => {
      bytes += chunk.length;
      if (bytes > mostOutputBytes) lose(tooMuchOutput(host));
      else into.push(chunk);
    };
  channel.on('data', collect(stdout));
  channel.stderr.on('data', collect(stderr));

  let ending: { readonly code: number | null; readonly signal: string | undefined } | null = null;
  const finish = (): void => {
    if (ending === null) return lose(channels.ended ?? linkLost(host, 'the session ended without an exit status'));
    const out = readOneShot(Buffer.concat(stdout).toString('utf8'), nonce);
    if (!out.begun) return lose(noCommands(host));
    const errors = readOneShot(Buffer.concat(stderr).toString('utf8'), nonce).text;
    const texts = { stdout: out.text, stderr: errors };
    const code = out.code ?? ending.code;
    if (code !== null) settle({ kind: 'exited', code, ...texts });
    else settle({ kind: 'signalled', signal: ending.signal ?? 'unknown', ...texts });
  };
  channel.once('exit', (code: number | null, signal?: string) => {
    ending = { code, signal };
    setTimeout(finish, drainMs).unref();
  });
  channel.once('close', finish);
}
