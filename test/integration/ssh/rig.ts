import { build } from 'esbuild';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type {
  Connection,
  ConnectResult,
  HostConnector,
  HostKeyQuestion,
  HostStream,
  KeyboardQuestion,
  Prompts,
  RunResult,
  SecretQuestion,
} from '../../../src/control/ports';
import type { Failure } from '../../../src/core/errors';
import { hostSpec } from '../../../src/core/host/hostSpec';
import type { StreamLine } from '../../../src/core/host/remoteScript';
import { createSshConnector } from '../../../src/hosts/ssh/connector';
import { runOrThrow, until } from '../../support/processes';

export interface RigOptions {
  readonly host?: string;
  readonly port: number;
  readonly user: string;
  /** Lines for the tested host; the first value of a keyword wins. */
  readonly config?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What is in known_hosts at the start; the file is missing by default. */
  readonly knownHosts?: string;
}

/** A user's machine: an SSH configuration, known hosts and a connector of its own. The host's alias is "box". */
export interface Rig {
  readonly folder: string;
  readonly knownHostsFile: string;
  readonly connector: HostConnector;
  /** Everything that was logged. */
  readonly log: readonly string[];
  readonly steps: readonly string[];
  knownHosts(): string;
  connect(prompts?: Prompts | null, signal?: AbortSignal): Promise<ConnectResult>;
  /** As `connect`, for tests that are about what comes after it. */
  connected(prompts?: Prompts | null): Promise<Connection>;
  /** As `connect`, for tests about why not. */
  refused(prompts?: Prompts | null): Promise<Failure>;
  dispose(): void;
}

let workerFile: Promise<string> | null = null;

/** The bundle of the key worker, built once for each test file, among the files that git ignores. */
export function keyWorkerFile(): Promise<string> {
  workerFile ??= (async () => {
    const outfile = resolve('.artifacts', 'keyWorker.cjs');
    await build({
      entryPoints: ['src/hosts/ssh/keyWorker.ts'],
      outfile,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      external: ['cpu-features', '*.node'],
      logLevel: 'error',
    });
    return outfile;
  })();
  return workerFile;
}

export async function createRig(options: RigOptions): Promise<Rig> {
  const folder = mkdtempSync(join(tmpdir(), 'hr-rig-'));
  const knownHostsFile = join(folder, 'ssh', 'known_hosts');
  if (options.knownHosts !== undefined) {
    mkdirSync(join(folder, 'ssh'), { mode: 0o700 });
    writeFileSync(knownHostsFile, options.knownHosts, { mode: 0o600 });
  }
  const configFile = join(folder, 'config');
  const config = [
    'Host box',
    `  HostName ${options.host ?? '127.0.0.1'}`,
    `  Port ${options.port}`,
    `  User ${options.user}`,
    ...(options.config ?? []).map(line => `  ${line}`),
    'Host *',
    `  UserKnownHostsFile ${knownHostsFile}`,
    '  GlobalKnownHostsFile /dev/null',
    '  IdentityFile none',
    '  IdentityAgent none',
    '  HashKnownHosts no',
  ];
  writeFileSync(configFile, `${config.join('\n')}\n`);
  const log: string[] = [];
  const write = (message: string): void => void log.push(message);
  const connector = createSshConnector({
    configFile: () => configFile,
    env: { PATH: process.env['PATH'] ?? '', ...options.env },
    homeDir: folder,
    log: { info: write, warn: write, error: write },
    keyWorkerFile: await keyWorkerFile(),
  });
  const steps: string[] = [];
  const open: Connection[] = [];
  const rig: Rig = {
    folder,
    knownHostsFile,
    connector,
    log,
    steps,
    knownHosts: () => (existsSync(knownHostsFile) ? readFileSync(knownHostsFile, 'utf8') : ''),
    async connect(prompts = null, signal = new AbortController().signal) {
      const onStep = (step: string): void => void steps.push(step);
      const result = await connector.connect(hostSpec('box'), { prompts, onStep, signal });
      if (result.kind === 'connected') open.push(result.connection);
      return result;
    },
    async connected(prompts = null) {
      const result = await rig.connect(prompts);
      if (result.kind === 'failed')
        throw new Error(`${result.failure.message} ${result.failure.advice}\n${log.join('\n')}`);
      return result.connection;
    },
    async refused(prompts = null) {
      const result = await rig.connect(prompts);
      if (result.kind === 'connected') throw new Error('connected, and should not have been');
      return result.failure;
    },
    dispose() {
      for (const connection of open) connection.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return rig;
}

/** A user who answers as told and remembers what they were asked. Declines what they were not told about. */
export interface Answering extends Prompts {
  readonly keys: HostKeyQuestion[];
  readonly secrets: SecretQuestion[];
  readonly rounds: KeyboardQuestion[];
}

export function answering(answers: {
  readonly accept?: boolean;
  readonly secrets?: readonly (string | null)[];
  readonly rounds?: readonly (readonly string[] | null)[];
}): Answering {
  const keys: HostKeyQuestion[] = [];
  const secrets: SecretQuestion[] = [];
  const rounds: KeyboardQuestion[] = [];
  return {
    keys,
    secrets,
    rounds,
    acceptHostKey(question) {
      keys.push(question);
      return Promise.resolve(answers.accept ?? false);
    },
    secret(question) {
      secrets.push(question);
      return Promise.resolve(answers.secrets?.[secrets.length - 1] ?? null);
    },
    answers(question) {
      rounds.push(question);
      return Promise.resolve(answers.rounds?.[rounds.length - 1] ?? null);
    },
  };
}

/** Makes a key pair with ssh-keygen and gives its public line, "type base64". */
export async function makeKey(
  file: string,
  { type = 'ed25519', passphrase = '', format = [] as readonly string[] } = {},
): Promise<string> {
  await runOrThrow('ssh-keygen', ['-q', '-t', type, '-N', passphrase, '-f', file, ...format]);
  return readFileSync(`${file}.pub`, 'utf8').split(' ').slice(0, 2).join(' ').trim();
}

export function exited(result: RunResult): Extract<RunResult, { kind: 'exited' }> {
  if (result.kind !== 'exited') throw new Error(JSON.stringify(result));
  return result;
}

/** A stream whose lines and end are kept. */
export async function startStream(connection: Connection, script: string, readyDeadlineMs = 10_000) {
  const lines: StreamLine[] = [];
  const ends: Failure[] = [];
  const result = await connection.openStream(script, {
    readyDeadlineMs,
    onLine: line => lines.push(line),
    onEnd: failure => ends.push(failure),
  });
  if (result.kind === 'failed') throw new Error(result.failure.message);
  const stream: HostStream = result.stream;
  const line = (index: number): Promise<StreamLine> => until(`line ${index} came`, () => lines[index], 10_000);
  return { stream, lines, ends, line };
}

/** Answers each line that it is sent, as a control line and as text; ends when its input ends. */
export const echoScript = `printf '\\036%s ready\\n' "$NONCE"
while IFS= read -r line; do
  printf '\\036%s echo %s\\n' "$NONCE" "$line"
  printf 'text %s\\n' "$line"
done`;
