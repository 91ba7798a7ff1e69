import { createHash } from 'node:crypto';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Window } from '../support/browser';
import type { Neighbour } from '../support/gpubox/gpubox';
import { startBackground, until, type Background } from '../support/processes';
import { alias, pictureOfFailure, startRig, type Rig } from './rig';

const statusId = 'headroom.status';

let rig: Rig;
let window: Window;
let trainer: Background;
let neighbour: Neighbour;
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  rig = await startRig({ trust: false });
  endings.push(() => rig.end());
  const { alice, bob, box } = rig;
  trainer = startBackground('sleep', ['100000'], { uid: alice.uid, gid: alice.gid });
  endings.push(() => trainer.end());
  box.setProcess({ gpu: 0, pid: trainer.child.pid!, name: '/usr/bin/python3', mib: 40_755, util: 100, watts: 400 });
  neighbour = await box.startNeighbour({ gpu: 2, mib: 71_200, uid: bob.uid, util: 87, watts: 480 });
  endings.push(() => neighbour.stop());
  window = await rig.open();
});

afterEach(context => pictureOfFailure(window, rig, context));

afterAll(async () => {
  for (const end of endings.reverse()) await end();
});

const status = (): Promise<string> => window.statusBarItem(statusId).innerText({ timeout: 1_000 });

const row = (text: string): Locator => window.treeRows.filter({ hasText: text }).first();

async function rowSays(text: string, pattern: RegExp, timeoutMs = 20_000): Promise<string> {
  return until(
    `the row of ${text} says ${pattern}`,
    async () => {
      const found = (await row(text).innerText({ timeout: 1_000 })).replace(/\s+/g, ' ');
      if (!pattern.test(found)) throw new Error(found);
      return found;
    },
    timeoutMs,
  );
}

async function statusSays(pattern: RegExp, timeoutMs = 20_000): Promise<string> {
  return until(
    `the status bar says ${pattern}`,
    async () => {
      const found = await status();
      if (!pattern.test(found)) throw new Error(found);
      return found;
    },
    timeoutMs,
  );
}

/** Two different readings of the row of the host's memory, so it is alive. */
/** Kept until the end, so that what is freed does not hide what is taken. */
const taken: Buffer[] = [];

async function memoryGoesOn(): Promise<void> {
  const first = await row('Host memory').getAttribute('aria-label');
  // The memory of a quiet machine hardly moves by itself.
  taken.push(Buffer.alloc(2 ** 30, 1));
  await until('the host memory changes', async () => (await row('Host memory').getAttribute('aria-label')) !== first);
}

describe('an unknown host', () => {
  it('is connected to once its key was seen and accepted, and shows live numbers', async () => {
    await window.command('Headroom: Connect to Host');
    await window.choose(alias);
    await window.dialog.waitFor();
    const question = await window.dialog.innerText();
    expect(question).toContain(alias);
    const fingerprint = /SHA256:[A-Za-z0-9+/]{43}/.exec(question)?.[0];
    expect(fingerprint).toBe(fingerprintOf(rig.sshd.hostKey('ed25519')));
    expect(rig.knownHosts()).toBe('');

    await window.dialog.getByRole('button', { name: 'Connect' }).click();
    const startedMs = performance.now();
    await statusSays(/2 of 4 free/);
    console.log(`From the accepted key to live numbers: ${(performance.now() - startedMs).toFixed(0)} ms`);
    expect(rig.knownHosts().trimEnd().split('\n')).toEqual([
      `[127.0.0.1]:${rig.sshd.port} ${rig.sshd.hostKey('ed25519')}`,
    ]);
  });

  it('shows its GPUs and the processes on them with their users', async () => {
    await window.openSideBar();
    await rowSays('GPU 0', /\d+\/600 W · 39\.\d\/95\.6 GiB · 100 %/);
    await rowSays(`pid ${trainer.child.pid}`, /python3.*hr-alice/);
    await rowSays(`pid ${neighbour.pid}`, /python3.*hr-bob/);
    await rowSays('Host memory', /\d GiB/);
  });

  it('follows what its GPUs do', async () => {
    rig.box.setCard(3, { load_watts: 300, util: 95 });
    await rowSays('GPU 3', /3\d\d\/600 W .* 95 %/);
    await statusSays(/1 of 4 free/);
    rig.box.setCard(3, { load_watts: 0, util: 0 });
    await statusSays(/2 of 4 free/);
  });
});

describe('a row whose numbers change', () => {
  it('can be read under the mouse, and goes on afterwards', async () => {
    let load = 100;
    const swing = setInterval(() => {
      load = 300 - load;
      for (const gpu of [1, 3]) rig.box.setCard(gpu, { load_watts: load });
    }, 500);
    try {
      await rowSays('GPU 3', /[1-9]\d\d\/600 W/);
      // A row may move away while the mouse comes to rest, and the hover is another's: then a user moves on to the right one.
      await until('its hover comes', async () => (await window.hoverText(row('GPU 3'))).includes('GPU 3'));
      const [other, hovered] = [await row('GPU 1').innerText(), await row('GPU 3').innerText()];
      await until('the other row goes on', async () => (await row('GPU 1').innerText()) !== other);
      expect(await window.hover.count()).toBeGreaterThan(0);
      await until('this row goes on', async () => (await row('GPU 3').innerText()) !== hovered);
    } finally {
      clearInterval(swing);
      for (const gpu of [1, 3]) rig.box.setCard(gpu, { load_watts: 0 });
    }
    await statusSays(/2 of 4 free/);
  });
});

describe('a GPU tool in trouble', () => {
  it('that fails is told with the reason, while the host memory goes on', async () => {
    rig.box.setMode('mismatch');
    await statusSays(/NVIDIA driver mismatch/);
    await rowSays('The loaded NVIDIA driver', /different versions/);
    await memoryGoesOn();
    rig.box.setMode('none');
    await statusSays(/2 of 4 free/);
  });

  it('that hangs is told so, while the host memory goes on', async () => {
    rig.box.setMode('hang 12');
    await statusSays(/nvidia-smi hangs/);
    await rowSays('nvidia-smi has not answered', /\d s/);
    await memoryGoesOn();
    rig.box.setMode('none');
    await statusSays(/2 of 4 free/, 30_000);
  });
});

describe('a lost server', () => {
  it('leaves old numbers that say so, and live ones by itself when it is back', async () => {
    await rig.sshd.stop();
    await statusSays(/\d+ s ago|retry/);
    await rowSays(alias, /ago/);
    await rig.sshd.restart();
    await statusSays(/2 of 4 free/, 60_000);
    expect(await window.dialog.count()).toBe(0);
  });
});

describe('pictures', () => {
  it.each([
    ['dark', 'Default Dark Modern', 'vs-dark'],
    ['light', 'Default Light Modern', 'vs'],
    ['hc', 'Default High Contrast', 'hc-black'],
  ])('in %s', async (name, theme, className) => {
    rig.workbench.setSettings({ ...rig.settings, 'workbench.colorTheme': theme });
    // A window that is loaded again connects again, without a question.
    await window.load(rig.workbench.url);
    await window.page.locator(`.monaco-workbench.${className}`).waitFor();
    await statusSays(/2 of 4 free/);
    await window.openSideBar();
    await rowSays(`pid ${neighbour.pid}`, /hr-bob/);
    await window.widenSideBar(600);
    const tooltip = await window.hoverText(window.statusBarItem(statusId));
    expect(tooltip).toContain('python3');
    await window.screenshot(`hosts-${name}`);
    await window.page.mouse.move(640, 300);
    await window.command('Headroom: Connect to Host');
    await window.pickerRows.filter({ hasText: alias }).first().waitFor();
    await window.screenshot(`connect-${name}`);
    await window.page.keyboard.press('Escape');
  });
});

describe('a known host', () => {
  it('is connected to without a question from a window that never saw it', async () => {
    const other = await rig.open();
    try {
      await other.command('Headroom: Connect to Host');
      await other.choose(alias);
      await until('the other window is live', async () =>
        /2 of 4 free/.test(await other.statusBarItem(statusId).innerText({ timeout: 1_000 })),
      );
      expect(await other.dialog.count()).toBe(0);
      expect(rig.knownHosts().trimEnd().split('\n')).toHaveLength(1);
    } finally {
      await other.close();
    }
  });
});

/** As `ssh-keygen -l` prints it. */
function fingerprintOf(hostKey: string): string {
  const blob = Buffer.from(hostKey.split(' ')[1]!, 'base64');
  return `SHA256:${createHash('sha256').update(blob).digest('base64').replace(/=+$/, '')}`;
}
