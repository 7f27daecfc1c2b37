// `npm run pictures`: the screens of the inspector as PNG files, for the README and docs/, of a
// real controller on the embedded cluster. Look at them before they are checked in.
import { mkdirSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { Browsing, type Theme, withoutBrowser } from '#test/inspector/page/browser.ts';
import { StuckStage } from '../stuck/stage.ts';
import { playAfternoon } from './scene.ts';

interface Picture {
  readonly name: string;
  readonly path: string;
  /** There before the picture is taken. */
  readonly says: readonly (string | RegExp)[];
  /** On the page, once that is there. */
  readonly go?: (page: Page) => Promise<unknown>;
  readonly theme?: Theme;
}

const folder = fileURLToPath(new URL('../../../docs/pictures/', import.meta.url));
/** Of one picture: they are part of every clone. */
const maxBytes = 300_000;
/** Lines over time have a few points then, and none of it moves any more. */
const pauseMs = 6000;

const stuck = '/ui/actors/podclique/inference/deepseek-r1-0-engine-0-worker';
const edited = '/ui/actors/podcliqueset/inference/llama-4';

const pictures: readonly Picture[] = [
  { name: 'overview', path: '/ui/', says: ['Actors by kind and state', 'ALREADY_EXISTS'] },
  {
    name: 'overview-light',
    path: '/ui/',
    says: ['Actors by kind and state', 'ALREADY_EXISTS'],
    theme: 'light',
  },
  { name: 'actors', path: '/ui/actors', says: ['deepseek-r1-0-engine-0-worker'] },
  { name: 'why', path: stuck, says: [/Insufficient nvidia/] },
  { name: 'chart', path: `${stuck}?tab=chart`, says: ['Last transitions'] },
  { name: 'history', path: `${edited}?tab=history`, says: [/spec\.replicas/] },
  { name: 'data', path: `${stuck}?tab=data`, says: ['minAvailable'] },
  { name: 'mailbox', path: `${edited}?tab=mailbox`, says: ['Taken in, newest first'] },
  {
    name: 'trace',
    path: `${edited}?tab=history`,
    says: [/spec\.replicas/],
    go: async (page) => {
      const edit = page.getByRole('listitem').filter({ hasText: 'spec.replicas' });
      await edit.first().getByRole('link', { name: /trace/ }).click();
      await page
        .getByText(/create PodClique\/inference\/llama-4-4-decode ok/)
        .first()
        .waitFor();
    },
  },
  {
    name: 'timeline',
    path: '/ui/timeline?track=podgang/inference/deepseek-r1-0',
    says: ['Facts per second'],
  },
  { name: 'trouble', path: '/ui/trouble', says: ['Parked', /rack 7/] },
  { name: 'machine', path: '/ui/machines/podclique', says: [/\d+ actors/] },
];

if (withoutBrowser !== '') throw new Error('there is no Chromium for this machine');
mkdirSync(folder, { recursive: true });
const browsing = await Browsing.open();
const stage = await StuckStage.start(browsing.folder);
try {
  await playAfternoon(stage);
  for (const picture of pictures) await take(picture);
} finally {
  await stage.end();
  await browsing.close();
}

async function take({ name, path, says, go, theme = 'dark' }: Picture): Promise<void> {
  const page = await browsing.tab(theme);
  const { url, token } = stage.asking.page;
  await page.goto(`${url}${path}#token=${token}`);
  for (const text of says) await page.getByText(text).first().waitFor();
  await go?.(page);
  await page.waitForTimeout(pauseMs);
  const file = `${folder}${name}.png`;
  await page.screenshot({ path: file });
  await browsing.closeTabs();
  const { size } = statSync(file);
  console.log(`${name}.png ${Math.round(size / 1000)} kB`);
  if (size > maxBytes) throw new Error(`${file} has ${size} bytes, more than ${maxBytes}`);
}
