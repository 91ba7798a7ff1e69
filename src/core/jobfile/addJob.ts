import {
  Document,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  type Node,
  type Pair,
  type ParsedNode,
  visit,
  type YAMLMap,
} from 'yaml';
import type { GpuWish, Job, Output, Parameter } from '../job/job';
import type { JobFileProblem, JobFileResult } from './jobFileProblem';
import { parseJobFile, parseYaml } from './parseJobFile';

export type AddedJob =
  | { readonly kind: 'text'; readonly text: string }
  /** The file cannot be added to as it is. */
  | { readonly kind: 'problems'; readonly problems: readonly JobFileProblem[] };

/**
 * The text of a job file with one more job at its end; every other character stays as it is. An empty text becomes a file.
 * A file with problems, or with a job of that name, is not touched.
 */
export function addJob(text: string, job: Job): AddedJob {
  if (text.trim() === '') return { kind: 'text', text: written({ version: 1, jobs: plainJobs(job) }).toString(style) };
  const before = parseJobFile(text, { host: job.host, cwd: job.cwd });
  if (before.kind === 'problems' && !isWithoutJobs(text)) return before;
  const existing = before.kind === 'jobs' ? before.jobs : [];
  if (existing.some(({ name }) => name === job.name))
    return { kind: 'problems', problems: [nameTaken(text, job.name)] };
  const inserted = insertText(text, job);
  if (inserted !== null && addsOne(inserted, existing, job)) return { kind: 'text', text: inserted };
  // Written in an unusual way, `jobs: { … }` for one: comments and order stay, but not every blank.
  const document = parseYaml(text);
  if (existing.length > 0) document.setIn(['jobs', job.name], written(plainJob(job)).contents);
  else document.set('jobs', commentedAs(document.get('jobs', true), written(plainJobs(job)).contents));
  return { kind: 'text', text: document.toString(style) };
}

const style = { lineWidth: 0, flowCollectionPadding: true, blockQuote: 'literal' } as const;

/** A document of plain data. Texts that a block would not give back exactly are put into quotes. */
function written(data: object): Document {
  const document = new Document(data);
  visit(document, {
    Scalar(_, node) {
      if (typeof node.value === 'string' && isFragile(node.value)) node.type = 'QUOTE_DOUBLE';
    },
  });
  return document;
}

/** Blanks around line feeds, and what is no more than a line feed. */
const isFragile = (text: string): boolean =>
  text.includes('\n') && (/^\s|[^\S\n](?:\n|$)|\n\n$|\r/.test(text) || text.trim() === '');

/** Keeps what was said of the value that the new one takes the place of. */
function commentedAs(old: unknown, node: Node | null): Node | null {
  if (node !== null && isNode(old) && old.comment != null) node.commentBefore = old.comment;
  return node;
}

/** `jobs:` with nothing behind it: a file that was begun and has no job yet. */
function isWithoutJobs(text: string): boolean {
  const document = parseYaml(text);
  const jobs: unknown = document.get('jobs');
  return document.errors.length === 0 && isMap(document.contents) && document.get('version') === 1 && jobs == null;
}

function addsOne(text: string, existing: readonly Job[], job: Job): boolean {
  const after = parseJobFile(text, { host: job.host, cwd: job.cwd });
  if (after.kind !== 'jobs' || after.jobs.length !== existing.length + 1) return false;
  const alone = parseJobFile(written({ version: 1, jobs: plainJobs(job) }).toString(style), {
    host: job.host,
    cwd: job.cwd,
  });
  return sameJobs(after, existing, alone);
}

function sameJobs(after: JobFileResult, existing: readonly Job[], alone: JobFileResult): boolean {
  if (after.kind !== 'jobs' || alone.kind !== 'jobs') return false;
  const wanted = [...existing, ...alone.jobs];
  return JSON.stringify(after.jobs, mapsAsLists) === JSON.stringify(wanted, mapsAsLists);
}

const mapsAsLists = (_: string, value: unknown): unknown => (value instanceof Map ? [...value] : value);

/** The job as text behind the last one, indented as that is; null when the jobs do not stand one below the other. */
function insertText(text: string, job: Job): string | null {
  const lines = new LineCounter();
  const contents = parseYaml(text, lines).contents;
  if (!isMap(contents)) return null;
  const jobs = (contents.items as readonly Pair<ParsedNode, ParsedNode | null>[]).find(
    ({ key }) => isScalar(key) && key.value === 'jobs',
  )?.value;
  if (!isMap(jobs) || jobs.flow === true || jobs.items.length === 0) return null;
  const first = (jobs as YAMLMap<ParsedNode>).items[0]?.key;
  const end = endOfLine(text, jobs.range[1]);
  if (first === undefined) return null;
  const indent = ' '.repeat(lines.linePos(first.range[0]).col - 1);
  const lineEnd = text.includes('\r\n') ? '\r\n' : '\n';
  const added = written(plainJobs(job)).toString(style).trimEnd();
  const indented = added.split('\n').map(line => (line === '' ? line : indent + line));
  const head = text.slice(0, end);
  const glue = head.endsWith('\n') ? '' : lineEnd;
  return head + glue + indented.join(lineEnd) + lineEnd + text.slice(end);
}

/** The offset behind the line in which the last thing of the jobs ends, a comment at its end included. */
function endOfLine(text: string, valueEnd: number): number {
  // A block's value reaches over the blank lines behind it.
  const last = text.slice(0, valueEnd).trimEnd().length;
  const lineFeed = text.indexOf('\n', last);
  return lineFeed < 0 ? text.length : lineFeed + 1;
}

function nameTaken(text: string, name: string): JobFileProblem {
  const start = Math.max(0, text.indexOf(name));
  const before = text.slice(0, start).split('\n');
  const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1, start, end: start + name.length };
  return { message: `There is a job “${name}” already. Give this one another name.`, ...place };
}

const plainJobs = (job: Job): object => ({ [job.name]: plainJob(job) });

/** The job as the file has it: what is as usual is left out. */
function plainJob(job: Job): object {
  return {
    host: job.host,
    cwd: job.cwd,
    ...(job.setup.length === 0 ? {} : { setup: job.setup }),
    run: job.run,
    ...(job.env.size === 0 ? {} : { env: Object.fromEntries(job.env) }),
    ...(job.envFile === null ? {} : { envFile: job.envFile }),
    ...(job.gpus.kind === 'unpinned' ? {} : { gpus: plainGpus(job.gpus) }),
    ...(job.parameters.length === 0 ? {} : { parameters: Object.fromEntries(job.parameters.map(plainParameter)) }),
    ...(job.outputs.length === 0 ? {} : { outputs: job.outputs.map(plainOutput) }),
    ...(job.fitsAfter === null ? {} : { fitsAfter: plainFitsAfter(job.fitsAfter) }),
  };
}

function plainGpus(gpus: Exclude<GpuWish, { readonly kind: 'unpinned' }>): unknown {
  return gpus.kind === 'all' ? 'all' : gpus.kind === 'anyFree' ? gpus.count : gpus.indices;
}

function plainParameter({ name, place, step, min, max }: Parameter): readonly [string, object] {
  const where =
    place.kind === 'flag'
      ? { flag: place.flag }
      : place.kind === 'env'
        ? { env: place.variable }
        : { assignment: place.key };
  const limits = {
    ...(step === null ? {} : { step }),
    ...(min === null ? {} : { min }),
    ...(max === null ? {} : { max }),
  };
  return [name, { ...where, ...limits }];
}

const plainOutput = ({ path, onRelaunch }: Output): object => ({ path, onRelaunch });

function plainFitsAfter(fits: NonNullable<Job['fitsAfter']>): unknown {
  return fits.kind === 'log'
    ? { log: fits.text }
    : fits.ms % 60_000 === 0
      ? `${fits.ms / 60_000}m`
      : `${fits.ms / 1000}s`;
}
