/**
 * `npm start`: builds the extension and opens VS Code with it and the demo host. `--host ALIAS` opens it for a host of your
 * own, with your own SSH configuration. `--no-open` shows nothing on this machine's screen: the browser workbench is started
 * and its address printed. Everything ends with Ctrl-C.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startDemo } from '../support/demo';
import { openDesktop, whyNoDesktop } from '../support/desktop';
import { endDescendants } from '../support/processes';
import { startWorkbench } from '../support/workbench';
import { installWorkbench } from '../support/workbenchInstall';
import { packExtension } from './vsix';

/** Everything of this run that is written down: keys, state, profiles. */
const folder = mkdtempSync(join(tmpdir(), 'headroom-start-'));

/** What to end, the newest first. */
const endings: (() => Promise<void>)[] = [];
let ending: Promise<void> | null = null;

function endEverything(): Promise<void> {
  ending ??= (async () => {
    for (const end of endings.reverse()) await end();
    await endDescendants();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  })();
  return ending;
}

const isEnding = (): boolean => ending !== null;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    void endEverything().finally(() => process.exit(0));
  });
}

function options(): { host: string | null; open: boolean } {
  try {
    const { values } = parseArgs({ options: { host: { type: 'string' }, 'no-open': { type: 'boolean' } } });
    return { host: values.host ?? null, open: values['no-open'] !== true };
  } catch (error) {
    console.error(`${String(error)}\nusage: npm start -- [--host ALIAS] [--no-open]`);
    process.exit(2);
  }
}

/** Settings of the window: how it finds the host. */
async function prepareHost(host: string | null): Promise<{ alias: string; settings: object; about: string[] }> {
  if (host !== null) return { alias: host, settings: {}, about: [] };
  if (process.platform !== 'linux') {
    throw new Error('The demo host needs Linux. For a host of your own: npm start -- --host ALIAS');
  }
  const demo = await startDemo(folder);
  endings.push(() => demo.end());
  return {
    alias: demo.alias,
    settings: { 'headroom.ssh.configFile': demo.configFile },
    about: [`The demo host is 127.0.0.1:${demo.port}; its SSH configuration: ${demo.configFile}`],
  };
}

async function openWindow(host: string | null, open: boolean, settings: object): Promise<string[]> {
  const { file: vsix } = await packExtension();
  const reason = open ? await whyNoDesktop(process.env) : 'no window was wanted';
  if (reason === null) {
    const window = await openDesktop(folder, vsix, { ...settings, 'security.workspace.trust.enabled': false });
    endings.push(() => window.end());
    return ['VS Code opens with a profile of its own.'];
  }
  // Anybody on this machine can reach the port: the password keeps them out.
  const password = randomBytes(12).toString('base64url');
  const agent = process.env['SSH_AUTH_SOCK'];
  const workbench = await startWorkbench({
    install: await installWorkbench(),
    vsix,
    parent: folder,
    user: null,
    settings: { ...settings },
    password,
    trust: false,
    home: host === null ? null : homedir(),
    env: host === null || agent === undefined ? {} : { SSH_AUTH_SOCK: agent },
  });
  endings.push(() => workbench.end());
  const hasScreen =
    process.platform === 'darwin' || (process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']) !== undefined;
  if (open && hasScreen) {
    const opener = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [workbench.url], { stdio: 'ignore' });
    // Without such a program the user opens the address that is printed.
    opener.on('error', () => undefined);
  }
  return [`VS Code runs in the browser, because ${reason}:`, '', `  ${workbench.url}`, `  Password: ${password}`];
}

async function main(): Promise<void> {
  const { host, open } = options();
  const { alias, settings, about } = await prepareHost(host);
  const where = await openWindow(host, open, settings);
  console.log(
    [
      '',
      ...where,
      '',
      'What to click there:',
      '  1. F1, then "Headroom: Connect to Host"',
      `  2. ${alias}`,
      '  3. "Connect", once you have seen the fingerprint of the host key (only the first time)',
      '  4. The Headroom icon in the activity bar, and the numbers in the status bar',
      '',
      ...about,
      'Ctrl-C here ends all of it.',
    ].join('\n'),
  );
}

try {
  await main();
} catch (error) {
  // What fails because everything is being ended is no news.
  if (!isEnding()) console.error(error instanceof Error ? error.message : error);
  await endEverything();
  process.exit(1);
}
