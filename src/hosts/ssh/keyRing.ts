import { readFile, stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { type KeyFileContent, type PublicHalf, readKeyFile } from './privateKey';

/** Key files, and the keys that were unlocked in this window: those stay in memory, so that a reconnect need not ask. */
export interface KeyRing {
  /** null when there is no such file. */
  load(file: string): Promise<LoadedKey | null>;
  unlock(key: LoadedKey, passphrase: string): Promise<KeyFileContent>;
}

export interface LoadedKey {
  readonly file: string;
  readonly content: KeyFileContent;
  /** From the key file itself or the `.pub` beside it; null where neither tells. */
  readonly public: PublicHalf | null;
  /** The text of the file; a secret. */
  readonly text: string;
}

const longestKeyBytes = 1_048_576;

/** `workerFile` is the bundle of keyWorker.ts. */
export function createKeyRing(workerFile: string): KeyRing {
  // By the text of the file: a file that was replaced is asked for anew.
  const unlocked = new Map<string, KeyFileContent>();
  return {
    async load(file) {
      const text = await readOrNull(file);
      const beside = await readOrNull(`${file}.pub`);
      const fromPub = beside === null ? null : readKeyFile(beside, null);
      const pub = fromPub?.kind === 'public' ? fromPub.public : null;
      if (text === null) {
        // The private half may live in the agent alone.
        return fromPub === null || pub === null ? null : { file, content: fromPub, public: pub, text: '' };
      }
      const content = unlocked.get(text) ?? readKeyFile(text, null);
      const own = content.kind === 'key' ? { type: content.type, base64: content.publicBase64 } : null;
      const inside = content.kind === 'locked' || content.kind === 'public' ? content.public : own;
      return { file, content, public: inside ?? pub, text };
    },
    async unlock(key, passphrase) {
      const content = await readInWorker(workerFile, key.text, passphrase);
      if (content.kind === 'key') unlocked.set(key.text, content);
      return content;
    },
  };
}

async function readOrNull(file: string): Promise<string | null> {
  try {
    // Never a pipe, which may have nothing to read for ever, nor something too big to be a key.
    const found = await stat(file);
    return found.isFile() && found.size <= longestKeyBytes ? await readFile(file, 'utf8') : null;
  } catch {
    // Missing and unreadable are alike: ssh goes on with the next key too.
    return null;
  }
}

function readInWorker(workerFile: string, text: string, passphrase: string): Promise<KeyFileContent> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile, { workerData: { text, passphrase } });
    worker.once('message', (content: KeyFileContent) => {
      resolve(content);
      void worker.terminate();
    });
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('the key worker ended without an answer')));
  });
}
