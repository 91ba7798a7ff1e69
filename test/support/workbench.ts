import { chownSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, run, startBackground, until, type Background } from './processes';
import type { WorkbenchInstall } from './workbenchInstall';

export interface WorkbenchOptions {
  readonly install: WorkbenchInstall;
  readonly vsix: string;
  /** Where its folder is made. */
  readonly parent: string;
  /** Whom VS Code runs as; null: as ourselves. */
  readonly user: { readonly uid: number; readonly gid: number; readonly name: string } | null;
  /** User settings on top of those that keep VS Code quiet. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** null: anybody on this machine gets in. Only for sealed tests. */
  readonly password: string | null;
  /** Workspace trust as users have it: a folder is untrusted until they say otherwise. */
  readonly trust: boolean;
  /** null: an empty home of its own. */
  readonly home: string | null;
  readonly env: NodeJS.ProcessEnv;
}

/** A running VS Code server with the extension installed and a profile of its own. */
export interface Workbench {
  readonly url: string;
  readonly process: Background;
  /** Its logs, and with them the extension's. */
  readonly logs: string;
  /** Writes the user settings anew, for windows that are loaded from then on. */
  setSettings(settings: Readonly<Record<string, unknown>>): void;
  /** Writes the user's key bindings anew. */
  setKeys(keys: readonly { readonly key: string; readonly command: string }[]): void;
  end(): Promise<void>;
}

const quiet = {
  'workbench.startupEditor': 'none',
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'chat.disableAIFeatures': true,
  'git.enabled': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'files.simpleDialog.enable': true,
  'window.dialogStyle': 'custom',
  'workbench.reduceMotion': 'on',
  'terminal.integrated.gpuAcceleration': 'off',
};

export async function startWorkbench(options: WorkbenchOptions): Promise<Workbench> {
  const folder = mkdtempSync(join(options.parent, 'headroom-workbench-'));
  const clean = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  try {
    const workbench = await startIn(folder, options);
    const end = async (): Promise<void> => {
      await workbench.process.end();
      clean();
    };
    return { ...workbench, end };
  } catch (error) {
    clean();
    throw error;
  }
}

async function startIn(folder: string, options: WorkbenchOptions): Promise<Omit<Workbench, 'end'>> {
  const { install, user, password, trust } = options;
  const at = (name: string): string => join(folder, name);
  const own = (path: string): void => {
    if (user !== null) chownSync(path, user.uid, user.gid);
  };
  own(folder);
  for (const name of ['data', 'data/User', 'data/Machine', 'extensions', 'home', 'workspace']) {
    mkdirSync(at(name));
    own(at(name));
  }
  writeFileSync(at('config.yaml'), '');
  own(at('config.yaml'));
  const setSettings = (settings: Readonly<Record<string, unknown>>): void => {
    const all = {
      ...quiet,
      'security.workspace.trust.enabled': trust,
      'security.workspace.trust.startupPrompt': 'never',
      ...settings,
    };
    const file = at('data/User/settings.json');
    writeFileSync(file, JSON.stringify(all, null, 2));
    own(file);
  };
  setSettings(options.settings);
  const setKeys: Workbench['setKeys'] = keys => {
    const file = at('data/User/keybindings.json');
    writeFileSync(file, JSON.stringify(keys));
    own(file);
  };
  // The package may lie where that user cannot read it.
  copyFileSync(options.vsix, at('headroom.vsix'));

  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    LANG: 'C.UTF-8',
    HOME: options.home ?? at('home'),
    ...(user === null ? {} : { USER: user.name, LOGNAME: user.name }),
    ...(options.home === null ? { XDG_CONFIG_HOME: at('home/.config'), XDG_DATA_HOME: at('home/.local/share') } : {}),
    // No gallery: nothing is fetched from anywhere.
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    ...(password === null ? {} : { PASSWORD: password }),
    ...options.env,
  };
  const identity = user === null ? {} : { uid: user.uid, gid: user.gid };
  const base = [install.entry, '--config', at('config.yaml')];
  base.push('--user-data-dir', at('data'), '--extensions-dir', at('extensions'));

  const installed = await run(install.node, [...base, '--install-extension', at('headroom.vsix'), '--force'], {
    env,
    cwd: folder,
    timeoutMs: 120_000,
    ...identity,
  });
  if (installed.code !== 0)
    throw new Error(`VS Code did not take the extension:\n${installed.stdout}${installed.stderr}`);

  const port = await freePort();
  const server = startBackground(
    install.node,
    [
      ...base,
      '--bind-addr',
      `127.0.0.1:${port}`,
      '--auth',
      password === null ? 'none' : 'password',
      '--disable-telemetry',
      '--disable-update-check',
      ...(trust ? [] : ['--disable-workspace-trust']),
      '--disable-getting-started-override',
      '--ignore-last-opened',
      '--reconnection-grace-time',
      '2',
      at('workspace'),
    ],
    { env, cwd: folder, ...identity },
  );
  const origin = `http://127.0.0.1:${port}`;
  try {
    await until(
      'VS Code answers',
      async () => {
        if (server.child.exitCode !== null) throw new Error(server.output());
        return (await fetch(`${origin}/healthz`)).ok;
      },
      60_000,
    );
  } catch (error) {
    await server.end();
    throw error;
  }
  return { url: `${origin}/?folder=${at('workspace')}`, process: server, logs: at('data/logs'), setSettings, setKeys };
}
