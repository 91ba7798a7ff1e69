import { l10n, window } from 'vscode';
import type { HostId } from '../../core/host/hostSpec';
import type { AttemptState } from '../../core/model/jobsState';
import type { State } from '../../core/model/state';
import { plain } from '../../core/present/plain';
import { withoutSecrets } from '../../core/present/withoutSecrets';

export interface AttemptOfCommand {
  readonly host: HostId;
  readonly state: AttemptState;
}

/**
 * The attempt that a command is about: that of the tree row it was started from, the only one it applies to, or the user's
 * choice, the newest first. undefined when there is none or none was chosen.
 */
export async function attemptOfCommand(
  row: unknown,
  state: State,
  applies: (attempt: AttemptState) => boolean,
  placeHolder: string,
): Promise<AttemptOfCommand | undefined> {
  const named = namedByRow(row);
  if (named !== null) {
    const found = state.hosts.get(named.host)?.jobs?.attempts.get(named.attempt);
    return found === undefined ? undefined : { host: named.host, state: found };
  }
  const [only, ...more] = [...state.hosts.values()]
    .flatMap(({ spec, jobs }) => [...(jobs?.attempts.values() ?? [])].map(found => ({ host: spec.id, state: found })))
    .filter(found => applies(found.state))
    .sort((one, other) => other.state.attempt.spec.createdAtMs - one.state.attempt.spec.createdAtMs);
  if (only === undefined) {
    void window.showInformationMessage(l10n.t('There is no job to do this with.'));
    return undefined;
  }
  if (more.length === 0) return only;
  const items = [only, ...more].map(found => ({
    label: plain(found.state.attempt.spec.job),
    description: describe(found),
    detail: plain(withoutSecrets(found.state.attempt.spec.run), 200),
    found,
  }));
  return (await window.showQuickPick(items, { placeHolder, matchOnDetail: true }))?.found;
}

function describe({ host, state: { attempt } }: AttemptOfCommand): string {
  const values = Object.entries(attempt.spec.values).map(([name, value]) => `${plain(name)} ${value}`);
  return [...values, l10n.t('on {0}', plain(host)), attempt.status.kind, attempt.id].join(' · ');
}

/** Commands are given whatever their caller likes, so a row is only what looks like one. */
function namedByRow(row: unknown): { readonly host: HostId; readonly attempt: string } | null {
  if (typeof row !== 'object' || row === null || !('host' in row) || !('attempt' in row)) return null;
  const { host, attempt } = row;
  return typeof host === 'string' && typeof attempt === 'string' ? { host, attempt } : null;
}
