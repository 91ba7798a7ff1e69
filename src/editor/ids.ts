/**
 * Every name that the code and the manifest share, once. A contract test holds this table against package.json and
 * package.nls.json in both directions.
 */
export const commandIds = {
  connectHost: 'headroom.connectHost',
  disconnectHost: 'headroom.disconnectHost',
  reconnectHost: 'headroom.reconnectHost',
  forgetHost: 'headroom.forgetHost',
  showHosts: 'headroom.showHosts',
  showOutput: 'headroom.showOutput',
  copyDiagnostics: 'headroom.copyDiagnostics',
  launchCommand: 'headroom.launchCommand',
  launchSelection: 'headroom.launchSelection',
  launchScript: 'headroom.launchScript',
  launchJob: 'headroom.launchJob',
  saveJob: 'headroom.saveJob',
  stopJob: 'headroom.stopJob',
  showLog: 'headroom.showLog',
  showJobs: 'headroom.showJobs',
  refreshJobs: 'headroom.refreshJobs',
  exportRecords: 'headroom.exportRecords',
  copyAttemptId: 'headroom.copyAttemptId',
} as const;

export type CommandId = (typeof commandIds)[keyof typeof commandIds];

export const settingIds = {
  sshConfigFile: 'headroom.ssh.configFile',
  nvidiaSmiPath: 'headroom.nvidiaSmiPath',
  stateFolder: 'headroom.jobs.stateFolder',
  logFolder: 'headroom.jobs.logFolder',
  stallMinutes: 'headroom.jobs.stallMinutes',
  stopGraceSeconds: 'headroom.jobs.stopGraceSeconds',
  tellSucceeded: 'headroom.notifications.succeeded',
  tellFailed: 'headroom.notifications.failed',
  tellStopped: 'headroom.notifications.stopped',
  tellLost: 'headroom.notifications.lost',
  tellStalled: 'headroom.notifications.stalled',
} as const;

export type SettingId = (typeof settingIds)[keyof typeof settingIds];

/** Settings that mute a kind of news. */
export type TellSettingId = Extract<SettingId, `headroom.notifications.${string}`>;

export const viewIds = {
  container: 'headroom',
  hosts: 'headroom.hosts',
  jobs: 'headroom.jobs',
} as const;

export type ViewId = Exclude<(typeof viewIds)[keyof typeof viewIds], typeof viewIds.container>;

/** Conditions that menus ask for. */
export const contextKeys = {
  /** boolean: the Hosts view has hosts. */
  hasHosts: 'headroom.hasHosts',
  /** boolean: a host that is known has records of jobs. */
  hasJobs: 'headroom.hasJobs',
} as const;

export type ContextKey = (typeof contextKeys)[keyof typeof contextKeys];

export const statusBarItemId = 'headroom.status';

/** Keys of the workspace's own storage. */
export const storageKeys = {
  /** string[]: hosts that the user connected in this workspace, as they named them. */
  connectedHosts: 'headroom.connectedHosts',
} as const;
