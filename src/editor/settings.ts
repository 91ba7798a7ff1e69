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
 * Both settings have application scope: VS Code takes no value from a workspace, and in a Remote-SSH window, where this
 * extension runs on the user's own machine, it is that machine's value which counts. (Machine scope would there read the
 * settings of the remote, and leave out the user's.) Reading the user's value alone says so here, too.
 */
function textSetting(id: SettingId): string | null {
  const value = workspace.getConfiguration().inspect<unknown>(id)?.globalValue;
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}
