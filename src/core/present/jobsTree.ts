import { isUnderWay } from '../job/ending';
import { cardsOf, durationMs } from '../model/jobSelectors';
import type { AttemptState } from '../model/jobsState';
import type { HostState, State } from '../model/state';
import { peakText, quietText, statusText, throughputText, valuesText } from './attemptTexts';
import { formatAge, joinParts } from './format';
import { gpuList } from './launchQuestions';
import { plain } from './plain';
import { lines, type Tooltip, tooltip } from './tooltip';
import { type Capability, type TreeNode, treeNode, withPathIds } from './treeNode';
import { withoutSecrets } from './withoutSecrets';

/** The Jobs view: job → its attempts. The job with the newest attempt comes first, and so does its newest attempt. */
export function jobsTree(state: State, nowMs: number): readonly TreeNode[] {
  const hosts = [...state.hosts.values()];
  const jobs = hosts.flatMap(host => jobsOf(host)).sort((one, other) => madeAtMs(other) - madeAtMs(one));
  return withPathIds([...hosts.flatMap(problemNodes), ...jobs.map(job => jobNode(job, nowMs))]);
}

interface JobRow {
  readonly host: HostState;
  readonly name: string;
  /** The newest first; at least one. */
  readonly attempts: readonly [AttemptState, ...AttemptState[]];
}

function jobsOf(host: HostState): readonly JobRow[] {
  const byName = new Map<string, [AttemptState, ...AttemptState[]]>();
  // A later one goes in front; to put each there singly would be slow for a job with thousands.
  for (const one of [...(host.jobs?.attempts.values() ?? [])].reverse()) {
    const known = byName.get(one.attempt.spec.job);
    if (known === undefined) byName.set(one.attempt.spec.job, [one]);
    else known.push(one);
  }
  return [...byName].map(([name, attempts]) => ({ host, name, attempts }));
}

const madeAtMs = ({ attempts: [newest] }: JobRow): number => newest.attempt.spec.createdAtMs;

function jobNode({ host, name, attempts }: JobRow, nowMs: number): TreeNode {
  const underWay = attempts.filter(({ attempt }) => isUnderWay(attempt));
  const [newest] = attempts;
  // What the row's commands are about: what runs, where that is one alone.
  const shown = underWay[0] ?? newest;
  const summary =
    underWay.length > 1
      ? `${underWay.length} running`
      : joinParts([statusText(shown, host, nowMs), valuesText(shown.attempt.spec)]);
  const id = host.spec.id;
  return treeNode({
    id: `job ${plain(id)} ${plain(name)}`,
    host: id,
    attempt: shown.attempt.id,
    label: plain(name, 60) || 'unnamed job',
    description: joinParts([summary, plain(id)]),
    tooltip: attemptTooltip(shown, host, nowMs),
    icon: iconOf(shown, host),
    capabilities: underWay.length > 1 ? [] : capabilitiesOf(shown),
    children: attempts.map((one, index) => attemptNode(one, attempts.length - index, host, nowMs)),
  });
}

function attemptNode(one: AttemptState, number: number, host: HostState, nowMs: number): TreeNode {
  const { attempt } = one;
  return treeNode({
    id: `attempt ${attempt.id}`,
    host: host.spec.id,
    attempt: attempt.id,
    label: valuesText(attempt.spec) || `attempt ${number}`,
    description: attemptText(one, host, nowMs),
    tooltip: attemptTooltip(one, host, nowMs),
    icon: iconOf(one, host),
    capabilities: capabilitiesOf(one),
  });
}

function attemptText(one: AttemptState, host: HostState, nowMs: number): string {
  const isLive = host.connection.kind === 'ready' && isUnderWay(one.attempt);
  const { log } = one;
  return joinParts([
    statusText(one, host, nowMs),
    host.connection.kind === 'ready' ? quietText(one, nowMs) : null,
    log?.throughput == null ? null : throughputText(log.throughput, isUnderWay(one.attempt) ? nowMs : null),
    peakOf(one),
    isLive ? null : ageText(one, host, nowMs),
  ]);
}

function peakOf({ attempt: { status }, gpu }: AttemptState): string | null {
  const peak = (status.kind === 'finished' ? status.ended.peak : null) ?? gpu?.peak ?? null;
  return peak === null ? null : peakText(peak);
}

/** How long ago it ended, by the host's clock. */
function ageText({ attempt: { status } }: AttemptState, { jobs }: HostState, nowMs: number): string | null {
  const ahead = jobs?.clockAheadMs ?? null;
  if (status.kind !== 'finished' || ahead === null) return null;
  return formatAge(nowMs + ahead - status.ended.atS * 1000);
}

function capabilitiesOf({ attempt, isStopping }: AttemptState): readonly Capability[] {
  if (attempt.status.kind === 'unknownFormat') return ['canCopyId'];
  const canStop = isUnderWay(attempt) && !isStopping;
  return ['canShowLog', ...(canStop ? ['canStop' as const] : []), 'canCopyId'];
}

function iconOf({ attempt: { status } }: AttemptState, { connection }: HostState): string {
  switch (status.kind) {
    case 'queued':
    case 'starting':
      return 'clock';
    case 'running':
      return connection.kind === 'ready' ? 'play-circle' : 'history';
    case 'lost':
      return 'warning';
    case 'unknownFormat':
      return 'question';
    case 'finished':
      return outcomeIcons[status.outcome.kind];
  }
}

const outcomeIcons = {
  succeeded: 'pass',
  failed: 'error',
  stopped: 'debug-stop',
  killed: 'error',
  detached: 'warning',
  failedToStart: 'error',
} as const;

function attemptTooltip(one: AttemptState, host: HostState, nowMs: number): Tooltip {
  const { attempt, log } = one;
  const { spec, status } = attempt;
  const cards = cardsOf(one, host).map(({ index }) => index);
  const started = 'started' in status ? status.started : null;
  const ms = durationMs(one, host, nowMs);
  return tooltip(
    plain(spec.job, 60),
    [
      lines(attemptText(one, host, nowMs), valuesText(spec)),
      lines(plain(withoutSecrets(spec.run), 400), `in ${plain(spec.cwd, 200)} on ${plain(host.spec.id)}`),
      lines(
        cards.length === 0 || !isUnderWay(attempt) ? null : `On ${gpuList(cards)}.`,
        spec.gpus === null ? null : `Pinned to ${spec.gpus.length === 1 ? 'one GPU' : `${spec.gpus.length} GPUs`}.`,
        status.kind === 'finished' && (status.ended.oomKills ?? 0) > 0
          ? `While it ran the kernel killed ${status.ended.oomKills} for want of memory on this host.`
          : null,
      ),
      lines(...(log?.lastLines.map(line => plain(line, 160)) ?? [])),
      lines(started === null ? null : `Log: ${plain(started.log, 300)}`),
    ],
    ms === null || !isUnderWay(attempt) ? null : nowMs,
  );
}

/** A host whose job directory cannot be read: what is shown of it is from before, or nothing. */
function problemNodes({ spec, jobs, connection }: HostState): readonly TreeNode[] {
  if (jobs?.failure == null || connection.kind !== 'ready') return [];
  const message = plain(jobs.failure.message, 300);
  const advice = plain(jobs.failure.advice, 300);
  const hover = tooltip(message, [lines(advice)]);
  return [
    treeNode({
      id: `problem ${plain(spec.id)}`,
      host: spec.id,
      label: message,
      description: advice,
      tooltip: hover,
      icon: 'warning',
    }),
  ];
}
