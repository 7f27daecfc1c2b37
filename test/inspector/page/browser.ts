// A real browser for tests of the page: Chromium, by playwright-core. Where there is none, the
// tests are skipped and their titles say so.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Result } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { buildPage } from '#src/inspector/page/build.ts';
import { chromiumHere } from './chromium.ts';

export { withoutBrowser } from './chromium.ts';

/** For whatever a page is waited for: the machine may be ten times as slow as usual. Of
 *  `expect.poll`, whose own patience is a second, too. */
export const soon = { timeout: 120_000 };
/** Of a test that waits for several such things. */
export const patient = { timeout: 300_000 };

export type Theme = 'dark' | 'light';
const viewport = { width: 1360, height: 800 };
/** Some browsers make one of LANG=C that `Intl` does not know. */
const locale = 'en-US';

/** A browser and a page that was built for it; `close` belongs in an `afterAll`. */
export class Browsing {
  readonly folder: string;
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  /** What pages said in their consoles that is an error, and what they threw. */
  readonly errors: string[] = [];

  private constructor(browser: Browser, folder: string) {
    this.#browser = browser;
    this.folder = folder;
  }

  static async open(): Promise<Browsing> {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-page-'));
    await buildPage(folder);
    const browser = await chromium.launch({
      ...(await chromiumHere()),
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'],
    });
    return new Browsing(browser, folder);
  }

  /** A tab of a profile of its own. */
  async tab(theme: Theme = 'dark'): Promise<Page> {
    const context = await this.#browser.newContext({ colorScheme: theme, viewport, locale });
    this.#contexts.push(context);
    const page = await context.newPage();
    page.setDefaultTimeout(soon.timeout);
    page.on('pageerror', (error) => this.errors.push(error.message));
    page.on('console', (message) => {
      // Requests that fail are said by the page itself, and are what some tests want.
      if (message.type() !== 'error' || /Failed to load resource/.test(message.text())) return;
      this.errors.push(message.text());
    });
    return page;
  }

  async closeTabs(): Promise<void> {
    await Promise.all(this.#contexts.splice(0).map((context) => context.close()));
  }

  async close(): Promise<void> {
    await this.#browser.close();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Waits for the text; where it does not come the error says what is there instead. */
export async function shown(page: Page, text: string): Promise<void> {
  try {
    await page.getByText(text).waitFor();
  } catch (error) {
    const there = (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ').slice(0, 500);
    throw new Error(`"${text}" is not on ${page.url()}, but: ${there}`, { cause: error });
  }
}

/** What axe finds wrong, in short. */
export async function axeViolations(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page })
    .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
    .analyze();
  return violations.flatMap(({ id, nodes }: Result) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary}`),
  );
}
