import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Window } from '../support/browser';
import { startBackground, until, type Background } from '../support/processes';
import { alias, hostileName, pictureOfFailure, startRig, type Rig } from './rig';

/** As much of it as an alias of an SSH configuration can be. */
const hostileAlias = 'x[a](command:workbench.action.quit)$(flame)';

let rig: Rig;
let window: Window;
let trainer: Background;
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  rig = await startRig({
    trust: false,
    sshConfig: [`Host ${hostileAlias}`, '  HostName 127.0.0.1', '  Port 1', '  IdentityAgent none'],
  });
  endings.push(() => rig.end());
  const { alice, box } = rig;
  trainer = startBackground('sleep', ['100000'], { uid: alice.uid, gid: alice.gid });
  endings.push(() => trainer.end());
  box.setCard(0, { name: `GPU ${hostileName}` });
  box.setCard(1, { name: `${hostileName}${'long '.repeat(2_000)}` });
  // No account can be called this here, but a directory service may answer with anything.
  const stat = `#!/bin/sh\nshift 2\nfor process; do printf '%s 1000 %s\\n' "$process" '${hostileName}'; done\n`;
  writeFileSync(join(box.binDir, 'stat'), stat, { mode: 0o755 });
  box.setProcess({ gpu: 0, pid: trainer.child.pid!, name: `/bin/${hostileName}`, mib: 40_755, util: 100, watts: 400 });
  window = await rig.open();
  await window.openSideBar();
});

afterEach(context => pictureOfFailure(window, rig, context));

afterAll(async () => {
  for (const end of endings.reverse()) await end();
});

/** The text is there, and neither a link, nor an icon, nor a character that is not seen came of it. */
async function isPlain(where: Locator): Promise<void> {
  const text = await where.innerText();
  expect(text).toContain('command:');
  // Line breaks and tabs here are VS Code's own: between blocks, and between the cells of a table.
  expect(text.replace(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  expect(await where.locator('[href*="command:"], [data-href*="command:"], .codicon-flame').count()).toBe(0);
}

describe('names that would be links and icons are plain text', () => {
  it('in the quick pick and in the notification of a failure', async () => {
    await window.command('Headroom: Connect to Host');
    const choice = window.pickerRows.filter({ hasText: 'workbench.action.quit' }).first();
    await choice.waitFor();
    await isPlain(choice);
    await choice.click();
    const toast = window.toasts.filter({ hasText: 'command:' }).first();
    await toast.waitFor();
    await isPlain(toast);
    await isPlain(window.treeRows.filter({ hasText: 'command:' }).first());
    await isPlain(window.statusBarItem('headroom.status'));
  });

  it('in the tree, and in what hovers over it', async () => {
    await window.command('Headroom: Connect to Host');
    await window.choose(alias);
    await window.dialog.getByRole('button', { name: 'Connect' }).click();
    await window.treeRows.filter({ hasText: `pid ${trainer.child.pid}` }).waitFor();
    const rows = window.treeRows.filter({ hasText: 'command:' });
    // The host that failed, two cards and a process.
    await until('the rows are there', async () => (await rows.count()) >= 4);
    for (const row of await rows.all()) await isPlain(row);

    const owned = window.treeRows.filter({ hasText: `pid ${trainer.child.pid}` }).first();
    // Once in the name of the process, and once in that of its user.
    expect((await owned.innerText()).split('command:')).toHaveLength(3);

    const card = window.treeRows.filter({ hasText: 'GPU 0' }).first();
    expect(await window.hoverText(card)).toContain('command:');
    await isPlain(window.hover.first());
  });

  it('in what hovers over the status bar', async () => {
    await window.command('Headroom: Forget Host');
    await window.pickerRows.filter({ hasText: 'command:' }).first().click();
    const status = window.statusBarItem('headroom.status');
    await until('the status bar tells of the other host', async () => (await status.innerText()).includes(alias));
    await until('its hover tells of the cards', async () => {
      return (await window.hoverText(status)).includes('command:');
    });
    await isPlain(window.hover.first());
  });

  it('and nothing came of them', async () => {
    await window.page.locator('.monaco-workbench .statusbar').waitFor();
    expect((await window.tree()).some(row => row.text.includes(alias))).toBe(true);
  });
});
