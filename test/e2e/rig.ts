import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import type { TestContext } from 'vitest';
import { glob } from 'tinyglobby';
import { launchBrowser, Window } from '../support/browser';
import { createGpuBox, type GpuBox } from '../support/gpubox/gpubox';
import { startSshd, type Sshd } from '../support/sshd';
import { ensureTestUser, type TestUser } from '../support/users';
import { startWorkbench, type Workbench } from '../support/workbench';
import { installForOthers, installWorkbench } from '../support/workbenchInstall';
import { vsixFile } from '../tools/vsix';

/** A name that would be a link, an icon, a command to a terminal and a text read backwards, if anything took it for one. */
export const hostileName =
  '[x](command:workbench.action.quit)$(flame)\u202egnp\u001b[31m\u001b]8;;http://127.0.0.1/\u0007';

export const alias = 'blackwell';

/** hr-bob's VS Code, hr-alice's account on a real sshd, and a stand-in GPU box behind it. */
export interface Rig {
  readonly alice: TestUser;
  readonly bob: TestUser;
  readonly box: GpuBox;
  readonly sshd: Sshd;
  readonly workbench: Workbench;
  readonly settings: Readonly<Record<string, unknown>>;
  /** What hr-bob's known_hosts holds. */
  knownHosts(): string;
  /** A window that remembers nothing of the others. */
  open(): Promise<Window>;
  end(): Promise<void>;
}

export interface RigOptions {
  readonly trust: boolean;
  /** Further lines of hr-bob's ssh configuration. */
  readonly sshConfig?: readonly string[];
}

export async function startRig({ trust, sshConfig = [] }: RigOptions): Promise<Rig> {
  const endings: (() => Promise<unknown>)[] = [];
  const end = async (): Promise<void> => {
    for (const ending of endings.reverse()) await ending();
  };
  try {
    const [alice, bob] = await Promise.all([ensureTestUser('hr-alice'), ensureTestUser('hr-bob')]);
    const folder = mkdtempSync(join(tmpdir(), 'headroom-e2e-'));
    chmodSync(folder, 0o755);
    endings.push(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })));

    const box = createGpuBox(join(folder, 'box'));
    const key = ssh2.utils.generateKeyPairSync('ed25519');
    const sshd = await startSshd({
      authorizedKeys: { 'hr-alice': [key.public] },
      config: [`SetEnv PATH=${box.binDir}:/usr/bin:/bin`],
    });
    endings.push(() => sshd.dispose());

    const own = join(folder, 'ssh');
    mkdirSync(own, { mode: 0o700 });
    const files = {
      key: key.private,
      known_hosts: '',
      config: [
        `Host ${alias}`,
        '  HostName 127.0.0.1',
        `  Port ${sshd.port}`,
        '  User hr-alice',
        `  IdentityFile ${join(own, 'key')}`,
        '  IdentitiesOnly yes',
        '  IdentityAgent none',
        `  UserKnownHostsFile ${join(own, 'known_hosts')}`,
        '  GlobalKnownHostsFile /dev/null',
        ...sshConfig,
        '',
      ].join('\n'),
    };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(own, name), text, { mode: 0o600 });
    for (const name of ['', ...Object.keys(files)]) chownSync(join(own, name), bob.uid, bob.gid);

    // Records of earlier runs would show up in the views.
    const state = join(folder, 'state');
    mkdirSync(state, { mode: 0o700 });
    chownSync(state, alice.uid, alice.gid);
    const settings = { 'headroom.ssh.configFile': join(own, 'config'), 'headroom.jobs.stateFolder': state };
    const workbench = await startWorkbench({
      install: await installForOthers(await installWorkbench()),
      vsix: vsixFile,
      parent: tmpdir(),
      user: bob,
      settings,
      password: null,
      trust,
      home: null,
      env: {},
    });
    endings.push(() => workbench.end());
    const browser = await launchBrowser();
    endings.push(() => browser.close());
    return {
      alice,
      bob,
      box,
      sshd,
      workbench,
      settings,
      knownHosts: () => readFileSync(join(own, 'known_hosts'), 'utf8'),
      open: () => Window.open(browser, workbench.url),
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/** What the window looked like when a test failed, and what the extension had to say. */
export async function pictureOfFailure(window: Window, rig: Rig, { task }: TestContext): Promise<void> {
  if (task.result?.state !== 'fail') return;
  console.log(`The window when it failed: ${await window.screenshot(`failed-${task.name.replace(/\W+/g, '-')}`)}`);
  for (const file of await glob('**/headroom.headroom/*.log', { cwd: rig.workbench.logs, absolute: true })) {
    console.log(readFileSync(file, 'utf8').slice(-4_000));
  }
}
