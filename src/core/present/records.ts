import type { AttemptStatus } from '../job/attempt';
import { durationMs } from '../model/jobSelectors';
import type { AttemptState } from '../model/jobsState';
import type { HostState, State } from '../model/state';
import { withoutSecrets } from './withoutSecrets';

/** What is known of one attempt, flat, for other programs to read. Moments are ISO 8601; null is "not known". */
interface AttemptRecord {
  readonly host: string;
  readonly job: string;
  readonly attempt: string;
  readonly parent: string | null;
  readonly status: AttemptStatus['kind'];
  readonly outcome: string | null;
  readonly exitCode: number | null;
  /** By the host's clock. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly durationS: number | null;
  readonly values: Readonly<Record<string, number>>;
  readonly gpus: readonly string[] | null;
  readonly peakBytes: number | null;
  readonly peakKind: string | null;
  readonly throughput: number | null;
  readonly throughputUnit: string | null;
  readonly cwd: string;
  readonly command: string;
}

/** All attempts of all hosts, as an array of objects. Holds no environment, for nothing that is known has any, and no secret of a command. */
export function recordsAsJson(state: State): string {
  return `${JSON.stringify(records(state), null, 2)}\n`;
}

/** The same as RFC 4180 has it, with a header line. */
export function recordsAsCsv(state: State): string {
  const rows = records(state).map(record => columns.map(column => cell(record[column])).join(','));
  return [columns.join(','), ...rows].map(row => `${row}\r\n`).join('');
}

const columns: readonly (keyof AttemptRecord)[] = [
  'host',
  'job',
  'attempt',
  'parent',
  'status',
  'outcome',
  'exitCode',
  'startedAt',
  'endedAt',
  'durationS',
  'values',
  'gpus',
  'peakBytes',
  'peakKind',
  'throughput',
  'throughputUnit',
  'cwd',
  'command',
];

function records(state: State): readonly AttemptRecord[] {
  return [...state.hosts.values()].flatMap(host =>
    [...(host.jobs?.attempts.values() ?? [])].map(one => recordOf(host, one)),
  );
}

function recordOf(host: HostState, one: AttemptState): AttemptRecord {
  const { attempt, gpu, log } = one;
  const { status, spec } = attempt;
  const started = 'started' in status ? status.started : null;
  const ended = status.kind === 'finished' ? status.ended : null;
  const peak = ended?.peak ?? gpu?.peak ?? null;
  const ms = status.kind === 'finished' ? durationMs(one, host, 0) : null;
  return {
    host: host.spec.id,
    job: spec.job,
    attempt: attempt.id,
    parent: spec.parent,
    status: status.kind,
    outcome: status.kind === 'finished' ? status.outcome.kind : status.kind === 'lost' ? status.reason : null,
    exitCode: ended?.exitCode ?? null,
    startedAt: started === null ? null : isoOf(started.atS),
    endedAt: ended === null ? null : isoOf(ended.atS),
    durationS: ms === null ? null : ms / 1000,
    values: spec.values,
    gpus: spec.gpus,
    peakBytes: peak?.bytes ?? null,
    peakKind: peak?.kind ?? null,
    throughput: log?.throughput?.value ?? null,
    throughputUnit: log?.throughput?.unit ?? null,
    cwd: spec.cwd,
    command: withoutSecrets(spec.run),
  };
}

/** null for what no clock shows. */
function isoOf(seconds: number): string | null {
  const moment = new Date(seconds * 1000);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString();
}

/** A text that a spreadsheet would take for a formula is made a text by an apostrophe: names and commands come from elsewhere. */
function cell(value: AttemptRecord[keyof AttemptRecord]): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
