import { failureOf } from '../host/connection';
import type { HostState, State } from '../model/state';
import { formatDuration } from './format';
import { gpuTrouble } from './gpuTrouble';
import { plain } from './plain';

/** What runs where; all of it safe to publish. */
export interface About {
  readonly extension: string;
  readonly editor: string;
  readonly platform: string;
  /** What VS Code calls the remote of the window: "ssh-remote", "wsl", an address; null for a local window. */
  readonly remote: string | null;
}

/**
 * States, failures and versions as text to paste into a report. Names of hosts and users, and home folders, are replaced;
 * processes, card ids and the words of failures, which have addresses and other programs' words in them, are left out.
 */
export function diagnosticsText(about: About, state: State, nowMs: number): string {
  const hosts = [...state.hosts.values()];
  const redact = redactor(hosts);
  return [
    `Headroom ${about.extension}`,
    `VS Code ${about.editor}, ${about.platform}, ${windowWords(about.remote)} window`,
    hosts.length === 1 ? '1 host' : `${hosts.length} hosts`,
    ...hosts.flatMap((host, index) => [
      '',
      `host-${index + 1}`,
      ...hostLines(host, nowMs).map(line => `  ${redact(line)}`),
    ]),
    '',
  ].join('\n');
}

/** VS Code in a browser calls its remote by its address, which is a name of a host. */
const knownRemotes = ['ssh-remote', 'wsl', 'dev-container', 'attached-container', 'codespaces', 'tunnel'];

function windowWords(remote: string | null): string {
  if (remote === null) return 'local';
  return knownRemotes.includes(remote) ? remote : 'other remote';
}

function hostLines(host: HostState, nowMs: number): readonly string[] {
  const { connection, identity, watch } = host;
  const since = 'sinceMs' in connection ? ` for ${formatDuration(nowMs - connection.sinceMs)}` : '';
  const failure = failureOf(connection);
  const reading = watch?.gpu.reading ?? null;
  const trouble = watch === null ? null : gpuTrouble(watch.gpu);
  return [
    `named with user: ${yesNo(host.spec.user !== null)}, with port: ${yesNo(host.spec.port !== null)}`,
    `connection: ${connection.kind}${since}`,
    connection.kind === 'ready' ? `signed in by hand: ${yesNo(connection.interactive)}` : null,
    failure === null ? null : `failure: ${failure.kind}, tried again by itself: ${yesNo(failure.retry === 'auto')}`,
    identity === null
      ? null
      : `system: ${plain(identity.system)}, first pid namespace: ${identity.firstPidNamespace ?? 'unknown'}, nvidia-smi: ${plain(identity.nvidiaSmi ?? 'not found')}`,
    watch === null
      ? null
      : `last frame: ${formatDuration(nowMs - watch.lastFrameAtMs)} ago, interval: ${host.intervalMs ?? 'none'} ms, memory limited by: ${watch.memory.limitedBy.kind}, kernel kills seen: ${watch.oomKillsSeen}`,
    reading === null
      ? null
      : `GPUs: ${reading.gpus.length}, answered in ${reading.durationMs} ms, ${formatDuration(nowMs - reading.atMs)} ago, error: ${reading.error ?? 'none'}, partial: ${yesNo(reading.partial)}`,
    trouble === null ? null : `GPU trouble: ${trouble.message}`,
    ...(reading?.gpus ?? []).map(
      gpu =>
        `GPU ${gpu.index}: ${plain(gpu.name ?? 'no name')}, fault: ${gpu.fault ?? 'none'}, MIG: ${gpu.migEnabled ?? 'unknown'}`,
    ),
  ].filter(line => line !== null);
}

/** Replaces what names a host or a user wherever it appears, the longest names first. */
function redactor(hosts: readonly HostState[]): (text: string) => string {
  const names = hosts
    .flatMap(({ spec, identity }, index) => {
      const host = `host-${index + 1}`;
      const replacements: (readonly [string | null | undefined, string])[] = [
        [spec.id, host],
        [spec.destination, host],
        [identity?.hostname, host],
        [spec.user, 'user'],
      ];
      return replacements;
    })
    .map(([name, replacement]) => [name ?? '', replacement] as const)
    .filter(([name]) => name !== '')
    .sort(([a], [b]) => b.length - a.length);
  return text =>
    names
      .reduce((redacted, [name, replacement]) => redacted.replaceAll(name, replacement), text)
      .replace(/([/\\](?:home|Users)[/\\])[^/\\\s“”"':]+/g, '$1user');
}

function yesNo(value: boolean): string {
  return value ? 'yes' : 'no';
}
