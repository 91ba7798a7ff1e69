import type { AttemptSpec, LostReason, Outcome, Peak } from '../job/attempt';
import type { Throughput } from '../job/log/throughput';
import { durationMs, quietForMs } from '../model/jobSelectors';
import type { AttemptState } from '../model/jobsState';
import type { HostState } from '../model/state';
import { formatAge, formatDuration, formatGiB } from './format';
import { plain } from './plain';

/** "max-seq-len 8192, batch-size 4"; empty for an attempt that is about no number. */
export function valuesText({ values }: Pick<AttemptSpec, 'values'>): string {
  return Object.entries(values)
    .map(([name, value]) => `${plain(name.replace(/^-+/, ''), 40)} ${value}`)
    .join(', ');
}

/** "drafter", or "drafter at max-seq-len 8192". */
export function attemptName(spec: Pick<AttemptSpec, 'job' | 'values'>): string {
  const values = valuesText(spec);
  return values === '' ? plain(spec.job, 60) : `${plain(spec.job, 60)} at ${values}`;
}

/** Where an attempt is, with how long it ran: "running 9 min 46 s", "failed, exit 1, after 3 min 2 s". */
export function statusText(one: AttemptState, host: HostState, nowMs: number): string {
  const { status } = one.attempt;
  const asOfMs = host.connection.kind === 'ready' ? null : lastHeardMs(host);
  const ms = durationMs(one, host, asOfMs ?? nowMs);
  const duration = ms === null ? null : formatDuration(ms);
  const asOf = asOfMs === null ? '' : `, as of ${formatAge(nowMs - asOfMs)}`;
  switch (status.kind) {
    case 'queued':
      return `waits to be started${asOf}`;
    case 'starting':
      return `starting${asOf}`;
    case 'running':
      return `${[one.isStopping ? 'stopping, ran' : 'running', duration].filter(text => text !== null).join(' ')}${asOf}`;
    case 'finished':
      return outcomeText(status.outcome, duration);
    case 'lost':
      return `lost: ${lostWords[status.reason]}`;
    case 'unknownFormat':
      return `written by a later version of Headroom (format ${plain(status.format, 20)})`;
  }
}

/** When something was last heard of the host: what is shown of it is of that moment. */
function lastHeardMs({ jobs, watch }: HostState): number | null {
  const moments = [jobs?.readAtMs ?? null, watch?.lastFrameAtMs ?? null].filter(moment => moment !== null);
  return moments.length === 0 ? null : Math.max(...moments);
}

/** `duration` as words; null when it is not known. */
export function outcomeText(outcome: Outcome, duration: string | null): string {
  const after = duration === null ? '' : ` after ${duration}`;
  switch (outcome.kind) {
    case 'succeeded':
      return duration === null ? 'finished' : `finished in ${duration}`;
    case 'failed':
      return `failed, exit ${outcome.exitCode}${after === '' ? '' : `,${after}`}`;
    case 'stopped':
      return `stopped${after}`;
    case 'killed':
      return `killed by ${signalName(outcome.signal)}${after}`;
    case 'detached':
      return 'came back at once and left processes running';
    case 'failedToStart':
      return `could not start: ${plain(outcome.message, 200)}`;
  }
}

export const lostWords: Readonly<Record<LostReason, string>> = {
  rebooted: 'the machine was started anew',
  supervisorGone: 'it is gone, and nothing tells how it ended',
  neverStarted: 'it never came to its start',
};

const signalNames: Readonly<Record<number, string>> = {
  1: 'SIGHUP',
  2: 'SIGINT',
  3: 'SIGQUIT',
  4: 'SIGILL',
  6: 'SIGABRT',
  7: 'SIGBUS',
  8: 'SIGFPE',
  9: 'SIGKILL',
  11: 'SIGSEGV',
  13: 'SIGPIPE',
  15: 'SIGTERM',
};

export const signalName = (signal: number): string => signalNames[signal] ?? `signal ${signal}`;

/** "peak 39.8 GiB (sampled)". */
export const peakText = ({ bytes, kind }: Peak): string => `peak ${formatGiB(bytes)} (${kind})`;

/** Older than this, a figure is not of this moment, and says so. */
const freshMs = 60_000;

/** "4.5 it/s", "45,123 tokens/s", "1.2 s/it 3 min ago". `nowMs` null: of an attempt that is over. */
export function throughputText({ value, unit, atMs }: Throughput, nowMs: number | null): string {
  const number = value >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
  const age = nowMs === null || nowMs - atMs < freshMs ? '' : ` ${formatAge(nowMs - atMs)}`;
  return `${number} ${unit}${age}`;
}

/** An evaluation or a checkpoint may be quiet for a while. */
const quietFromMs = 5 * 60_000;

/** "no output for 20 min"; null while it writes. */
export function quietText(one: AttemptState, nowMs: number): string | null {
  const ms = quietForMs(one, nowMs);
  return ms === null || ms < quietFromMs ? null : `no output for ${formatDuration(ms - (ms % 60_000))}`;
}
