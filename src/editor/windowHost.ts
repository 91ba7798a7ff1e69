import { env, workspace } from 'vscode';
import { type HostSpec, parseHostSpec } from '../core/host/hostSpec';
import { remoteSshHost } from '../core/host/remoteAuthority';

/** The host of this window, where it is a Remote-SSH window; null elsewhere. */
export function windowHost(): HostSpec | null {
  if (env.remoteName === undefined) return null;
  const folder = workspace.workspaceFolders?.find(({ uri }) => uri.scheme === 'vscode-remote');
  const authority = folder?.uri.authority ?? workspace.workspaceFile?.authority ?? '';
  const named = remoteSshHost(authority);
  const parsed = named === null ? null : parseHostSpec(named);
  return parsed?.kind === 'host' ? parsed.spec : null;
}
