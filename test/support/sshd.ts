import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Background, freePort, runOrThrow, signalProcess, startBackground, treeOf, until } from './processes';
import type { TestUserName } from './users';

export interface SshdOptions {
  /** Public keys that let a user in. */
  readonly authorizedKeys?: Partial<Record<TestUserName, readonly string[]>>;
  readonly hostKeyTypes?: readonly ('ed25519' | 'ecdsa' | 'rsa')[];
  readonly maxSessions?: number;
  /** Further lines of sshd_config; the first value of a keyword wins, and these come first. */
  readonly config?: readonly string[];
}

/** A real OpenSSH server on 127.0.0.1 with host keys of its own. */
export interface Sshd {
  readonly port: number;
  readonly folder: string;
  /** The public host key of a type, as one line "type base64". */
  hostKey(type: 'ed25519' | 'ecdsa' | 'rsa'): string;
  log(): string;
  authorize(user: TestUserName, keys: readonly string[]): void;
  /** Ends the processes that serve connections, as a crash would; the server itself lives. */
  killSessions(): void;
  /** How many TCP connections were accepted since the start. */
  connections(): number;
  stop(): Promise<void>;
  /** On the same port and with the same keys, after `stop`. */
  restart(): Promise<void>;
  /** Stops it and removes its files. */
  dispose(): Promise<void>;
}

export async function startSshd(options: SshdOptions = {}): Promise<Sshd> {
  if (!existsSync('/usr/sbin/sshd'))
    throw new Error('sshd is missing. On Debian, as root: apt-get install openssh-server');
  if (process.getuid?.() !== 0) throw new Error('Tests with a real sshd sign in as other users: run them as root.');
  // sshd separates its privileges in this folder, which Debian's service file makes.
  mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const folder = mkdtempSync(join(tmpdir(), 'hr-sshd-'));
  chmodSync(folder, 0o755);
  mkdirSync(join(folder, 'keys'), { mode: 0o755 });
  const types = options.hostKeyTypes ?? ['ed25519'];
  for (const type of types) {
    await runOrThrow('ssh-keygen', ['-q', '-t', type, '-N', '', '-f', join(folder, `host_${type}`)]);
  }
  const port = await freePort();
  const logFile = join(folder, 'log');
  const config = [
    ...(options.config ?? []),
    `Port ${port}`,
    'ListenAddress 127.0.0.1',
    ...types.map(type => `HostKey ${join(folder, `host_${type}`)}`),
    `PidFile ${join(folder, 'pid')}`,
    // Readable by the users it lets in: sshd reads it as them.
    `AuthorizedKeysFile ${join(folder, 'keys')}/%u`,
    'StrictModes no',
    'UsePAM yes',
    'PasswordAuthentication no',
    'KbdInteractiveAuthentication no',
    `MaxSessions ${options.maxSessions ?? 10}`,
    'LogLevel VERBOSE',
  ];
  writeFileSync(join(folder, 'config'), `${config.join('\n')}\n`);

  const log = (): string => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '');
  let server: Background | null = null;
  const start = async (): Promise<void> => {
    const before = log().length;
    server = startBackground('/usr/sbin/sshd', ['-D', '-f', join(folder, 'config'), '-E', logFile]);
    await until('sshd listens', () => log().slice(before).includes('Server listening on'));
  };
  const stop = async (): Promise<void> => {
    await server?.end();
    server = null;
  };
  const authorize = (user: TestUserName, keys: readonly string[]): void => {
    writeFileSync(join(folder, 'keys', user), `${keys.join('\n')}\n`, { mode: 0o644 });
  };
  for (const [user, keys] of Object.entries(options.authorizedKeys ?? {})) authorize(user as TestUserName, keys);
  await start();
  return {
    port,
    folder,
    hostKey: type =>
      readFileSync(join(folder, `host_${type}.pub`), 'utf8')
        .split(' ')
        .slice(0, 2)
        .join(' ')
        .trim(),
    log,
    authorize,
    killSessions() {
      const [first, ...below] = treeOf(server?.child.pid ?? 0);
      for (const { pid, parent } of below) if (parent === first?.pid) signalProcess(pid, 'SIGKILL');
      // Privilege separation: the process that holds the socket may be a grandchild.
      for (const { pid } of below) {
        try {
          signalProcess(pid, 'SIGKILL');
        } catch {
          // Gone with its parent.
        }
      }
    },
    connections: () => log().split('Connection from ').length - 1,
    stop,
    restart: start,
    async dispose() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
