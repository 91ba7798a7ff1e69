import type { GpuToolFailure, GpuToolResult } from './reading';
import { readAppRows } from './smi/appRows';
import { failureOfExitCode, spokenFailure } from './smi/failure';
import { readGpuRows } from './smi/gpuRows';
import { parseInvocation, type SmiForm } from './smi/invocation';
import { readList } from './smi/list';
import type { Outcome } from './smi/outcome';
import { splitLines } from './smi/rows';
import { readXml } from './smi/xml';

export interface SmiRun {
  /** The command line, as it was typed: it says which columns were asked. */
  readonly args: string;
  /** null: not told, or the run was stopped. */
  readonly exitCode: number | null;
  /** stdout and stderr as they came; the tool writes its errors to stdout. */
  readonly text: string;
}

/** Longest message that is kept for a tooltip, in characters. */
const messageCap = 2000;

/**
 * Reads one run of nvidia-smi: `--query-gpu`, `--query-compute-apps`, `-L`, `-q -x`, or what it prints when it fails. Never
 * throws. Rows and an error can come together (one lost card among eight), and an exit code that is not 0 drops no row.
 *
 * `unsupportedTool` is the answer for any other program, and for forms of nvidia-smi that have no reader, if they did not fail.
 */
export function readNvidiaSmi(run: SmiRun): GpuToolResult {
  const form = parseInvocation(run.args);
  if (form === null) return nothing('unsupportedTool', null);

  const { lines, terminated } = splitLines(run.text);
  const spoken = lines.map(spokenFailure);
  const ofTool = spoken.find(failure => failure?.of === 'tool')?.kind ?? null;
  const ofDevice = spoken.find(failure => failure?.of === 'device')?.kind ?? null;

  // A query of one column would take any line for a row, so those that are known to be failures are kept from it.
  const data = lines.filter((_, at) => spoken[at] === null);
  const outcome = read(form, data, terminated, run);
  const said = [...lines.filter((_, at) => spoken[at] !== null), ...outcome.noise];
  const message =
    said.length === 0
      ? null
      : said
          .map(line => line.trim())
          .join('\n')
          .slice(0, messageCap);

  const oneColumn = 'fields' in form && form.fields.length === 1;
  // Where a row is one cell, the further lines of a failure's text look like rows.
  const readable = outcome.gpus.length + outcome.processes.length > 0 && !(oneColumn && ofTool !== null);
  if (!readable)
    return nothing(ofTool ?? ofDevice ?? outcome.error ?? silentFailure(form, outcome, run.exitCode), message);
  return {
    gpus: outcome.gpus,
    processes: outcome.processes,
    error: outcome.error ?? ofDevice ?? ofTool ?? (run.exitCode === lostExitCode ? 'gpuLost' : null),
    partial: outcome.partial || ofDevice !== null,
    message,
  };
}

/** nvidia-smi's exit code when a card is lost, also beside the rows of the others. */
const lostExitCode = 15;

/** Its exit code when all went well and a card's infoROM is corrupted. */
const warningExitCode = 14;

function read(form: SmiForm, lines: readonly string[], terminated: boolean, run: SmiRun): Outcome {
  switch (form.kind) {
    case 'gpus':
      return readGpuRows(lines, terminated, form, run.exitCode === null);
    case 'apps':
      return readAppRows(lines, terminated, form);
    case 'list':
      return readList(lines);
    case 'xml':
      return readXml(lines.join('\n'));
    case 'other':
      return { gpus: [], processes: [], error: null, partial: false, noise: [], mayBeEmpty: false };
  }
}

/** Nothing readable, and no text that says why. An empty list of processes is a good answer; an empty list of devices is not. */
function silentFailure(form: SmiForm, outcome: Outcome, exitCode: number | null): GpuToolFailure | null {
  const warnedOnly = exitCode === null || exitCode === 0 || exitCode === warningExitCode;
  if (outcome.mayBeEmpty && warnedOnly) return null;
  if (exitCode !== null && exitCode !== 0) return failureOfExitCode(exitCode);
  return form.kind === 'other' ? 'unsupportedTool' : 'unknown';
}

const nothing = (error: GpuToolFailure | null, message: string | null): GpuToolResult => ({
  gpus: [],
  processes: [],
  error,
  partial: false,
  message,
});
