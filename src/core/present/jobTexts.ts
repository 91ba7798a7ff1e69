import { attemptsUnderWay, cardsOf, durationMs } from '../model/jobSelectors';
import type { AttemptState } from '../model/jobsState';
import type { GpuReading } from '../gpu/reading';
import type { HostState } from '../model/state';
import { attemptName, quietText, statusText, throughputText } from './attemptTexts';
import { formatGiBPair, formatRough, formatWatts, joinParts, spellCoarseWatts, spellGiBPair } from './format';
import type { HostFacts } from './hostFacts';
import { gpuList } from './launchQuestions';
import { cut, plain } from './plain';

/** The status bar speaks of what runs on a host. */
export interface JobText {
  readonly text: string;
  /** No GPU is known to be the job's: nothing in the text is a reading. */
  readonly isWithoutGpus: boolean;
}

/** Those whose command runs, the newest first. */
export const runningJobs = (host: HostState): readonly AttemptState[] =>
  attemptsUnderWay(host).filter(({ attempt }) => attempt.status.kind === 'running');

/**
 * "drafter 4× 412 W · 39.8/95.6 GiB": of the job's GPUs the one that works least, and the one that is fullest; the name gives
 * way to the numbers. Of several jobs the newest that has GPUs. null when nothing runs.
 */
export function jobText({ host }: HostFacts, longest: number, nowMs: number): JobText | null {
  const jobs = runningJobs(host);
  const one = shownJob(jobs, host);
  if (one === null) return null;
  const cards = cardsOf(one, host);
  const count = cards.length > 1 ? `${cards.length}×` : '';
  const numbers = joinParts([leastPower(cards), mostMemory(cards)]);
  const ranMs = durationMs(one, host, nowMs);
  const words =
    numbers === '' ? `running${ranMs === null ? '' : ` ${formatRough(ranMs)}`}` : [count, numbers].join(' ').trim();
  const more = jobs.length > 1 ? ` +${jobs.length - 1}` : '';
  const name = cut(plain(one.attempt.spec.job), Math.max(1, longest - [...words].length - more.length - 1));
  return { text: `${name}${more} ${words}`, isWithoutGpus: cards.length === 0 };
}

/** The same for a screen reader, without anything that changes all the time. */
export function jobSpelled({ host, gpuAgeMs }: HostFacts): string | null {
  const jobs = runningJobs(host);
  const one = shownJob(jobs, host);
  if (one === null) return null;
  const cards = gpuAgeMs === null ? cardsOf(one, host) : [];
  const fullest = fullestOf(cards);
  const watts = wattsOf(cards);
  const parts = [
    `${plain(one.attempt.spec.job)} runs${cards.length === 0 ? '' : ` on ${cards.length === 1 ? 'one GPU' : `${cards.length} GPUs`}`}`,
    watts === null ? null : spellCoarseWatts(watts, null),
    fullest === null ? null : spellGiBPair(fullest.memoryUsedBytes, fullest.memoryTotalBytes),
    jobs.length > 1 ? `${jobs.length - 1} more running` : null,
  ];
  return parts.filter(part => part !== null).join(', ');
}

const mostInTooltip = 6;

/** A line for each job that runs, and what the numbers in the status bar mean. */
export function jobTooltip({ host }: HostFacts, nowMs: number): readonly string[] {
  const jobs = runningJobs(host);
  const told = jobs.slice(0, mostInTooltip).map(one => {
    const cards = cardsOf(one, host).map(({ index }) => index);
    const { throughput } = one.log ?? { throughput: null };
    const words = joinParts([
      statusText(one, host, nowMs),
      quietText(one, nowMs),
      throughput === null ? null : throughputText(throughput, nowMs),
      cards.length === 0 ? null : gpuList(cards),
    ]);
    return `${attemptName(one.attempt.spec)}: ${words}`;
  });
  const shown = shownJob(jobs, host);
  const isMany = shown !== null && cardsOf(shown, host).length > 1;
  return [
    ...told,
    ...(jobs.length > told.length ? [`and ${jobs.length - told.length} more`] : []),
    ...(isMany ? [`Shown of ${plain(shown.attempt.spec.job)}: the least power and the most VRAM of its GPUs.`] : []),
  ];
}

const shownJob = (jobs: readonly AttemptState[], host: HostState): AttemptState | null =>
  jobs.find(one => cardsOf(one, host).length > 0) ?? jobs[0] ?? null;

function wattsOf(cards: readonly GpuReading[]): number | null {
  const watts = cards.map(({ powerWatts }) => powerWatts).filter(value => value !== null);
  return watts.length === 0 ? null : Math.min(...watts);
}

const leastPower = (cards: readonly GpuReading[]): string => formatWatts(wattsOf(cards));

function fullestOf(cards: readonly GpuReading[]): GpuReading | null {
  const known = cards.filter(({ memoryUsedBytes }) => memoryUsedBytes !== null);
  return known.toSorted((a, b) => (b.memoryUsedBytes ?? 0) - (a.memoryUsedBytes ?? 0))[0] ?? null;
}

function mostMemory(cards: readonly GpuReading[]): string | null {
  const fullest = fullestOf(cards);
  return fullest === null ? null : formatGiBPair(fullest.memoryUsedBytes, fullest.memoryTotalBytes);
}
