import type { AttemptEnding, AttemptStall } from '../job/ending';
import type { Outcome } from '../job/attempt';
import { attemptName, lostWords, outcomeText, signalName } from './attemptTexts';
import { formatDuration } from './format';
import { plain } from './plain';

/** What news there is of jobs; each can be muted. */
export type NewsKind = 'succeeded' | 'failed' | 'stopped' | 'lost' | 'stalled';

export function endingKind({ attempt: { status } }: AttemptEnding): NewsKind {
  if (status.kind === 'lost') return 'lost';
  switch (status.outcome.kind) {
    case 'succeeded':
      return 'succeeded';
    case 'stopped':
      return 'stopped';
    case 'failed':
    case 'killed':
    case 'detached':
    case 'failedToStart':
      return 'failed';
  }
}

/** One ending, as a sentence or two for a notification. */
export function endingText(ending: AttemptEnding): string {
  const { host, attempt, lastLine } = ending;
  const { status } = attempt;
  const who = `${attemptName(attempt.spec)} on ${plain(host)}`;
  if (status.kind === 'lost') return `${who} is lost: ${lostWords[status.reason]}.`;
  const { outcome } = status;
  const duration = durationOf(ending);
  const after = duration === null ? '' : ` after ${duration}`;
  switch (outcome.kind) {
    case 'succeeded':
      return `${who} ${outcomeText(outcome, duration)}.`;
    case 'failed':
      return `${who} failed with exit code ${outcome.exitCode}${after}${quoted(lastLine)}`;
    case 'killed':
      return `${who} was killed by ${signalName(outcome.signal)}${after}; who sent it is not known${quoted(lastLine)}`;
    case 'stopped':
      return `${who} was stopped${after}.`;
    case 'detached':
      return `${who} came back at once and left processes running: they are neither followed nor stopped with it.`;
    case 'failedToStart':
      return `${who} could not start. ${plain(outcome.message, 200)}`;
  }
}

/** Several endings in one sentence: they came together after a time without a link. */
export function endingsText(endings: readonly AttemptEnding[]): string {
  const hosts = [...new Set(endings.map(({ host }) => plain(host)))];
  const told = endings.slice(0, mostNamed).map(ending => `${attemptName(ending.attempt.spec)} ${briefly(ending)}`);
  const more = endings.length - told.length;
  const others = more === 0 ? '' : `, and ${more} more`;
  return `${endings.length} jobs ended on ${hosts.join(', ')}: ${told.join(', ')}${others}.`;
}

export function stallText({ host, attempt, quietForMs }: AttemptStall): string {
  const minutes = formatDuration(quietForMs - (quietForMs % 60_000) || quietForMs);
  return `${attemptName(attempt.spec)} on ${plain(host)} runs and has written nothing for ${minutes}.`;
}

const mostNamed = 4;

const briefWords: Readonly<Record<Outcome['kind'], string>> = {
  succeeded: 'finished',
  failed: 'failed',
  killed: 'was killed',
  stopped: 'was stopped',
  detached: 'came back at once',
  failedToStart: 'could not start',
};

const briefly = ({ attempt: { status } }: AttemptEnding): string =>
  status.kind === 'lost' ? 'is lost' : briefWords[status.outcome.kind];

function durationOf({ attempt: { status } }: AttemptEnding): string | null {
  if (status.kind === 'lost' || status.started === null) return null;
  return formatDuration((status.ended.atS - status.started.atS) * 1000);
}

/** The line of the log that says most; a sentence of ours ends without it. */
function quoted(line: string | null): string {
  const text = plain(line ?? '', 200);
  return text === '' ? '.' : `: ${text}`;
}
