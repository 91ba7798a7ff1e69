/** A thread of its own for opening one encrypted key: the computing would block the extension host for 400 ms. */
import { parentPort, workerData } from 'node:worker_threads';
import { readKeyFile } from './privateKey';

const { text, passphrase } = workerData as { readonly text: string; readonly passphrase: string };
parentPort?.postMessage(readKeyFile(text, passphrase));
