import { l10n, window } from 'vscode';
import type { HostState, State } from '../core/model/state';
import { connectionMeaning } from '../core/present/connectionTexts';
import { plain } from '../core/present/plain';

/**
 * The host that a command is about: that of the tree row it was started from, the only one there is, or the user's choice.
 * undefined when there is none or none was chosen.
 */
export async function hostOfCommand(
  row: unknown,
  state: State,
  applies: (host: HostState) => boolean,
  placeHolder: string,
): Promise<HostState | undefined> {
  const named = hostOfRow(row);
  if (named !== null) return state.hosts.get(named);
  const [only, ...more] = [...state.hosts.values()].filter(applies);
  if (only === undefined) {
    void window.showInformationMessage(l10n.t('There is no host to do this with.'));
    return undefined;
  }
  if (more.length === 0) return only;
  const items = [only, ...more].map(host => ({
    label: plain(host.spec.id),
    description: connectionMeaning(host.connection) ?? l10n.t('connected'),
    host,
  }));
  const chosen = await window.showQuickPick(items, { placeHolder });
  return chosen?.host;
}

/** Commands are given whatever their caller likes, so a row is only what looks like one. */
function hostOfRow(row: unknown): string | null {
  if (typeof row !== 'object' || row === null || !('host' in row)) return null;
  return typeof row.host === 'string' ? row.host : null;
}
