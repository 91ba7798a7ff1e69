import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { readNvidiaSmi } from '../../../src/core/gpu/nvidiaSmi';
import type { GpuReading, GpuToolResult } from '../../../src/core/gpu/reading';
import { type Command, UsageError } from './command';
import { readEntries, type Entry } from './gpuIndex';
import { toJson } from './json';

/**
 * `gpu --index DIR/index.json`: reads each output that the index names and prints what it says, in the order of the index.
 * An entry whose file cannot be read gets no line on stdout (nothing is known of it) and one on stderr; the others are still
 * printed, and the exit code is 1.
 */
export const gpu: Command = {
  usage: '--index DIR/index.json',
  async run(args, output) {
    const index = indexArgument(args);
    let exitCode = 0;
    for (const entry of await readEntries(index)) {
      const bytes = await readFile(resolve(dirname(index), entry.file)).catch(() => null);
      if (bytes === null) {
        output.error(`core: cannot read ${JSON.stringify(entry.file)}`);
        exitCode = 1;
      } else {
        output.out(toJson(toLine(entry.file, readEntry(entry, decode(bytes)))));
      }
    }
    return exitCode;
  },
};

function indexArgument(args: readonly string[]): string {
  const [option = '', value] = args.length === 1 ? (args[0] ?? '').split(/=(.*)/s) : args;
  if (option !== '--index' || value === undefined || value === '' || args.length > 2) {
    throw new UsageError(`usage: gpu ${gpu.usage}`);
  }
  return value;
}

/** Ill-formed bytes become U+FFFD. PowerShell's `>` writes UTF-16. */
function decode(bytes: Uint8Array): string {
  const utf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(utf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}

function readEntry(entry: Entry, text: string): GpuToolResult {
  const isNvidia = entry.tool.startsWith('nvidia-smi');
  const named = isNvidia && !/nvidia-smi/i.test(entry.args) ? `nvidia-smi ${entry.args}` : entry.args;
  return readNvidiaSmi({ args: isNvidia ? named : entry.tool, exitCode: entry.exitCode, text });
}

const toLine = (file: string, result: GpuToolResult) => ({
  file,
  gpus: result.gpus.map(toGpu),
  processes: result.processes.map(({ gpu, pid, name, memoryBytes }) => ({ gpu, pid, name, memoryBytes })),
  error: result.error,
  partial: result.partial,
});

/** Without the fault, which the corpus tells by `partial` and `error`. */
function toGpu(reading: GpuReading): Omit<GpuReading, 'fault'> {
  const { fault: _, ...shown } = reading;
  return shown;
}
