import { execa } from 'execa';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { join } from 'node:path';
import { cancelled, sshConfigRejected, sshConfigTooSlow, type Failure } from '../../core/errors';
import { parseSshG, staticOptions, type SshOptions } from '../../core/host/sshConfig';
import type { HostSpec } from '../../core/host/hostSpec';
import { settingsFrom, type SshSettings } from '../../core/host/sshSettings';
import { readConfig } from './configFiles';

/** Where the SSH configuration of this machine and user is. */
export interface SshWorld {
  /** A file that replaces the user's and the system's (`ssh -F`); null for those. */
  readonly configFile: () => string | null;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly homeDir: string;
}

export type Resolved =
  | { readonly kind: 'resolved'; readonly settings: SshSettings; readonly notices: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: Failure };

const limitMs = 10_000;

/** Asks ssh how it would reach the host; where there is no ssh, reads the files as well as that goes. */
export async function resolveSettings(spec: HostSpec, world: SshWorld, signal: AbortSignal): Promise<Resolved> {
  const asked = await askSsh(spec, world, signal);
  if (asked.kind === 'failed') return asked;
  if (asked.kind === 'answered') {
    return { kind: 'resolved', settings: withContext(asked.options, spec, world), notices: [] };
  }
  const options = new Map(staticOptions(await readWorldConfig(world), spec.destination));
  if (spec.user !== null) options.set('user', [spec.user]);
  if (spec.port !== null) options.set('port', [String(spec.port)]);
  const notice =
    'There is no ssh program on this computer: the SSH configuration is read without it, and Match blocks are left out.';
  return { kind: 'resolved', settings: withContext(options, spec, world), notices: [notice] };
}

/** The files that ssh would read, as a tree. */
export async function readWorldConfig(world: SshWorld) {
  const only = world.configFile();
  if (only !== null) return await readConfig(only, world.homeDir);
  const user = await readConfig(join(world.homeDir, '.ssh', 'config'), world.homeDir);
  return [...user, ...(await readConfig('/etc/ssh/ssh_config', world.homeDir))];
}

/** `-F FILE` for the ssh programs that are run, so that they agree with what was resolved. */
export function configArgs(world: SshWorld): readonly string[] {
  const only = world.configFile();
  return only === null ? [] : ['-F', only];
}

async function askSsh(
  spec: HostSpec,
  world: SshWorld,
  signal: AbortSignal,
): Promise<{ kind: 'answered'; options: SshOptions } | { kind: 'noSsh' } | { kind: 'failed'; failure: Failure }> {
  const user = spec.user === null ? [] : ['-l', spec.user];
  const port = spec.port === null ? [] : ['-p', String(spec.port)];
  const done = await execa('ssh', ['-G', ...configArgs(world), ...user, ...port, '--', spec.destination], {
    reject: false,
    timeout: limitMs,
    stdin: 'ignore',
    env: world.env,
    extendEnv: false,
    cancelSignal: signal,
  });
  if (done.isCanceled) return { kind: 'failed', failure: cancelled() };
  if (done.exitCode === 0) return { kind: 'answered', options: parseSshG(done.stdout) };
  if (done.code === 'ENOENT') return { kind: 'noSsh' };
  if (done.timedOut) return { kind: 'failed', failure: sshConfigTooSlow(spec.id, limitMs) };
  const line = done.stderr.trim().split('\n')[0] || done.shortMessage || 'no reason given';
  return { kind: 'failed', failure: sshConfigRejected(spec.id, line) };
}

function withContext(options: SshOptions, spec: HostSpec, world: SshWorld): SshSettings {
  const me = localUser(world.env);
  return settingsFrom(options, {
    destination: spec.destination,
    home: world.homeDir,
    localUser: me.name,
    localUid: me.uid,
    localHost: hostname(),
    windows: process.platform === 'win32',
    env: world.env,
    sha1Hex: text => createHash('sha1').update(text).digest('hex'),
    fileExists: existsSync,
  });
}

/** A user without an entry in the list of users (a container with a uid of its own) still has a name in the environment. */
function localUser(env: SshWorld['env']): { readonly name: string; readonly uid: number | null } {
  try {
    const { username, uid } = userInfo();
    return { name: username, uid: uid < 0 ? null : uid };
  } catch {
    return { name: env['USER'] ?? '', uid: process.getuid?.() ?? null };
  }
}
