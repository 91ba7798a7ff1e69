import type { Memento } from 'vscode';
import type { HostId } from '../core/host/hostSpec';
import { storageKeys } from './ids';

/**
 * The hosts to connect again when this workspace is opened: those that the user connected in it and did not disconnect.
 * Kept in VS Code's own storage for the workspace, which no file of the workspace can write.
 */
export interface RememberedHosts {
  readonly all: readonly HostId[];
  add(host: HostId): Promise<void>;
  remove(host: HostId): Promise<void>;
}

export function createRememberedHosts(storage: Memento): RememberedHosts {
  const read = (): readonly HostId[] => {
    const stored = storage.get<unknown>(storageKeys.connectedHosts);
    return Array.isArray(stored) ? stored.filter((item): item is string => typeof item === 'string') : [];
  };
  const write = async (hosts: readonly HostId[]): Promise<void> => {
    await storage.update(storageKeys.connectedHosts, hosts);
  };
  return {
    get all() {
      return read();
    },
    add: async host => {
      if (!read().includes(host)) await write([...read(), host]);
    },
    remove: async host => {
      if (read().includes(host)) await write(read().filter(other => other !== host));
    },
  };
}
