import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { launchBrowser, Window } from '../support/browser';
import { startDemoProcess, type DemoProcess } from '../support/demoProcess';
import { until } from '../support/processes';

let demo: DemoProcess;
let browser: Browser;

beforeAll(async () => {
  demo = await startDemoProcess();
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  await demo.process.end();
});

it('the demo shows what it says, by the clicks it names', async () => {
  const page = await browser.newPage({ reducedMotion: 'reduce' });
  await page.goto(demo.url);
  await page.locator('input[name=password]').fill(demo.password);
  await page.keyboard.press('Enter');
  const window = new Window(page);
  await page.locator('.monaco-workbench .statusbar').waitFor({ timeout: 60_000 });

  await window.command('Headroom: Connect to Host');
  await window.choose('blackwell');
  await window.dialog.getByRole('button', { name: 'Connect' }).click();
  const status = window.statusBarItem('headroom.status');
  await until('the numbers are live', async () => /1 of 4 free/.test(await status.innerText({ timeout: 1_000 })));

  await window.openSideBar();
  const row = window.treeRows.filter({ hasText: 'GPU 0' }).first();
  const first = await row.innerText();
  expect(first).toMatch(/\d+\/600 W · 39\.8\/95\.6 GiB/);
  await until('the power moves', async () => (await row.innerText()) !== first);
  // The third card is somebody else's.
  expect((await window.tree()).some(({ text }) => /python3.*nobody · 69\.5 GiB/.test(text))).toBe(true);
  // The second works hard and draws little.
  await window.treeRows.filter({ hasText: 'room to go up' }).waitFor({ timeout: 60_000 });
});
