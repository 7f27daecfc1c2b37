// The Chromium for machines that have none installed.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { isCarried, unpack } from './chromium.ts';

test.skipIf(!isCarried)(
  'the Chromium of the package is unpacked once, and runs a page',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-chromium-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const place = join(folder, 'chromium');
    const [here, again] = await Promise.all([unpack(place), unpack(place)]);
    expect(again).toEqual(here);
    const browser = await chromium.launch({ ...here, args: ['--no-sandbox', '--disable-gpu'] });
    onTestFinished(() => browser.close());
    const page = await browser.newPage();
    const button = '<button onclick="this.textContent = `pressed`">press</button>';
    await page.setContent(`<input value="a field needs a font">${button}`);
    await page.getByRole('button').click();
    expect(await page.getByRole('button').textContent()).toBe('pressed');
  },
);
