import { execa } from 'execa';
import { Duplex } from 'node:stream';
import type { Log } from '../../control/ports';
import { proxyFailed, proxyNeedsUser, type Failure } from '../../core/errors';
import type { Proxy, SshSettings } from '../../core/host/sshSettings';
import { configArgs, type SshWorld } from './settings';

/** A program whose stdin and stdout are the way to the host. */
export interface ProxyLink {
  readonly sock: Duplex;
  /** Why the way ended, if the program ended it; waits a moment for its last words. */
  failure(): Promise<Failure | null>;
  end(): void;
}

/** The program's last words may come after the end of its output. */
const lastWordsMs = 500;

/** Lines of one proxy that are logged: a jump host may have it print as much as it likes. */
const mostLogged = 50;

export function startProxy(proxy: Proxy, host: string, settings: SshSettings, world: SshWorld, log: Log): ProxyLink {
  const [file, args] =
    proxy.kind === 'command' ? shellFor(proxy.commandLine) : jumpThrough(proxy.hops, settings, world);
  const child = execa(file, args, {
    reject: false,
    buffer: false,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    env: world.env,
    extendEnv: false,
    windowsVerbatimArguments: proxy.kind === 'command',
  });
  let lastWords = '';
  let logged = 0;
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-2_000);
    if (logged >= mostLogged) return;
    for (const line of text.split(/\r?\n/).filter(part => part.trim() !== ''))
      if (++logged <= mostLogged) log.info(`${host}: proxy: ${line}`);
  });
  const sock = Duplex.from({ readable: child.stdout, writable: child.stdin });
  return {
    sock,
    async failure() {
      const ended = await Promise.race([child, new Promise<null>(done => setTimeout(done, lastWordsMs, null))]);
      if (ended === null) return null;
      const reason = lastWords.trim().split('\n').at(-1) || ended.shortMessage || `exit ${ended.exitCode ?? '?'}`;
      return needsUser.test(`${lastWords}${ended.shortMessage ?? ''}`)
        ? proxyNeedsUser(host, reason)
        : proxyFailed(host, reason);
    },
    end() {
      sock.destroy();
      child.kill('SIGTERM', undefined);
    },
  };
}

/** What ssh says when a jump host cannot be passed without its user (OpenSSH's own words, which are not translated). */
const needsUser =
  /Host key verification failed|Permission denied|REMOTE HOST IDENTIFICATION HAS CHANGED|: not found|ENOENT/;

/** As ssh does it: the user's own line, in their shell, with nothing between it and us. */
function shellFor(commandLine: string): readonly [string, readonly string[]] {
  return process.platform === 'win32'
    ? ['cmd.exe', ['/d', '/s', '/c', `"${commandLine}"`]]
    : ['/bin/sh', ['-c', `exec ${commandLine}`]];
}

/**
 * The last hop is reached through the ones before it, by ssh itself, with its own checks of their keys. It may ask nothing:
 * a jump host must be known and let the user in by key.
 */
function jumpThrough(
  hops: readonly string[],
  settings: SshSettings,
  world: SshWorld,
): readonly [string, readonly string[]] {
  const last = hops.at(-1) ?? '';
  const before = hops.slice(0, -1).join(',');
  const target = /^(?:ssh:\/\/)?(?:(.*)@)?(\[[^\]]+\]|[^:@]+|[^@]*:[^@]*:[^@]*?)(?::(\d+))?$/.exec(last);
  const [, user, name = last, port] = target ?? [];
  const args = [
    '-T',
    '-a',
    ...configArgs(world),
    ...['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=15', '-o', 'ControlMaster=no'],
    ...(user === undefined ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', port]),
    ...(before === '' ? [] : ['-J', before]),
    ...['-W', `[${settings.host}]:${settings.port}`],
    '--',
    name.replace(/^\[(.*)\]$/, '$1'),
  ];
  return ['ssh', args];
}
