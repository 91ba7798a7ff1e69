import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Window } from '../support/browser';
import { root } from '../support/paths';
import { signalProcess, treeOf, until } from '../support/processes';
import { alias, pictureOfFailure, startRig, type Rig } from './rig';

let rig: Rig;
let window: Window;
/** Where the jobs run, on the host. */
let project: string;
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  rig = await startRig({ trust: false });
  endings.push(() => rig.end());
  project = mkdtempSync(join(tmpdir(), 'headroom-train-'));
  endings.push(() => Promise.resolve(rmSync(project, { recursive: true, force: true })));
  endings.push(endJobs);
  copyFileSync(join(root, 'test/support/gpubox/torchrun'), join(project, 'torchrun'));
  chmodSync(join(project, 'torchrun'), 0o755);
  chownSync(project, rig.alice.uid, rig.alice.gid);
  window = await rig.open();
});

afterEach(context => pictureOfFailure(window, rig, context));

afterAll(async () => {
  for (const end of endings.reverse()) await end();
});

/** Processes whose working directory is the project: all that a job is made of, and nothing of its supervisor. */
function jobProcesses(): readonly { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(pid => {
      try {
        const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        if (
          !environment.includes(`PWD=${project}`) ||
          !environment.some(entry => entry.startsWith('HEADROOM_ATTEMPT='))
        )
          return [];
        return [
          { pid: Number(pid), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim() },
        ];
      } catch {
        return [];
      }
    });
}

const launchers = () => jobProcesses().filter(({ command }) => command.includes('torchrun'));

async function endJobs(): Promise<void> {
  for (const { pid } of jobProcesses()) {
    try {
      signalProcess(pid, 'SIGKILL');
    } catch {
      // Gone in between.
    }
  }
  await until('nothing of the jobs is left', () => jobProcesses().length === 0);
}

/** The folder that the window has open. */
const folder = (): string => new URL(rig.workbench.url).searchParams.get('folder') ?? '';

function writeJobFile(text: string): void {
  const file = join(folder(), 'headroom.yaml');
  writeFileSync(file, text);
  chownSync(file, rig.bob.uid, rig.bob.gid);
}

async function statusSays(pattern: RegExp, timeoutMs = 20_000): Promise<void> {
  await until(
    `the status bar says ${pattern}`,
    async () => pattern.test((await window.statusBarItem('headroom.status').innerText({ timeout: 1_000 })).trim()),
    timeoutMs,
  );
}

const statusIsLive = (): Promise<void> => statusSays(/4 of 4 free/);

/** A row of the Jobs view that says this. */
const row = (pattern: RegExp) => window.treeRows.filter({ hasText: pattern }).first();

const toastSays = (pattern: RegExp) => window.toasts.filter({ hasText: pattern }).first();

describe('a command', () => {
  it('of three lines runs on the host after three inputs', async () => {
    await window.command('Headroom: Connect to Host');
    await window.choose(alias);
    await window.dialog.getByRole('button', { name: 'Connect' }).click();
    await statusIsLive();
    await window.openSideBar();

    await window.command('Headroom: Launch Command');
    // What an input box makes of three pasted lines.
    await paste('./torchrun --nproc-per-node 4 train.py \\\n  --max-seq-len 8192 \\\n  --output-dir out');
    await paste(project);
    await window.choose('--max-seq-len');

    const runs = await until('it runs', () =>
      launchers().find(({ command }) => command.includes('--max-seq-len 8192')),
    );
    expect(runs.command).toContain('--output-dir out');
    await row(/8192.*running/).waitFor({ timeout: 30_000 });
    expect(launchers()).toHaveLength(1);
  });

  it('shows its log in a terminal, colours and all', async () => {
    await row(/8192.*running/).click();
    await window.command('Headroom: Show Log');
    const terminal = window.page.locator('.xterm-rows');
    await until('the log is there', async () => /ready with --nproc-per-node 4/.test(await terminal.innerText()));
    await until('it goes on', async () => /step \d+/.test(await terminal.innerText()));
    const colour = await terminal.locator('span', { hasText: 'ready' }).first().getAttribute('class');
    expect(colour).toMatch(/xterm-fg-2\b/);
  });
});

/** Types into the open quick pick as a paste does, which drops line breaks, and takes the row that says it. */
async function paste(text: string): Promise<void> {
  const input = window.picker.locator('input').first();
  await input.fill(text.replaceAll('\n', ''), { timeout: 20_000 });
  await window.pickerRows
    .filter({ hasText: text.split('\n')[0]!.slice(0, 40) })
    .first()
    .click();
}

describe('a job that runs', () => {
  it('is found again by a window that is loaded anew, and is still the only one', async () => {
    const before = launchers().map(({ pid }) => pid);
    await window.load(window.page.url());
    await window.openSideBar();
    await row(/8192.*running/).waitFor({ timeout: 60_000 });
    expect(launchers().map(({ pid }) => pid)).toEqual(before);
  });

  it('is found again when the server was gone', async () => {
    const before = launchers().map(({ pid }) => pid);
    await rig.sshd.stop();
    await statusSays(/\d+ s ago|retry/);
    await rig.sshd.restart();
    await statusSays(/^train running \d+ s$/, 60_000);
    await row(/8192.*running/).waitFor({ timeout: 60_000 });
    expect(launchers().map(({ pid }) => pid)).toEqual(before);
  });

  it('is found again when the editor was killed', async () => {
    const before = launchers().map(({ pid }) => pid);
    expect(before).toHaveLength(1);
    const hosts = treeOf(rig.workbench.process.child.pid!).filter(({ pid }) =>
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=extensionHost'),
    );
    expect(hosts).not.toEqual([]);
    for (const { pid } of hosts) signalProcess(pid, 'SIGKILL');
    await window.load(window.page.url());
    await window.openSideBar();
    await row(/8192.*running/).waitFor({ timeout: 60_000 });
    expect(launchers().map(({ pid }) => pid)).toEqual(before);
  });

  it('is told once when it has ended', async () => {
    writeFileSync(join(project, 'finish'), '');
    await toastSays(/finished in/).waitFor({ timeout: 30_000 });
    await row(/8192.*finished/).waitFor({ timeout: 30_000 });
    rmSync(join(project, 'finish'));
    await window.load(window.page.url());
    await window.openSideBar();
    await row(/8192.*finished/).waitFor({ timeout: 60_000 });
    expect(await window.toasts.filter({ hasText: /finished/ }).count()).toBe(0);
  });
});

describe('a job of a job file', () => {
  it('is not launched while the file has a fault, which is told with its place', async () => {
    writeJobFile(`version: 1\njobs:\n  drafter:\n    host: ${alias}\n    cwd: ${project}\n    rum: ./torchrun\n`);
    await window.command('Headroom: Launch Job');
    const toast = toastSays(/headroom\.yaml, line \d+, column \d+/);
    await toast.waitFor();
    expect(await toast.innerText()).toContain('run');
    await toast.getByRole('button', { name: 'Open' }).click();
    await window.page.locator('.squiggly-error').first().waitFor();
    expect(launchers()).toEqual([]);
  });

  it('runs with what the file says, and is stopped with all that belongs to it', async () => {
    writeJobFile(
      [
        'version: 1',
        'jobs:',
        '  drafter:',
        `    host: ${alias}`,
        `    cwd: ${project}`,
        '    run: ./torchrun --max-seq-len 4096',
        '    gpus: 2',
        '    parameters: { max-seq-len: { flag: --max-seq-len } }',
        '',
      ].join('\n'),
    );
    await window.command('Headroom: Launch Job');
    await until('it runs', () => launchers().find(({ command }) => command.includes('--max-seq-len 4096')));
    await row(/4096.*running/).waitFor({ timeout: 30_000 });

    await window.command('Headroom: Stop Job');
    await window.dialog.getByRole('button', { name: 'Stop' }).click();
    await until('nothing of it is left', () => jobProcesses().length === 0);
    await row(/4096.*stopped/).waitFor({ timeout: 30_000 });
    // It had the time to save.
    expect(readFileSync(join(project, 'out/saved'), 'utf8')).toBe('saved\n');
  });
});

describe('pictures', () => {
  beforeAll(async () => {
    await window.command('Headroom: Launch Job');
    const launched = await until('it runs', () => launchers()[0]);
    const process = { pid: launched.pid, name: 'python3', mib: 40_755, util: 100, watts: 400 };
    rig.box.setProcess({ gpu: 0, ...process });
  });

  it.each([
    ['dark', 'Default Dark Modern', 'vs-dark'],
    ['light', 'Default Light Modern', 'vs'],
    ['hc', 'Default High Contrast', 'hc-black'],
  ])('in %s', async (name, theme, className) => {
    rig.workbench.setSettings({ ...rig.settings, 'workbench.colorTheme': theme });
    // One that has remembered nothing, its colours included.
    await window.close();
    window = await rig.open();
    await window.page.locator(`.monaco-workbench.${className}`).waitFor();
    await window.command('Headroom: Connect to Host');
    await window.choose(alias);
    await window.openSideBar();
    await row(/4096.*running/).waitFor({ timeout: 60_000 });
    await row(/4096.*stopped/).waitFor();
    await statusSays(/^drafter .* W/);
    await window.widenSideBar(600);
    await window.screenshot(`jobs-${name}`);
  });
});
