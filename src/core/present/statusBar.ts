import { failureOf } from '../host/connection';
import type { HostState, State } from '../model/state';
import { jobSpelled, jobText, jobTooltip, runningJobs } from './jobTexts';
import {
  formatAge,
  formatGiB,
  formatGiBPair,
  formatWatts,
  formatWattsPair,
  joinParts,
  spellCoarseWatts,
  spellGiBPair,
} from './format';
import { faultyCard, freeCount, gpuTable, processTable } from './gpuTexts';
import { faultWords } from './gpuTrouble';
import { type GpuFacts, type HostFacts, hostFacts } from './hostFacts';
import { connectionMeaning, connectionWords } from './connectionTexts';
import { memoryNumbers } from './memoryTexts';
import { cut, plain } from './plain';
import { lines, type Tooltip, tooltip } from './tooltip';

/** The one status bar item. */
export interface StatusBar {
  /** Plain text of at most 40 characters. The icon is apart, so that no text of a host can ever be taken for one. */
  readonly text: string;
  /** Quiet progress: something is under way that the user may know of but need not wait for. */
  readonly isBusy: boolean;
  readonly tooltip: Tooltip;
  /** Spelled out, in coarse numbers and without ages: it changes only when the meaning does. */
  readonly accessibilityLabel: string;
}

const longestText = 40;
const processesInTooltip = 12;

/** null while there is no host to speak of: none was connected, or the user disconnected them all. */
export function statusBar(state: State, nowMs: number): StatusBar | null {
  const host = hostInStatusBar(state);
  if (host === null) return null;
  const facts = hostFacts(host, nowMs);
  const words = connectionWords(host.connection, facts.ageMs, nowMs);
  return {
    text: words === null ? readyText(facts, nowMs) : named(facts, words),
    isBusy: host.connection.kind === 'connecting',
    tooltip: statusTooltip(state, facts, nowMs),
    accessibilityLabel: accessibilityLabel(facts),
  };
}

/**
 * Of several hosts the one that needs the user, else one whose link is down, else one with a fault of its GPUs, else one on
 * which a job of ours runs, else the one connected last. Hosts that the user disconnected are not spoken of.
 */
export function hostInStatusBar(state: State): HostState | null {
  let shown: HostState | null = null;
  for (const host of state.hosts.values()) {
    if (urgency(host) >= (shown === null ? 0 : urgency(shown))) shown = host;
  }
  return shown;
}

function urgency(host: HostState): number {
  if (host.connection.kind === 'disconnected') return -1;
  if (host.connection.kind === 'needsUser') return 4;
  if (host.connection.kind === 'waiting') return 3;
  const reading = host.watch?.gpu.reading;
  const failing = reading?.error != null || (reading?.gpus.some(gpu => gpu.fault !== null) ?? false);
  if (failing) return 2;
  return runningJobs(host).length > 0 ? 1 : 0;
}

/** The words are ours and short; the name gives way to them. */
function named(facts: HostFacts, words: string): string {
  return `${cut(facts.name, longestText - words.length - 1)} ${words}`;
}

function readyText(facts: HostFacts, nowMs: number): string {
  const { gpus, trouble } = facts;
  if (facts.ageMs !== null) return named(facts, formatAge(facts.ageMs));
  if (trouble !== null && !trouble.besideReadings) return named(facts, trouble.short);
  const job = jobText(facts, longestText, nowMs);
  // A job without GPUs is spoken of however old their numbers are.
  if (job !== null && (job.isWithoutGpus || facts.gpuAgeMs === null) && faultyCard(gpus) === null) return job.text;
  if (facts.gpuAgeMs !== null) return named(facts, formatAge(facts.gpuAgeMs));
  if (gpus.length === 0) return named(facts, 'connected');
  const [only] = gpus;
  if (gpus.length === 1 && only !== undefined) return named(facts, singleGpu(only));

  const counted = `${freeCount(gpus)} free`;
  const extremes = busyExtremes(gpus);
  const fault = faultyCard(gpus);
  const details = fault ?? joinParts([formatWatts(extremes.leastWatts), formatGiB(extremes.mostBytes)]);
  const full = joinParts([`${facts.name} ${counted}`, details]);
  // A fault is the last thing to be left out for want of room.
  return [...full].length <= longestText ? full : named(facts, fault ?? counted);
}

function singleGpu({ reading, isFree, hasUnifiedMemory }: GpuFacts): string {
  if (reading.fault !== null) return `GPU ${faultWords[reading.fault].short}`;
  const memory = hasUnifiedMemory ? null : formatGiBPair(reading.memoryUsedBytes, reading.memoryTotalBytes);
  const numbers = joinParts([formatWattsPair(reading.powerWatts, reading.powerLimitWatts), memory]);
  return numbers === '' ? `GPU ${isFree ? 'free' : 'busy'}` : numbers;
}

/** Over the cards that work: the one that works least, and the one that is fullest. null where there is none to ask. */
function busyExtremes(gpus: readonly GpuFacts[]): {
  readonly leastWatts: number | null;
  readonly mostBytes: number | null;
} {
  const busy = gpus.filter(gpu => !gpu.isFree && gpu.reading.fault === null).map(gpu => gpu.reading);
  const watts = busy.map(gpu => gpu.powerWatts).filter(value => value !== null);
  const bytes = busy.map(gpu => gpu.memoryUsedBytes).filter(value => value !== null);
  return {
    leastWatts: watts.length === 0 ? null : Math.min(...watts),
    mostBytes: bytes.length === 0 ? null : Math.max(...bytes),
  };
}

function statusTooltip(state: State, facts: HostFacts, nowMs: number): Tooltip {
  const { host, gpus, trouble } = facts;
  const failure = failureOf(host.connection);
  const extremes = busyExtremes(gpus);
  const others = [...state.hosts.values()].filter(other => other !== host && other.connection.kind !== 'disconnected');
  return tooltip(
    facts.name,
    [
      lines(connectionWords(host.connection, facts.ageMs, nowMs)),
      lines(...jobTooltip(facts, nowMs)),
      failure === null ? lines() : lines(plain(failure.message, 300), plain(failure.advice, 300)),
      trouble === null ? lines() : lines(trouble.message, trouble.advice, trouble.toolSaid),
      facts.gpuAgeMs === null ? lines() : lines(`The numbers of the GPUs are from ${formatAge(facts.gpuAgeMs)}.`),
      ...gpuTable(gpus),
      gpus.length < 2 || extremes.mostBytes === null
        ? lines()
        : lines(
            `Of the busy GPUs, the least power is ${formatWatts(extremes.leastWatts)} and the most VRAM ${formatGiB(extremes.mostBytes)}.`,
          ),
      ...processTable(gpus, processesInTooltip),
      host.watch === null ? lines() : lines(`Host memory: ${memoryNumbers(host.watch.memory)}`),
      lines(...others.map(other => otherHost(other, nowMs))),
    ],
    host.watch?.lastFrameAtMs ?? null,
  );
}

function otherHost(host: HostState, nowMs: number): string {
  const facts = hostFacts(host, nowMs);
  const words = connectionWords(host.connection, facts.ageMs, nowMs);
  return words === null ? readyText(facts, nowMs) : `${facts.name} ${words}`;
}

function accessibilityLabel(facts: HostFacts): string {
  const { host, gpus, trouble } = facts;
  const name = `Headroom, ${facts.name}`;
  const meaning = connectionMeaning(host.connection);
  if (meaning !== null) return `${name}: ${meaning}`;
  if (trouble !== null && !trouble.besideReadings) return `${name}: ${trouble.short}`;
  const job = faultyCard(gpus) === null ? jobSpelled(facts) : null;
  if (job !== null) return `${name}: ${job}`;
  if (facts.gpuAgeMs !== null) return `${name}: no new numbers`;
  if (gpus.length === 0) return `${name}: connected`;
  const [only] = gpus;
  if (gpus.length > 1 || only === undefined)
    return [`${name}: ${freeCount(gpus)} GPUs free`, faultyCard(gpus)].filter(text => text !== null).join(', ');
  const { reading } = only;
  if (reading.fault !== null) return `${name}: GPU ${faultWords[reading.fault].short}`;
  const numbers = [spellCoarseWatts(reading.powerWatts, reading.powerLimitWatts), spelledMemory(only)];
  const spelled = numbers.filter(text => text !== null).join(', ');
  return `${name}: GPU ${reading.index} ${only.isFree ? 'free' : 'busy'}${spelled === '' ? '' : `, ${spelled}`}`;
}

function spelledMemory({ reading, hasUnifiedMemory }: GpuFacts): string | null {
  return hasUnifiedMemory ? null : spellGiBPair(reading.memoryUsedBytes, reading.memoryTotalBytes);
}
