import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser, type Locator, type Page } from 'playwright-core';
import { screenshots } from './paths';
import { until } from './processes';

/** Debian's Chromium. Its profile is new each time and gone with the browser. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** As much of an element of the page as is read here; the project has no types of the browser's. */
interface PageElement {
  readonly textContent: string | null;
  getAttribute(name: string): string | null;
}

export interface TreeRow {
  /** 1 for the outermost. */
  readonly level: number;
  /** What is written: label and description. */
  readonly text: string;
  /** What a screen reader says. */
  readonly spoken: string;
}

/** A VS Code window as a user sees and works it. */
export class Window {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** Opens VS Code in a browser context of its own, as a fresh machine would: nothing is remembered there. */
  static async open(browser: Browser, url: string): Promise<Window> {
    const context = await browser.newContext({ reducedMotion: 'reduce', viewport: { width: 1280, height: 800 } });
    const window = new Window(await context.newPage());
    await window.load(url);
    return window;
  }

  async load(url: string): Promise<void> {
    await this.page.goto(url);
    await this.page.locator('.monaco-workbench .statusbar').waitFor({ timeout: 60_000 });
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }

  /** The quick pick or input box that is open. */
  get picker(): Locator {
    return this.page.locator('.quick-input-widget:visible');
  }

  get pickerRows(): Locator {
    return this.picker.locator('.monaco-list-row');
  }

  get toasts(): Locator {
    return this.page.locator('.notifications-toasts .notification-toast');
  }

  get dialog(): Locator {
    return this.page.locator('.monaco-dialog-box');
  }

  /** The rows of the view that is open in the side bar. */
  get treeRows(): Locator {
    return this.page.locator('.sidebar .monaco-list-row');
  }

  get hover(): Locator {
    return this.page.locator('.monaco-hover:visible');
  }

  /** Runs a command from the palette by its whole title, "Headroom: Connect to Host". Waits until the palette offers it. */
  async command(title: string): Promise<void> {
    const row = this.pickerRows.filter({ hasText: title }).first();
    await until(
      `the palette offers "${title}"`,
      async () => {
        await this.page.keyboard.press('Escape');
        await this.page.keyboard.press('F1');
        await this.picker.locator('input').first().fill(`>${title}`, { timeout: 5_000 });
        await row.click({ timeout: 3_000 });
        return true;
      },
      60_000,
    );
  }

  /** Chooses the row of the open quick pick that holds the text. */
  async choose(text: string): Promise<void> {
    await this.pickerRows.filter({ hasText: text }).first().click({ timeout: 20_000 });
  }

  /** Types into the open quick pick or input box and confirms. */
  async answer(text: string): Promise<void> {
    await this.picker.locator('input').first().fill(text, { timeout: 20_000 });
    await this.page.keyboard.press('Enter');
  }

  /** The status bar item of the extension with this id. */
  statusBarItem(id: string): Locator {
    return this.page.locator(`.statusbar-item[id="headroom.headroom.${id}"]`);
  }

  /** Shows the extension's own side bar. */
  async openSideBar(): Promise<void> {
    const icon = this.page.locator('.activitybar .action-item a[aria-label^="Headroom"]');
    await icon.waitFor({ timeout: 60_000 });
    if ((await icon.getAttribute('aria-expanded')) !== 'true') await icon.click();
    await this.page.locator('.sidebar .composite.title:visible').waitFor();
  }

  /** Drags the right edge of the side bar to this column. */
  async widenSideBar(x: number): Promise<void> {
    const box = await this.page.locator('.sidebar').boundingBox();
    if (box === null) throw new Error('The side bar is not open.');
    // The edge that can be taken lies in the gap beside the side bar, 4 px wide.
    await this.page.mouse.move(box.x + box.width + 3, 300);
    await this.page.mouse.down();
    await this.page.mouse.move(x, 300, { steps: 5 });
    await this.page.mouse.up();
  }

  async tree(): Promise<readonly TreeRow[]> {
    return this.treeRows.evaluateAll((rows: readonly PageElement[]) =>
      rows.map(row => ({
        level: Number(row.getAttribute('aria-level')),
        text: (row.textContent ?? '').trim(),
        spoken: row.getAttribute('aria-label') ?? '',
      })),
    );
  }

  /** Rests the mouse on something and gives the text of the hover that comes; again, when a redraw came before it. */
  async hoverText(target: Locator): Promise<string> {
    return until('the hover comes', async () => {
      await this.page.mouse.move(640, 300);
      await target.hover({ timeout: 2_000 });
      await this.hover.first().waitFor({ timeout: 2_000 });
      return this.hover.first().innerText({ timeout: 1_000 });
    });
  }

  async screenshot(name: string): Promise<string> {
    mkdirSync(screenshots, { recursive: true });
    const path = join(screenshots, `${name}.png`);
    await this.page.screenshot({ path });
    return path;
  }
}
