/**
 * The way from a host's name to a connection by ssh2. Everything that loads ssh2, execa, ssh-config or tinyglobby is behind
 * this module, which is a bundle of its own and imported when the first host is wanted.
 */
import type { ConnectOptions, ConnectResult, HostConnector, Log, Prompts } from '../../control/ports';
import { internal, unsupportedSetting } from '../../core/errors';
import { listedAliases } from '../../core/host/aliases';
import type { HostSpec } from '../../core/host/hostSpec';
import { createConnection } from './connection';
import { createHostKeyChecker } from './hostKeyCheck';
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

    const checkerFor = (prompts: Prompts | null) =>
      createHostKeyChecker({ host, settings, prompts, log, acceptedHere });
    const result = await openLink({ host, settings, world: deps, keyRing, log, options, checkerFor });
    if (result.kind === 'failed') return result;
    const { link } = result;
    return { kind: 'connected', connection: createConnection(link, host, log), interactive: link.interactive, notices };
  };
  return {
    async connect(spec, options) {
      const result = await connect(spec, options).catch((error: unknown): ConnectResult => {
        log.error(`${spec.id}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
        return { kind: 'failed', failure: internal(error instanceof Error ? error.message : String(error)) };
      });
      if (result.kind === 'failed') log.warn(`${spec.id}: ${result.failure.message}`);
      return result;
    },
  };
}

/** The hosts that the SSH configuration names, read without running anything in it. */
export async function listAliases(world: SshWorld): Promise<readonly string[]> {
  return listedAliases(await readWorldConfig(world));
}
