import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { streamScript } from '../../../src/core/host/remoteScript';
import { createStreamReader } from '../../../src/core/host/streamReader';
import { createFollowReader, type FollowMessage } from '../../../src/core/job/log/followProtocol';
import script from '../../../src/hosts/scripts/follow.sh';
import { endTree, until } from '../../support/processes';

/** follow.sh at work in a shell of this machine, without SSH between. */
export interface RunningFollow {
  readonly pid: number;
  send(line: string): void;
  /** Ticks once; gives all that the frame held, pieces of bytes joined, the end included. */
  tick(bytes?: number): Promise<readonly FollowMessage[]>;
  endInput(): void;
  /** Resolves with its exit code, null after a signal. */
  readonly ended: Promise<number | null>;
  /** What it wrote to stderr: nothing, if all is well. */
  stderr(): string;
  dispose(): Promise<void>;
}

const nonce = 'b5d3a1c7';

export async function startFollow(
  shell: string,
  jobs: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunningFollow> {
  const [command, ...args] = [...shell.split(' '), '-s'];
  const child = spawn(command, args, { env: { PATH: process.env['PATH'], ...env }, stdio: 'pipe' });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${shell} did not start`);

  const stream = createStreamReader(nonce);
  const reader = createFollowReader();
  let ready = false;
  let frame: FollowMessage[] = [];
  let answer: (frame: readonly FollowMessage[]) => void = () => undefined;
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (chunk: Buffer) => {
    for (const line of stream.push(chunk)) {
      if (line.kind === 'control' && line.words === 'ready') ready = true;
      const message = reader.push(line);
      if (message === null) continue;
      const last = frame.at(-1);
      if (message.kind === 'bytes' && last?.kind === 'bytes' && last.offset + last.bytes.length === message.offset)
        frame[frame.length - 1] = { ...last, bytes: Buffer.concat([last.bytes, message.bytes]) };
      else frame.push(message.kind === 'bytes' ? { ...message, bytes: Buffer.from(message.bytes) } : message);
      if (message.kind !== 'end') continue;
      answer(frame);
      frame = [];
    }
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  child.stdin.write(streamScript(`JOBS='${jobs}'\n${script}`, nonce));
  await until(`${shell} is ready`, () => ready);
  return {
    pid,
    send: line => void child.stdin.write(`${line}\n`),
    tick: (bytes = 1_048_576) =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('a tick was not answered in 20 s')), 20_000);
        answer = messages => {
          clearTimeout(timer);
          resolve(messages);
        };
        child.stdin.write(`tick ${bytes}\n`);
      }),
    endInput: () => child.stdin.end(),
    ended,
    stderr: () => stderr,
    dispose: () => endTree(child),
  };
}
