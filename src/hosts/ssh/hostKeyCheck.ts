import { createHash } from 'node:crypto';
import type { Log, Prompts } from '../../control/ports';
import { cancelled, hostKeyChanged, hostKeyRevoked, hostKeyUnknown, internal, type Failure } from '../../core/errors';
import {
  checkHostKey,
  knownHostsName,
  knownKeyTypes,
  type KnownHostsFile,
  type PresentedKey,
} from '../../core/host/knownHosts';
import type { SshSettings } from '../../core/host/sshSettings';
import { appendKnownHost, hmacSha1, readKnownHosts } from './knownHostsFiles';
import { blobType } from './privateKey';

/** Decides about the key that a server shows. null: it is the host's; otherwise why not. */
export type HostKeyCheck = (blob: Buffer) => Promise<Failure | null>;

export interface HostKeyChecker {
  /** Types of the keys on record: what to offer first. */
  readonly knownTypes: readonly string[];
  readonly check: HostKeyCheck;
}

export interface HostKeyContext {
  /** As the user named it. */
  readonly host: string;
  readonly settings: SshSettings;
  readonly prompts: Prompts | null;
  readonly log: Log;
  /** Keys that were accepted in this window where no file may remember them. */
  readonly acceptedHere: Set<string>;
}

/** The semantics of StrictHostKeyChecking as ssh_config(5) has them: a changed or revoked key is refused in every mode. */
export async function createHostKeyChecker(
  context: HostKeyContext,
): Promise<{ kind: 'checker'; checker: HostKeyChecker } | { kind: 'failed'; failure: Failure }> {
  const { settings } = context;
  const paths = [...settings.userKnownHostsFiles, ...settings.globalKnownHostsFiles];
  const known = await readKnownHosts(paths);
  if (known.kind === 'failed') return known;
  const name = knownHostsName(settings.host, settings.port, settings.hostKeyAlias);
  let verified: string | null = null;
  return {
    kind: 'checker',
    checker: {
      knownTypes: knownKeyTypes(known.files, name, hmacSha1),
      async check(blob) {
        const key = { type: blobType(blob), base64: blob.toString('base64') };
        // Asked again at each new exchange of session keys.
        if (key.base64 === verified) return null;
        if (verified !== null) return internal('the host key changed during the connection');
        const failure = await judge(context, known.files, name, key, fingerprintOf(blob));
        if (failure === null) verified = key.base64;
        return failure;
      },
    },
  };
}

/** As OpenSSH prints it: "SHA256:" and base64 without padding. */
export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}

async function judge(
  context: HostKeyContext,
  files: readonly KnownHostsFile[],
  name: string,
  key: PresentedKey,
  fingerprint: string,
): Promise<Failure | null> {
  const { host, settings, prompts, acceptedHere } = context;
  const verdict = checkHostKey(files, name, key, hmacSha1);
  if (verdict.kind === 'known') return null;
  if (verdict.kind === 'revoked') return hostKeyRevoked(host, verdict.file, verdict.line);
  if (verdict.kind === 'changed') return hostKeyChanged(host, { ...verdict, name, fingerprint });

  const file = settings.userKnownHostsFiles[0] ?? null;
  const memory = `${name} ${key.base64}`;
  if (file === null && acceptedHere.has(memory)) return null;
  if (settings.strictHostKeyChecking === 'yes') return hostKeyUnknown(host, fingerprint, true);
  if (settings.strictHostKeyChecking === 'ask') {
    if (prompts === null) return hostKeyUnknown(host, fingerprint, false);
    const address = settings.port === 22 ? settings.host : `${settings.host} port ${settings.port}`;
    const accepted = await prompts.acceptHostKey({ host, address, keyType: key.type, fingerprint, file });
    if (!accepted) return cancelled();
  }
  if (file === null) {
    acceptedHere.add(memory);
    return null;
  }
  return await remember(context, file, name, key, fingerprint);
}

/** Another window may have been told the same in the meantime: then there is nothing to add. Or another key: then one is false. */
async function remember(
  { settings, log, host }: HostKeyContext,
  file: string,
  name: string,
  key: PresentedKey,
  fingerprint: string,
): Promise<Failure | null> {
  const now = await readKnownHosts([file]);
  if (now.kind === 'failed') return now.failure;
  const verdict = checkHostKey(now.files, name, key, hmacSha1);
  if (verdict.kind === 'known') return null;
  if (verdict.kind === 'changed') return hostKeyChanged(host, { ...verdict, name, fingerprint });
  const failure = await appendKnownHost(file, name, key, settings.hashKnownHosts);
  if (failure === null) log.info(`${host}: its key (${key.type}) was added to ${file}`);
  return failure;
}
