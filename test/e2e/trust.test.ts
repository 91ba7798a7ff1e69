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
