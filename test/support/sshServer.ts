import { spawn } from 'node:child_process';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import ssh2, { type AuthContext, type Connection, type Server } from 'ssh2';

export interface FakeServerOptions {
  /** Text of a private key; a new Ed25519 key by default. */
  readonly hostKey?: string;
  /** Decides each attempt; by default everybody is let in. */
  readonly auth?: (attempt: AuthContext) => void;
  /** Sessions per connection. */
  readonly maxSessions?: number;
  readonly banner?: string;
  /** What is run whatever was asked for. */
  readonly command?: string;
  /** Ways of compression that it insists on. */
  readonly compress?: readonly string[];
}

/** An SSH server inside the test, for what a real one does only by accident. Runs commands as the user of the test. */
export interface FakeServer {
  readonly port: number;
  /** Accepted TCP connections since the start. */
  readonly connections: number;
  /** The public key as base64 of its blob. */
  readonly hostKeyBase64: string;
  /** Attempts to sign in, by method, in order. */
  readonly attempts: readonly string[];
  /** From now on the sockets stay open and nothing is read or answered, as when the network dies. */
  freeze(): void;
  /** Drops all connections without a word. */
  cut(): void;
  stop(): Promise<void>;
}

export async function startFakeServer(options: FakeServerOptions = {}): Promise<FakeServer> {
  const hostKey = options.hostKey ?? ssh2.utils.generateKeyPairSync('ed25519').private;
  const parsed = ssh2.utils.parseKey(hostKey);
  if ('message' in parsed) throw parsed;
  const attempts: string[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;

  const server: Server = new ssh2.Server(
    {
      hostKeys: [hostKey],
      ...(options.banner === undefined ? {} : { banner: options.banner }),
      ...(options.compress === undefined ? {} : { algorithms: { compress: options.compress as never } }),
    },
    client => {
      client.on('error', () => undefined);
      client.on('authentication', attempt => {
        attempts.push(attempt.method);
        if (options.auth === undefined) attempt.accept();
        else options.auth(attempt);
      });
      client.on('request', (_accept, reject) => reject?.());
      serveSessions(client, options.maxSessions ?? 10, options.command);
    },
  );
  // A listener of our own hands sockets over, so that the test can freeze and cut them.
  const listener = createTcpServer(socket => {
    connections++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    server.injectSocket(socket);
  });
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  const cut = (): void => sockets.forEach(socket => socket.destroy());
  return {
    port: (listener.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    hostKeyBase64: parsed.getPublicSSH().toString('base64'),
    attempts,
    freeze() {
      for (const socket of sockets) {
        socket.removeAllListeners('data');
        socket.pause();
        socket.write = () => true;
      }
    },
    cut,
    async stop() {
      cut();
      await new Promise(resolve => listener.close(resolve));
    },
  };
}

function serveSessions(client: Connection, mostSessions: number, forced?: string): void {
  let open = 0;
  client.on('session', (accept, reject) => {
    if (open >= mostSessions) return reject();
    open++;
    const session = accept();
    session.on('exec', (acceptExec, _rejectExec, { command }) => {
      const channel = acceptExec();
      const child = spawn('/bin/sh', ['-c', forced ?? command], { stdio: 'pipe' });
      channel.pipe(child.stdin).on('error', () => undefined);
      child.stdout.on('data', (chunk: Buffer) => channel.write(chunk));
      child.stderr.on('data', (chunk: Buffer) => channel.stderr.writable && channel.stderr.write(chunk));
      child.on('close', code => {
        if (code !== null) channel.exit(code);
        channel.end();
      });
      channel.on('close', () => {
        open--;
        child.stdin.destroy();
        child.kill('SIGTERM');
      });
    });
  });
}

/** A server that accepts TCP connections and does what `onSocket` says: nothing, or hanging up. */
export async function startTcpServer(
  onSocket: (socket: Socket) => void,
): Promise<{ port: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const listener = createTcpServer(socket => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    onSocket(socket);
  });
  await new Promise<void>(resolve => listener.listen(0, '127.0.0.1', resolve));
  return {
    port: (listener.address() as AddressInfo).port,
    async stop() {
      sockets.forEach(socket => socket.destroy());
      await new Promise(resolve => listener.close(resolve));
    },
  };
}
