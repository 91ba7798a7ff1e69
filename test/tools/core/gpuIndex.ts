import { readFile } from 'node:fs/promises';
import { UsageError } from './command';

/** One output of a GPU tool, as an index describes it. What an index expects of the reader is never looked at. */
export interface Entry {
  /** Relative to the index. */
  readonly file: string;
  /** "nvidia-smi-csv", "rocm-smi", … */
  readonly tool: string;
  /** The command line. */
  readonly args: string;
  /** null: not told. */
  readonly exitCode: number | null;
}

export async function readEntries(index: string): Promise<readonly Entry[]> {
  const text = await readFile(index, 'utf8').catch((error: unknown) => {
    throw new UsageError(`cannot read the index: ${error instanceof Error ? error.message : String(error)}`);
  });
  const value = parse(text, index);
  if (!Array.isArray(value)) throw new UsageError(`${index} is not a list of entries`);
  return value.map((item: unknown, at) => toEntry(item, `${index}, entry ${at}`));
}

function parse(text: string, index: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new UsageError(`${index} is not JSON`);
  }
}

function toEntry(item: unknown, where: string): Entry {
  if (typeof item !== 'object' || item === null) throw new UsageError(`${where}: not an object`);
  const { file, tool, args, exitCode = null }: Partial<Record<keyof Entry, unknown>> = item;
  if (typeof file !== 'string' || typeof tool !== 'string' || typeof args !== 'string') {
    throw new UsageError(`${where}: "file", "tool" and "args" must be texts`);
  }
  if (exitCode !== null && !Number.isInteger(exitCode))
    throw new UsageError(`${where}: "exitCode" must be a whole number or null`);
  return { file, tool, args, exitCode: exitCode as number | null };
}
