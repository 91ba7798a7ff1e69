import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Window } from '../support/browser';
import { until } from '../support/processes';
import { alias, pictureOfFailure, startRig, type Rig } from './rig';

let rig: Rig;
let window: Window;
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  rig = await startRig({ trust: true });
  endings.push(() => rig.end());
  window = await rig.open();
});

afterEach(context => pictureOfFailure(window, rig, context));

afterAll(async () => {
  for (const end of endings.reverse()) await end();
});

it('a host can be watched from a folder that is not trusted', async () => {
  // VS Code itself says that this window is restricted.
  await window.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).waitFor();
  await window.command('Headroom: Connect to Host');
  await window.choose(alias);
  await window.dialog.getByRole('button', { name: 'Connect' }).click();
  await until('the numbers are live', async () =>
    /4 of 4 free/.test(await window.statusBarItem('headroom.status').innerText({ timeout: 1_000 })),
  );
  expect(await window.page.locator('.statusbar-item', { hasText: 'Restricted Mode' }).count()).toBe(1);
});

it('a folder that is not trusted launches nothing, whoever asks', async () => {
  await window.openSideBar();
  await window.page.locator('.sidebar', { hasText: 'Nothing is launched from a workspace' }).waitFor();
  await window.page.keyboard.press('F1');
  await window.picker.locator('input').first().fill('>Headroom: Launch');
  // Only what is like it.
  await window.pickerRows.filter({ hasText: 'Connect to Host' }).first().waitFor();
  expect(await window.pickerRows.filter({ hasText: 'Launch' }).count()).toBe(0);
  await window.page.keyboard.press('Escape');

  // What a key is bound to is not asked whether the palette would offer it.
  rig.workbench.setKeys([{ key: 'f8', command: 'headroom.launchCommand' }]);
  await window.load(rig.workbench.url);
  await until('the key is known, and refused', async () => {
    await window.page.keyboard.press('F8');
    return window.toasts.filter({ hasText: 'not launched from a workspace' }).first().isVisible();
  });
});
