import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import ssh2, { type AuthContext, type Connection, type ParsedKey, type ServerChannel } from 'ssh2';
import { endAllWith, endTree } from './processes';

const { Server, utils } = ssh2;

export interface DemoHost {
  readonly port: number;
  /** An ssh configuration that knows this host under its alias, and nothing of the developer's own. */
  readonly configFile: string;
  readonly knownHostsFile: string;
  readonly keyFile: string;
  end(): Promise<void>;
}

export interface DemoHostOptions {
  readonly alias: string;
  /** A folder of our own, 0700: keys, configuration and the host's HOME go here. */
  readonly folder: string;
  /** Commands run with this environment, HOME apart. */
  readonly env: NodeJS.ProcessEnv;
}

/**
 * An SSH host inside this process, on 127.0.0.1 and a random port. It needs no root and no system package. The only login is
 * a key that is made for this run and readable by nobody else. Commands run as ourselves.
 */
export async function startDemoHost({ alias, folder, env }: DemoHostOptions): Promise<DemoHost> {
  const hostKey = utils.generateKeyPairSync('ed25519');
  const login = utils.generateKeyPairSync('ed25519', { comment: 'headroom demo' });
  const loginKey = parsed(login.public);
  const user = userInfo().username;
  const home = join(folder, 'home');
  mkdirSync(home, { mode: 0o700 });

  const children = new Set<ChildProcess>();
  const clients = new Set<Connection>();
  const server = new Server({ hostKeys: [hostKey.private] }, client => {
    clients.add(client);
    // A client that goes away in the middle of something is no trouble of the host's.
    client.on('error', () => undefined);
    client.on('close', () => clients.delete(client));
    client.on('authentication', context => {
      if (mayLogIn(context, user, loginKey)) context.accept();
      else context.reject(['publickey']);
    });
    client.on('session', accept => {
      accept().on('exec', (acceptExec, _reject, { command }) => {
        const child = spawn('/bin/sh', ['-c', command], { cwd: home, env: { ...env, HOME: home }, stdio: 'pipe' });
        children.add(child);
        child.on('close', () => children.delete(child));
        connectChannel(acceptExec(), child);
      });
    });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  const at = (name: string): string => join(folder, name);
  const secret = { mode: 0o600 };
  writeFileSync(at('key'), login.private, secret);
  writeFileSync(at('known_hosts'), '', secret);
  const lines = [
    `Host ${alias}`,
    '  HostName 127.0.0.1',
    `  Port ${port}`,
    `  User ${user}`,
    // Whatever else is typed there, such as this host by its address, keeps to this run's files too.
    'Host *',
    `  IdentityFile ${at('key')}`,
    '  IdentitiesOnly yes',
    '  IdentityAgent none',
    `  UserKnownHostsFile ${at('known_hosts')}`,
    '  GlobalKnownHostsFile /dev/null',
  ];
  writeFileSync(at('ssh_config'), `${lines.join('\n')}\n`, secret);

  return {
    port,
    configFile: at('ssh_config'),
    knownHostsFile: at('known_hosts'),
    keyFile: at('key'),
    async end() {
      const closed = new Promise(resolve => server.close(resolve));
      for (const client of clients) client.end();
      await Promise.all([...children].map(endTree));
      // Jobs live on without a connection, and their files go with this host.
      await endAllWith(`HOME=${home}`);
      await closed;
    },
  };
}

function parsed(key: string): ParsedKey {
  const result = utils.parseKey(key);
  if (result instanceof Error) throw result;
  return result;
}

/** A signature is asked for in a second step; the first only asks whether the key would do. */
function mayLogIn(context: AuthContext, user: string, key: ParsedKey): boolean {
  if (context.method !== 'publickey' || context.username !== user) return false;
  if (context.key.algo !== key.type || !key.getPublicSSH().equals(context.key.data)) return false;
  if (context.signature === undefined) return true;
  return context.blob !== undefined && key.verify(context.blob, context.signature, context.hashAlgo);
}

function connectChannel(channel: ServerChannel, child: ReturnType<typeof spawn>): void {
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('The command has no pipes.');
  // Either side may go first; the other then writes into nothing.
  for (const stream of [channel, stdin]) stream.on('error', () => undefined);
  channel.pipe(stdin);
  stdout.pipe(channel, { end: false });
  stderr.pipe(channel.stderr, { end: false });
  child.on('close', (code, signal) => {
    if (signal === null) channel.exit(code ?? 1);
    else channel.exit(signal.replace(/^SIG/, ''));
    channel.end();
  });
}
