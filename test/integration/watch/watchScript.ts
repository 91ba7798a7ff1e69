import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLineSplitter } from '../../../src/core/base/lines';
import { readStreamLine, streamScript } from '../../../src/core/host/remoteScript';
import { createWatchReader } from '../../../src/core/host/watchProtocol';
import type { GpuQueryState, HostIdentity, WatchFrame } from '../../../src/core/host/watchFrame';
import script from '../../../src/hosts/scripts/watch.sh';
import { endTree, signalProcess, until } from '../../support/processes';

/** watch.sh at work in a shell of this machine, without SSH between. */
export interface RunningWatch {
  readonly pid: number;
  readonly identity: HostIdentity;
  /** Where it may put its scratch files, and nobody else does. */
  readonly scratchPlace: string;
  scratchFolders(): readonly string[];
  tick(flags: string): Promise<WatchFrame>;
  /** Ticks with `flags` until that begins a query, then without, until the query stands as wanted. */
  tickUntil<K extends GpuQueryState['kind']>(
    kind: K,
    flags: string,
  ): Promise<GpuQueryState & { readonly kind: K } & { readonly uptimeMs: number }>;
  /** Bytes it has written so far. */
  bytes(): number;
  endInput(): void;
  signal(signal: NodeJS.Signals): void;
  /** Resolves with its exit code, null after a signal. */
  readonly ended: Promise<number | null>;
  /** What it wrote to stderr: nothing, if all is well. */
  stderr(): string;
  dispose(): Promise<void>;
}

export interface WatchSetUp {
  /** The words of the shell: `busybox sh`. */
  readonly shell: string;
  /** A folder of this test's own. */
  readonly dir: string;
  readonly nvidiaSmi: string;
  readonly path?: string;
  /** Further variables of the login. */
  readonly env?: Readonly<Record<string, string>>;
}

const nonce = 'b5d3a1c7';

export async function startWatch({ shell, dir, nvidiaSmi, path, env }: WatchSetUp): Promise<RunningWatch> {
  const scratchPlace = join(dir, 'run');
  mkdirSync(scratchPlace, { recursive: true });
  const [command, ...args] = [...shell.split(' '), '-s'];
  const child = spawn(command, args, {
    env: { PATH: path ?? process.env['PATH'], XDG_RUNTIME_DIR: scratchPlace, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error(`${shell} did not start`);

  const splitter = createLineSplitter();
  const reader = createWatchReader();
  let answer: (frame: WatchFrame) => void = () => undefined;
  let identity: HostIdentity | null = null;
  let stderr = '';
  let bytes = 0;
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    for (const line of splitter.push(chunk)) {
      const message = reader.push(readStreamLine(line, nonce));
      if (message?.kind === 'hello') ({ identity } = message);
      if (message?.kind === 'frame') answer(message.frame);
    }
  });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  child.stdin.write(streamScript(`HEADROOM_NVIDIA_SMI='${nvidiaSmi}'\n${script}`, nonce));

  const tick = (flags: string): Promise<WatchFrame> =>
    new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`tick ${flags} was not answered in 20 s`)), 20_000);
      answer = frame => {
        clearTimeout(timer);
        resolve(frame);
      };
      child.stdin.write(`tick ${flags}\n`);
    });
  return {
    pid,
    identity: await until(`the hello of ${shell} is there`, () => identity),
    scratchPlace,
    scratchFolders: () => readdirSync(scratchPlace),
    tick,
    async tickUntil(kind, flags) {
      let asked = flags;
      return until(`the GPU query is ${kind}`, async () => {
        const { gpu, queryStarted, uptimeSeconds } = await tick(asked);
        if (queryStarted) asked = '-';
        return asked === '-' && gpu.kind === kind
          ? { ...(gpu as GpuQueryState & { readonly kind: typeof kind }), uptimeMs: (uptimeSeconds ?? 0) * 1000 }
          : null;
      });
    },
    bytes: () => bytes,
    endInput: () => child.stdin.end(),
    signal: signal => signalProcess(pid, signal),
    ended,
    stderr: () => stderr,
    dispose: () => endTree(child),
  };
}
