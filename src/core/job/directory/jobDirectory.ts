import type { Attempt, AttemptId } from '../attempt';
import { isAttemptId } from '../attemptId';
import { readSpec } from './attemptSpec';
import { attemptStatus } from './attemptStatus';
import { naturalOf, parseKeyValues, type KeyValues } from './keyValues';

/** An attempt as a listing tells of it: all but the host, which only who asked knows. */
export interface ListedAttempt extends Omit<Attempt, 'host'> {
  /** Its folder on the host. */
  readonly folder: string;
  /** The user has been told how it ended. */
  readonly told: boolean;
  /** The attempt that takes its place. */
  readonly relaunchedBy: AttemptId | null;
  /** Its log: when it grew last, by the host's clock, and its size; null for an attempt that has ended, or has none. */
  readonly output: { readonly atS: number; readonly bytes: number } | null;
}

export interface JobListing {
  /** The name that the machine has in the job directory. */
  readonly machine: string;
  readonly bootId: string | null;
  /** Seconds since the epoch by the host's clock. */
  readonly nowS: number | null;
  /** The folder with one folder for each attempt. */
  readonly jobs: string;
  /** By id, so in the order in which they were made. */
  readonly attempts: readonly ListedAttempt[];
}

/** Reads what records.sh prints; null when there is no listing in it. Never throws: what makes no sense is passed over. */
export function parseJobListing(output: string): JobListing | null {
  const parts = splitAtMachines(output.split('\n'));
  const [own] = parts;
  if (own === undefined) return null;
  const bootId = own.header.get('boot_id') || null;
  const attempts = parts.flatMap(part =>
    [...part.records].map(([id, record]) => attemptOf(id, record, { jobs: part.header.get('jobs') ?? '', bootId })),
  );
  return {
    machine: own.header.get('machine') ?? '',
    bootId,
    nowS: naturalOf(own.header.get('now')),
    jobs: own.header.get('jobs') ?? '',
    attempts: attempts.sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

/** The lines of each file of one attempt, by the file's name. */
type FileLines = Map<string, string[]>;

interface Part {
  readonly header: KeyValues;
  readonly records: ReadonlyMap<AttemptId, FileLines>;
}

/** One part for each folder of a machine, this machine's first. A line of a file begins with the path of that file. */
function splitAtMachines(lines: readonly string[]): readonly Part[] {
  const parts: { readonly headerLines: string[]; readonly records: Map<AttemptId, FileLines> }[] = [];
  for (const line of lines) {
    if (line.startsWith('machine=')) parts.push({ headerLines: [], records: new Map() });
    const part = parts.at(-1);
    if (part === undefined) continue;
    const [, id, file, text] = /^(?:\.\/)?([0-9a-z-]+)\/([a-z./]+):(.*)$/s.exec(line) ?? [];
    if (id === undefined || file === undefined || text === undefined) part.headerLines.push(line);
    else if (isAttemptId(id)) addLine(part.records, id, file, text);
  }
  return parts.map(({ headerLines, records }) => ({ header: parseKeyValues(headerLines), records }));
}

function addLine(records: Map<AttemptId, FileLines>, id: AttemptId, file: string, text: string): void {
  const record = records.get(id) ?? new Map<string, string[]>();
  records.set(id, record);
  const known = record.get(file);
  if (known === undefined) record.set(file, [text]);
  else known.push(text);
}

interface Place {
  readonly jobs: string;
  readonly bootId: string | null;
}

function attemptOf(id: AttemptId, record: FileLines, { jobs, bootId }: Place): ListedAttempt {
  const file = (name: string): KeyValues | null => {
    const lines = record.get(name);
    return lines === undefined ? null : parseKeyValues(lines);
  };
  const { spec, unknownFormat } = readSpec(id, record.get('spec.json')?.join('\n') ?? null);
  const files = {
    owner: file('claim/owner'),
    started: file('started'),
    refused: file('refused'),
    status: file('status'),
    stopping: file('stopping'),
    alive: file('alive') ?? new Map<string, string>(),
  };
  return {
    id,
    spec,
    status:
      unknownFormat === null ? attemptStatus(files, spec, bootId) : { kind: 'unknownFormat', format: unknownFormat },
    folder: `${jobs}/${id}`,
    told: record.has('told'),
    relaunchedBy: file('relaunched/by')?.get('attempt') ?? null,
    output: outputOf(file('log')),
  };
}

function outputOf(log: KeyValues | null): ListedAttempt['output'] {
  const [atS, bytes] = log?.get('grown')?.split(' ').map(naturalOf) ?? [];
  return atS == null || bytes == null ? null : { atS, bytes };
}
