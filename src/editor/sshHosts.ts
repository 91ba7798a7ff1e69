import { homedir } from 'node:os';
import { join } from 'node:path';
import type { HostConnector, Log } from '../control/ports';
import { stackOf } from '../core/base/thrown';
import { internal } from '../core/errors';
import { sshConfigFile } from './settings';

export interface SshHosts {
  readonly connector: HostConnector;
  /** The hosts of the SSH configuration; rejects when it cannot be read. */
  readonly listAliases: () => Promise<readonly string[]>;
}

/**
 * SSH, loaded when it is first needed: activation reads nothing of it. The import is the boundary of a bundle, so it is
 * loaded from `dist/connector.js`.
 */
export function createSshHosts(extensionPath: string, log: Log): SshHosts {
  const world = { configFile: sshConfigFile, env: process.env, homeDir: homedir() };
  const load = () => import('../hosts/ssh/connector');
  let loaded: Promise<HostConnector> | null = null;
  const create = async (): Promise<HostConnector> => {
    const { createSshConnector } = await load();
    return createSshConnector({ ...world, log, keyWorkerFile: join(extensionPath, 'dist', 'keyWorker.js') });
  };

  return {
    connector: {
      async connect(spec, options) {
        try {
          loaded ??= create();
          return await (await loaded).connect(spec, options);
        } catch (error) {
          loaded = null;
          log.error(stackOf(error));
          return { kind: 'failed', failure: internal(error) };
        }
      },
    },
    listAliases: async () => {
      const { listAliases } = await load();
      return listAliases(world);
    },
  };
}
