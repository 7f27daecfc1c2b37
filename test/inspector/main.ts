// `npm run pictures`: the screens of the inspector as PNG files, for the README and docs/. Over the
// made-up scene of the tests, so that they show trouble of every kind; look at them before they are
// checked in.
import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Browsing, type Theme, withoutBrowser } from './page/browser.ts';
import { FakeInspector } from './page/fake.ts';
import { playScene } from './page/scene.ts';
import { screens } from './page/screens.ts';

const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
/** Of one picture: they are part of every clone. */
const maxBytes = 300_000;
/** Lines over time have a few points then, and none of it moves any more. */
const pauseMs = 6000;

if (withoutBrowser !== '') throw new Error('there is no Chromium for this machine');
mkdirSync(folder, { recursive: true });
const browsing = await Browsing.open();
const fake = await FakeInspector.start({ folder: browsing.folder });
try {
  playScene(fake, Date.now());
  for (const { name, path, says } of screens) await take(name, path, says, 'dark');
  const [overview] = screens;
  if (overview !== undefined) await take('overview-light', overview.path, overview.says, 'light');
} finally {
  await fake.stop();
  await browsing.close();
}

async function take(
  name: string,
  path: string,
  says: readonly (string | RegExp)[],
  theme: Theme,
): Promise<void> {
  const page = await browsing.tab(theme);
  await page.goto(fake.url + path);
  for (const text of says) await page.getByText(text).first().waitFor();
  await page.waitForTimeout(pauseMs);
  const file = `${folder}${name}.png`;
  await page.screenshot({ path: file });
  await browsing.closeTabs();
  const { size } = statSync(file);
  console.log(`${name}.png ${Math.round(size / 1000)} kB`);
  if (size > maxBytes) throw new Error(`${file} has ${size} bytes, more than ${maxBytes}`);
}
