/**
 * The way from a host's name to a connection by ssh2. Everything that loads ssh2, execa, ssh-config or tinyglobby is behind
 * this module, which is a bundle of its own and imported when the first host is wanted.
 *
 * 1. `settings`: `ssh -G` says how the host is reached; without an ssh program, `configFiles` are read as they stand.
 * 2. `link`: dials, directly or through a `proxy`, and offers the `algorithms` that both sides may use.
 * 3. `hostKeyCheck`: compares the server's key with `knownHostsFiles` before anything else is said.
 * 4. `signIn`: tries the `identities` (keys of the `agent` and of the `keyRing`), passwords and questions, one at a time.
 * 5. `connection`: what is left is a link whose `channels` `run` scripts and `stream` their output.
 */
import type { ConnectOptions, ConnectResult, HostConnector, Log } from '../../control/ports';
import { stackOf } from '../../core/base/thrown';
import { internal, unsupportedSetting } from '../../core/errors';
import { listedAliases } from '../../core/host/sshConfig';
import type { HostSpec } from '../../core/host/hostSpec';
import { createConnection } from './connection';
import { createKeyRing } from './keyRing';
import { openLink } from './link';
import { readWorldConfig, resolveSettings, type SshWorld } from './settings';

export interface SshConnectorDeps extends SshWorld {
  readonly log: Log;
  /** The bundle of keyWorker.ts. */
  readonly keyWorkerFile: string;
}

export function createSshConnector(deps: SshConnectorDeps): HostConnector {
  const { log } = deps;
  const keyRing = createKeyRing(deps.keyWorkerFile);
  const acceptedHere = new Set<string>();
  const connect = async (spec: HostSpec, options: ConnectOptions): Promise<ConnectResult> => {
    const host = spec.id;
    options.onStep('resolving');
    const resolved = await resolveSettings(spec, deps, options.signal);
    if (resolved.kind === 'failed') return resolved;
    const { settings, notices } = resolved;
    if (settings.revokedHostKeys) return { kind: 'failed', failure: unsupportedSetting(host, 'RevokedHostKeys') };

    const result = await openLink({ host, settings, world: deps, keyRing, acceptedHere, log, options });
    if (result.kind === 'failed') return result;
    const { link } = result;
    return { kind: 'connected', connection: createConnection(link, host, log), interactive: link.interactive, notices };
  };
  return {
    connect: (spec, options) =>
      connect(spec, options).catch((error: unknown) => {
        log.error(`${spec.id}: ${stackOf(error)}`);
        return { kind: 'failed', failure: internal(error) };
      }),
  };
}

/** The hosts that the SSH configuration names, read without running anything in it. */
export async function listAliases(world: SshWorld): Promise<readonly string[]> {
  return listedAliases(await readWorldConfig(world));
}
