import { baseFields, fullFields } from '../gpu/query';
import { readGpuAnswer, type ToolOutput } from './gpuAnswer';
import { parseHostMemory } from './hostMemory';
import { sizeOfStreamLine, type StreamLine } from './remoteScript';
import type { GpuQueryState, HostIdentity, WatchFrame, WatchRequest } from './watchFrame';

export type WatchMessage =
  { readonly kind: 'hello'; readonly identity: HostIdentity } | { readonly kind: 'frame'; readonly frame: WatchFrame };

/** The line that asks for one frame. */
export function tickLine({ gpus, processes, list }: WatchRequest): string {
  return `tick ${gpus ? `g${processes ? 'p' : ''}${list ? 'l' : ''}` : '-'}`;
}

/**
 * Reads what watch.sh prints, line by line; gives a message when one is complete. Never throws: what it does not know is
 * passed over, and a message that is cut short by the next one is dropped.
 */
export interface WatchReader {
  push(line: StreamLine): WatchMessage | null;
}

export function createWatchReader(): WatchReader {
  let draft: Draft | null = null;
  return {
    push(line) {
      if (draft !== null) draft.size += lineCost + sizeOfStreamLine(line);
      if (line.kind === 'bytes') return null;
      if (line.kind === 'text') {
        if (draft !== null && draft.size <= longestMessage) draft.target?.push(line.text);
        return null;
      }
      const [word = '', ...rest] = line.words.split(' ');
      if (word === 'frame' || (word === 'hello' && rest[0] !== 'end')) {
        draft = newDraft(word, rest);
        return null;
      }
      if (draft === null) return null;
      const complete = draft.kind === 'hello' ? word === 'hello' : word === 'end' && count(rest[0]) === draft.seq;
      if (!complete) {
        if (draft.size <= longestMessage || word === 'exit') addControl(draft, word, rest);
        return null;
      }
      const message = messageOf(draft);
      draft = null;
      return message;
    },
  };
}

/**
 * The size of one message, in characters and what each line costs beside its own; more is dropped. Enough for two thousand
 * processes, and little enough to be read in one go between two keystrokes.
 */
const longestMessage = 400_000;
const lineCost = 64;

/** Every run of the tool is ended after a minute. A longer time is a clock that jumped, and numbers would be called live for it. */
const longestQueryMs = 600_000;

interface Draft {
  readonly kind: 'hello' | 'frame';
  readonly seq: number | null;
  readonly uptimeSeconds: number | null;
  /** Of the hello, or about memory. */
  readonly lines: string[];
  readonly outputs: Map<string, { readonly lines: string[]; readonly variant: string | null; exitCode: number | null }>;
  gpu: GpuQueryState | { readonly kind: 'answer'; readonly durationMs: number; readonly ageMs: number };
  queryStarted: boolean;
  /** Where text goes now; null between sections. */
  target: string[] | null;
  size: number;
}

function newDraft(kind: Draft['kind'], words: readonly string[]): Draft {
  const lines: string[] = [];
  return {
    kind,
    seq: count(words[0]),
    uptimeSeconds: decimal(words[1]),
    lines,
    outputs: new Map(),
    gpu: { kind: 'idle' },
    queryStarted: false,
    target: kind === 'hello' ? lines : null,
    size: 0,
  };
}

function addControl(draft: Draft, word: string, rest: readonly string[]): void {
  const [first = '', second] = rest;
  switch (word) {
    case 'memory':
      draft.target = draft.lines;
      break;
    case 'gpu':
      draft.gpu = readGpuWords(first, second, rest.slice(1).join(' ')) ?? draft.gpu;
      draft.target = null;
      break;
    case 'query':
      draft.queryStarted = true;
      break;
    case 'out': {
      // Asked again after a refusal, a section comes twice: the second is the answer.
      const output = { lines: [], variant: second ?? null, exitCode: null };
      draft.outputs.set(first, output);
      draft.target = output.lines;
      break;
    }
    case 'exit': {
      const output = [...draft.outputs.values()].find(({ lines }) => lines === draft.target);
      if (output !== undefined) output.exitCode = count(first);
      draft.target = null;
      break;
    }
  }
}

function readGpuWords(state: string, number: string | undefined, words: string): Draft['gpu'] | null {
  switch (state) {
    case 'none':
      return { kind: 'noTool' };
    case 'idle':
      return { kind: 'idle' };
    case 'running':
      return { kind: 'running', forMs: count(number) ?? 0 };
    case 'broken':
      return { kind: 'broken', reason: words };
    case 'answered':
      return {
        kind: 'answer',
        durationMs: Math.min(count(number) ?? 0, longestQueryMs),
        ageMs: count(words.split(' ')[1]) ?? 0,
      };
    default:
      return null;
  }
}

function messageOf(draft: Draft): WatchMessage | null {
  if (draft.kind === 'hello') return { kind: 'hello', identity: readIdentity(draft.lines) };
  const { seq, uptimeSeconds, gpu, queryStarted } = draft;
  if (seq === null) return null;
  const frame: WatchFrame = {
    seq,
    uptimeSeconds,
    memory: parseHostMemory(draft.lines),
    gpu: gpu.kind === 'answer' ? { kind: 'answered', answer: answerOf(draft, gpu) } : gpu,
    queryStarted,
  };
  return { kind: 'frame', frame };
}

function answerOf({ outputs, size }: Draft, timing: { readonly durationMs: number; readonly ageMs: number }) {
  const output = (name: string): ToolOutput | null => {
    const found = outputs.get(name);
    // The script ends each output with one line feed more, so joining gives it exactly as it was.
    return found === undefined ? null : { text: found.lines.join('\n'), exitCode: found.exitCode };
  };
  const parts = {
    gpus: output('gpus'),
    gpuFields: outputs.get('gpus')?.variant === 'base' ? baseFields : fullFields,
    apps: output('apps'),
    list: output('list'),
    owners: output('owners'),
  };
  const answer = readGpuAnswer(parts, { durationMs: timing.durationMs, ageMs: timing.ageMs });
  return size > longestMessage ? { ...answer, partial: true } : answer;
}

/** `pid:[4026531836]` is the machine's first pid namespace on every Linux (PROC_PID_INIT_INO in linux/proc_ns.h). */
const firstPidNamespace = 'pid:[4026531836]';

function readIdentity(lines: readonly string[]): HostIdentity {
  const values = new Map<string, string>();
  for (const line of lines) {
    const at = line.indexOf('=');
    if (at > 0) values.set(line.slice(0, at), line.slice(at + 1));
  }
  const text = (key: string): string | null => values.get(key) || null;
  const namespace = text('pidns');
  return {
    system: text('system') ?? '',
    hostname: text('hostname'),
    machineId: text('machine_id'),
    bootId: text('boot_id'),
    firstPidNamespace: namespace === null ? null : namespace === firstPidNamespace,
    nvidiaSmi: text('nvidia_smi'),
  };
}

function count(digits: string | undefined): number | null {
  return digits !== undefined && /^\d{1,15}$/.test(digits) ? Number(digits) : null;
}

function decimal(digits: string | undefined): number | null {
  return digits !== undefined && /^\d+(\.\d+)?$/.test(digits) ? Number(digits) : null;
}
