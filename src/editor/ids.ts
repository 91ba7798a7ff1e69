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
} as const;

export type CommandId = (typeof commandIds)[keyof typeof commandIds];

export const settingIds = {
  sshConfigFile: 'headroom.ssh.configFile',
  nvidiaSmiPath: 'headroom.nvidiaSmiPath',
} as const;

export type SettingId = (typeof settingIds)[keyof typeof settingIds];

export const viewIds = {
  container: 'headroom',
  hosts: 'headroom.hosts',
} as const;

export type ViewId = Exclude<(typeof viewIds)[keyof typeof viewIds], typeof viewIds.container>;

/** Conditions that menus ask for. */
export const contextKeys = {
  /** boolean: the Hosts view has hosts. */
  hasHosts: 'headroom.hasHosts',
} as const;

export type ContextKey = (typeof contextKeys)[keyof typeof contextKeys];

export const statusBarItemId = 'headroom.status';

/** Keys of the workspace's own storage. */
export const storageKeys = {
  /** string[]: hosts that the user connected in this workspace, as they named them. */
  connectedHosts: 'headroom.connectedHosts',
} as const;
