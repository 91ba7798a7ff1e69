import type { HostId } from '../host/hostSpec';
import type { AttemptState } from '../model/jobsState';
import type { State } from '../model/state';
import { plain } from './plain';
import { withoutSecrets } from './withoutSecrets';

/** A command that was launched before, as a row of "Launch Command". */
export interface RecentCommand {
  readonly run: string;
  readonly host: HostId;
  readonly cwd: string;
  readonly label: string;
  readonly description: string;
}

const mostOffered = 20;

/** The commands that the hosts remember, the newest first, each once for a place. */
export function recentCommands(state: State): readonly RecentCommand[] {
  const seen = new Set<string>();
  const recent: RecentCommand[] = [];
  for (const { host, spec } of newestAttempts(state)) {
    const key = [host, spec.cwd, spec.run].join('\n');
    if (seen.has(key) || spec.run === '') continue;
    seen.add(key);
    const description = `${plain(spec.cwd)} on ${plain(host)}`;
    recent.push({ run: spec.run, host, cwd: spec.cwd, label: plain(withoutSecrets(spec.run), 200), description });
    if (recent.length === mostOffered) break;
  }
  return recent;
}

/** Every attempt that is known of every host, the newest first. */
export function newestAttempts(
  state: State,
): readonly { readonly host: HostId; readonly spec: AttemptState['attempt']['spec'] }[] {
  return [...state.hosts.values()]
    .flatMap(({ spec: { id }, jobs }) =>
      [...(jobs?.attempts.values() ?? [])].map(({ attempt }) => ({ host: id, spec: attempt.spec })),
    )
    .sort((one, other) => other.spec.createdAtMs - one.spec.createdAtMs);
}
