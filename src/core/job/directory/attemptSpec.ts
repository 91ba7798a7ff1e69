import type { AttemptId, AttemptSpec } from '../attempt';

/** `unknown`: written by a later version of Headroom, or damaged; what can be read of it is there to be shown. */
export interface ReadSpec {
  readonly spec: AttemptSpec;
  /** null when it is of the format that is known. */
  readonly unknownFormat: string | null;
}

/** spec.json as one line, which is all that the job directory has room for. */
export function specText(spec: AttemptSpec): string {
  return JSON.stringify(spec);
}

/** Reads spec.json. Never throws. What is missing or of another type is as if it had never been set. */
export function readSpec(id: AttemptId, text: string | null): ReadSpec {
  const value = objectOf(parsed(text ?? ''));
  const format = value['format'];
  const source = value['source'] == null ? null : objectOf(value['source']);
  const spec: AttemptSpec = {
    format: 1,
    job: textOf(value['job']) || id,
    run: textOf(value['run']),
    cwd: textOf(value['cwd']),
    values: Object.fromEntries(Object.entries(objectOf(value['values'])).filter(isNumbered)),
    parent: textOf(value['parent']) || null,
    gpus: Array.isArray(value['gpus']) ? value['gpus'].filter(gpu => typeof gpu === 'string') : null,
    createdAtMs: typeof value['createdAtMs'] === 'number' ? value['createdAtMs'] : 0,
    source: source === null ? null : { file: textOf(source['file']), hash: textOf(source['hash']) },
  };
  const isKnown = format === 1 || text === null;
  return { spec, unknownFormat: isKnown ? null : typeof format === 'number' ? String(format) : 'unreadable' };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const isNumbered = (entry: [string, unknown]): entry is [string, number] => typeof entry[1] === 'number';
