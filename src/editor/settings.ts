import { ConfigurationTarget, workspace } from 'vscode';
import type { JobPlace } from '../control/ports';
import { settingIds, type SettingId, type TellSettingId } from './ids';

/** The file for `ssh -F`; null for ssh's own choice. */
export function sshConfigFile(): string | null {
  return textSetting(settingIds.sshConfigFile);
}

/** Where nvidia-smi is on the hosts; null to look for it. */
export function nvidiaSmiPath(): string | null {
  return textSetting(settingIds.nvidiaSmiPath);
}

/** Where attempts are kept on the hosts; null for the usual places. */
export function jobPlace(): JobPlace {
  return { state: textSetting(settingIds.stateFolder), logs: textSetting(settingIds.logFolder) };
}

/** After how much silence a job counts as quiet, ms; null: never. */
export function stallAfterMs(): number | null {
  const minutes = numberSetting(settingIds.stallMinutes);
  return minutes > 0 ? minutes * 60_000 : null;
}

/** How long a job that is stopped is given after each signal but the last, ms. */
export function stopGraceMs(): number {
  return numberSetting(settingIds.stopGraceSeconds) * 1000;
}

/** Whether this kind of news is told; the marks in the views do not depend on it. */
export function isTold(id: TellSettingId): boolean {
  return userSetting(id) !== false;
}

export async function mute(id: TellSettingId): Promise<void> {
  await workspace.getConfiguration().update(id, false, ConfigurationTarget.Global);
}

/**
 * All settings have application scope: VS Code takes no value from a workspace, and in a Remote-SSH window, where this
 * extension runs on the user's own machine, it is that machine's value which counts. (Machine scope would there read the
 * settings of the remote, and leave out the user's.) Reading the user's value alone says so here, too.
 */
function userSetting(id: SettingId): unknown {
  const setting = workspace.getConfiguration().inspect<unknown>(id);
  return setting?.globalValue ?? setting?.defaultValue;
}

function textSetting(id: SettingId): string | null {
  const value = userSetting(id);
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : null;
}

/** A positive number or 0. What is no number has the default of the manifest. */
function numberSetting(id: SettingId): number {
  const { globalValue, defaultValue } = workspace.getConfiguration().inspect<unknown>(id) ?? {};
  const isNumber = (value: unknown): value is number => typeof value === 'number' && value >= 0;
  return isNumber(globalValue) ? globalValue : isNumber(defaultValue) ? defaultValue : 0;
}
