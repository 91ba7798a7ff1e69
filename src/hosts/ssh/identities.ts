import { existsSync } from 'node:fs';
import type { Log } from '../../control/ports';
import { messageOf } from '../../core/base/thrown';
import type { SshSettings } from '../../core/host/sshSettings';
import { listAgentKeys, type AgentKey } from './agent';
import type { KeyRing, LoadedKey } from './keyRing';

/** A key to sign in with, and who holds it. */
export type Identity =
  { readonly kind: 'agent'; readonly key: AgentKey } | { readonly kind: 'file'; readonly key: LoadedKey };

export interface Identities {
  /** In the order in which ssh tries them. */
  readonly list: readonly Identity[];
  /** Configured and not usable here, in words, for the advice when nothing else lets the user in. */
  readonly unsupported: readonly string[];
}

/**
 * Keys of the agent that the configuration names come first, then key files, then what else the agent holds, unless
 * IdentitiesOnly: an agent with thirty keys would use up the server's patience otherwise.
 */
export async function findIdentities(settings: SshSettings, keyRing: KeyRing, log: Log): Promise<Identities> {
  const held = settings.identityAgent === null ? [] : await agentKeys(settings.identityAgent, log);
  const loaded = (await Promise.all(settings.identityFiles.map(file => keyRing.load(file)))).filter(
    key => key !== null,
  );

  const unsupported = new Set<string>();
  if (settings.certificateFiles.length > 0 || loaded.some(({ file }) => existsSync(`${file}-cert.pub`)))
    unsupported.add('certificates');
  if (settings.pkcs11) unsupported.add('smart cards (PKCS#11)');
  for (const { content } of loaded) if (content.kind === 'unsupported') unsupported.add(content.what);

  const named: Identity[] = [];
  const files: Identity[] = [];
  for (const key of loaded) {
    const inAgent = held.find(one => one.publicBase64 === key.public?.base64);
    if (inAgent !== undefined) named.push({ kind: 'agent', key: inAgent });
    else if (key.content.kind === 'key' || key.content.kind === 'locked') files.push({ kind: 'file', key });
  }
  const taken = new Set(named.map(({ key }) => key));
  const others: Identity[] = settings.identitiesOnly
    ? []
    : held.filter(key => !taken.has(key)).map(key => ({ kind: 'agent', key }));
  return { list: [...named, ...files, ...others], unsupported: [...unsupported] };
}

async function agentKeys(socket: string, log: Log): Promise<readonly AgentKey[]> {
  try {
    return await listAgentKeys(socket);
  } catch (error) {
    log.info(`SSH agent ${socket}: ${messageOf(error)}`);
    return [];
  }
}
