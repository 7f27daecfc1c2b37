// Each screen of the inspector's page in a real browser, in both themes: what it must say, and that
// axe finds nothing.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '#src/time/clock.ts';
import { axeViolations, Browsing, patient, soon, type Theme, withoutBrowser } from './browser.ts';
import { FakeInspector } from './fake.ts';
import { playScene } from './scene.ts';
import { screens } from './screens.ts';

const themes: readonly Theme[] = ['dark', 'light'];

describe.skipIf(withoutBrowser !== '')(`The inspector's page${withoutBrowser}`, patient, () => {
  let browsing: Browsing;
  let fake: FakeInspector;

  beforeAll(async () => {
    browsing = await Browsing.open();
    fake = await FakeInspector.start({ folder: browsing.folder });
    playScene(fake, systemClock.now());
  });
  afterEach(() => browsing.closeTabs());
  afterAll(async () => {
    await fake?.stop();
    await browsing?.close();
  });

  const cases = themes.flatMap((theme) => screens.map((screen) => ({ theme, ...screen })));

  it.each(cases)('shows $name in $theme', async ({ theme, path, says }) => {
    const page = await browsing.tab(theme);
    await page.goto(fake.url + path);
    for (const text of says) await page.getByText(text).first().waitFor();
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe(theme);
    expect(await axeViolations(page)).toEqual([]);
    expect(browsing.errors).toEqual([]);
  });

  it.each(themes)('shows its keys and a command in %s', async (theme) => {
    const page = await browsing.tab(theme);
    await page.goto(`${fake.url}/ui/actors/podcliqueset/inference/mixtral`);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Park' }).click();
    await page.getByRole('dialog', { name: 'Park this actor' }).waitFor();
    expect(await axeViolations(page)).toEqual([]);
  });

  it('goes over to the other theme and stays there', async () => {
    const page = await browsing.tab('dark');
    await page.goto(`${fake.url}/ui/`);
    await page.getByRole('button', { name: 'light' }).click();
    await page.reload();
    await page.getByRole('button', { name: 'dark' }).waitFor();
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(
      'rgb(255, 255, 255)',
    );
  });

  it('goes back and forward as the browser does', async () => {
    const page = await browsing.tab();
    await page.goto(`${fake.url}/ui/`);
    await page.getByRole('link', { name: 'podclique', exact: true }).click();
    await page.waitForURL('**/ui/machines/podclique');
    await page.getByRole('link', { name: 'Trouble' }).click();
    await page.waitForURL('**/ui/trouble');
    await page.goBack();
    await expect.poll(() => page.title(), soon).toBe('podclique · Coppice');
    await page.goForward();
    await expect.poll(() => page.title(), soon).toBe('trouble · Coppice');
  });
});
