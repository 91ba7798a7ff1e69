import { createHmac, randomBytes } from 'node:crypto';
import { chmod, mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hostKeyNotSaved, hostKeyUnreadable, type Failure } from '../../core/errors';
import { knownHostsLine, type HmacSha1, type KnownHostsFile, type PresentedKey } from '../../core/host/knownHosts';

export const hmacSha1: HmacSha1 = (saltBase64, text) =>
  createHmac('sha1', Buffer.from(saltBase64, 'base64')).update(text).digest('base64');

/** Reads the files that exist. One that exists and cannot be read is a failure: its keys would count as unknown. */
export async function readKnownHosts(
  paths: readonly string[],
): Promise<
  { readonly kind: 'read'; readonly files: readonly KnownHostsFile[] } | { kind: 'failed'; failure: Failure }
> {
  const files: KnownHostsFile[] = [];
  for (const path of paths) {
    try {
      files.push({ path, text: await readFile(path, 'utf8') });
    } catch (error) {
      const code = codeOf(error);
      if (code !== 'ENOENT' && code !== 'ENOTDIR') return { kind: 'failed', failure: hostKeyUnreadable(path, code) };
    }
  }
  return { kind: 'read', files };
}

/**
 * Adds one key. The file is never rewritten: one write in append mode, which two windows can do at once without harm to
 * each other's lines. Gives the failure, or null.
 */
export async function appendKnownHost(
  path: string,
  name: string,
  key: PresentedKey,
  hashed: boolean,
): Promise<Failure | null> {
  const saltBase64 = randomBytes(20).toString('base64');
  const line = knownHostsLine(name, key, hashed ? { saltBase64, hmacSha1 } : null);
  try {
    if ((await mkdir(dirname(path), { recursive: true, mode: 0o700 })) !== undefined) await chmod(dirname(path), 0o700);
    const file = await open(path, 'a+', 0o600);
    try {
      const { size } = await file.stat();
      const last = size === 0 ? null : (await file.read(Buffer.alloc(1), 0, 1, size - 1)).buffer[0];
      // An editor may have left the last line without its end.
      const startsOnNewLine = last === null || last === 0x0a;
      await file.write(startsOnNewLine ? line : `\n${line}`);
    } finally {
      await file.close();
    }
    return null;
  } catch (error) {
    return hostKeyNotSaved(path, codeOf(error));
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}
