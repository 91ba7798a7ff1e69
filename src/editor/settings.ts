import { workspace } from 'vscode';
import { settingIds, type SettingId } from './ids';

/** The file for `ssh -F`; null for ssh's own choice. */
export function sshConfigFile(): string | null {
  return textSetting(settingIds.sshConfigFile);
}

/** Where nvidia-smi is on the hosts; null to look for it. */
export function nvidiaSmiPath(): string | null {
  return textSetting(settingIds.nvidiaSmiPath);
}

/**
 * Both settings have machine scope, so VS Code takes no value from a workspace; reading the user's value alone says so here,
 * too. A remote window keeps such settings with its remote, and there they are the "global" value as well.
 */
function textSetting(id: SettingId): string | null {
  const value = workspace.getConfiguration().inspect<unknown>(id)?.globalValue;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
