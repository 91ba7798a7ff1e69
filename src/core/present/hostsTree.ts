import { failureOf } from '../host/connection';
import type { HostState, State } from '../model/state';
import { formatAge } from './format';
import { gpuNodes } from './gpuNodes';
import { faultyCard, freeCount, gpuTable } from './gpuTexts';
import { type HostFacts, hostFacts } from './hostFacts';
import { connectionWords, stepWords } from './connectionTexts';
import { memoryLines, memoryNumbers, oomKillWords } from './memoryTexts';
import { plain } from './plain';
import { lines, tooltip } from './tooltip';
import { type Capability, type TreeNode, treeNode, withPathIds } from './treeNode';

/** The Hosts view: host → what is wrong, GPUs → processes, host memory. In the order the user connected the hosts. */
export function hostsTree(state: State, nowMs: number): readonly TreeNode[] {
  return withPathIds([...state.hosts.values()].map(host => hostNode(hostFacts(host, nowMs), nowMs)));
}

function hostNode(facts: HostFacts, nowMs: number): TreeNode {
  const { host, name } = facts;
  const id = host.spec.id;
  const description = hostDescription(facts, nowMs);
  const identity = host.identity;
  return treeNode({
    id,
    host: id,
    label: name,
    description,
    tooltip: tooltip(
      name,
      [
        lines(description, identity?.hostname == null ? null : `Host name: ${plain(identity.hostname)}`),
        ...gpuTable(facts.gpus),
      ],
      host.watch?.lastFrameAtMs ?? null,
    ),
    icon: hostIcon(facts),
    capabilities: hostCapabilities(host),
    children: [...problemNodes(facts), ...gpuNodes(facts), ...memoryNodes(facts)],
  });
}

function hostDescription(facts: HostFacts, nowMs: number): string {
  const { host, gpus, trouble } = facts;
  const { connection } = host;
  const words =
    connection.kind === 'connecting'
      ? `${stepWords[connection.step]}…`
      : connectionWords(connection, facts.ageMs, nowMs);
  if (words !== null)
    return facts.ageMs === null || connection.kind === 'waiting'
      ? words
      : `${words}, numbers from ${formatAge(facts.ageMs)}`;
  if (facts.ageMs !== null) return formatAge(facts.ageMs);
  const gpuAge = facts.gpuAgeMs === null || gpus.length === 0 ? '' : `, GPUs ${formatAge(facts.gpuAgeMs)}`;
  if (trouble !== null && !trouble.besideReadings) return `${trouble.short}${gpuAge}`;
  if (gpuAge !== '') return gpuAge.slice(2);
  if (gpus.length === 0) return 'connected, waiting for the first numbers…';
  return [`${freeCount(gpus)} free`, faultyCard(gpus)].filter(text => text !== null).join(', ');
}

function hostIcon({ host, gpus, trouble, ageMs }: HostFacts): string {
  switch (host.connection.kind) {
    case 'ready':
      return trouble !== null || faultyCard(gpus) !== null ? 'warning' : ageMs !== null ? 'history' : 'server';
    case 'connecting':
      return 'sync~spin';
    case 'waiting':
      return 'debug-disconnect';
    case 'needsUser':
      return 'account';
    case 'disconnected':
      return 'circle-slash';
  }
}

function hostCapabilities({ connection }: HostState): readonly Capability[] {
  const down = connection.kind === 'disconnected' || connection.kind === 'needsUser' || connection.kind === 'waiting';
  const wanted = connection.kind !== 'disconnected' && connection.kind !== 'needsUser';
  return [...(down ? ['canReconnect' as const] : []), ...(wanted ? ['canDisconnect' as const] : []), 'canForget'];
}

/** What went wrong and what to do, a row each, so that neither is cut short by the other. */
function problemNodes(facts: HostFacts): readonly TreeNode[] {
  const { host, trouble } = facts;
  const failure = failureOf(host.connection);
  const connectionProblem =
    failure === null ? [] : problem(host, 'connection', plain(failure.message, 300), plain(failure.advice, 300), null);
  // A lost card that is among the readings says it in its own row.
  const toldByCard =
    host.watch?.gpu.reading?.error === 'gpuLost' && facts.gpus.some(({ reading }) => reading.fault === 'lost');
  const gpuProblem =
    trouble === null || host.connection.kind !== 'ready' || (trouble.besideReadings && toldByCard)
      ? []
      : problem(host, 'gpu', trouble.message, trouble.advice, trouble.toolSaid);
  return [...connectionProblem, ...gpuProblem];
}

function problem(
  host: HostState,
  what: string,
  message: string,
  advice: string,
  quoted: string | null,
): readonly TreeNode[] {
  const id = `${what} problem`;
  const hover = tooltip(message, [lines(advice), lines(quoted)]);
  return [
    treeNode({ id, host: host.spec.id, label: message, tooltip: hover, icon: 'warning' }),
    treeNode({ id: `${id} advice`, host: host.spec.id, label: advice, tooltip: hover, icon: 'lightbulb' }),
  ];
}

function memoryNodes({ host, ageMs }: HostFacts): readonly TreeNode[] {
  if (host.watch === null) return [];
  const { memory, lastFrameAtMs } = host.watch;
  const killsSeen = host.watch.oomKillsSeen;
  const numbers = memoryNumbers(memory);
  const hover = tooltip('Host memory', [lines(numbers), lines(...memoryLines(memory, killsSeen))], lastFrameAtMs);
  const kills =
    killsSeen === 0
      ? []
      : [
          treeNode({
            id: 'kills',
            host: host.spec.id,
            label: oomKillWords(killsSeen),
            tooltip: hover,
            icon: 'warning',
          }),
        ];
  const limit =
    memory.limitedBy.kind === 'machine'
      ? []
      : [
          treeNode({
            id: 'limit',
            host: host.spec.id,
            label: 'limited by a control group',
            description: plain(memory.limitedBy.path),
            tooltip: hover,
            icon: 'info',
          }),
        ];
  return [
    treeNode({
      id: 'memory',
      host: host.spec.id,
      label: 'Host memory',
      description: ageMs === null ? numbers : `${numbers} · ${formatAge(ageMs)}`,
      tooltip: hover,
      icon: 'database',
      children: [...kills, ...limit],
    }),
  ];
}
