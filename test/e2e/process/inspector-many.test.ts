// 10,000 actors of a real controller on the embedded cluster, in a real browser: listed, searched,
// scrolled and followed live.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Browsing, shown, soon, withoutBrowser } from '#test/inspector/page/browser.ts';
import { Place } from '#test/support/place.ts';
import { tokenOf } from '#test/support/tokens.ts';
import { createNamespace, createSet, patchSet } from '#test/support/workload.ts';

const namespace = 'many';
/** A PodClique and a PodGang each, and the set itself. */
const replicas = 5_000;
const actors = 2 * replicas + 1;
const patient = { timeout: 900_000 };
const all = `${actors.toLocaleString('en')} of ${actors.toLocaleString('en')}`;

describe.skipIf(withoutBrowser !== '')(`10,000 actors on the page${withoutBrowser}`, () => {
  const place = new Place();
  let browsing: Browsing;
  let url = '';
  let token = '';

  beforeAll(async () => {
    browsing = await Browsing.open();
    await place.start({ nodes: 100 });
    await createNamespace(place.client, namespace);
    token = await tokenOf(place.client, 'viewer');
    const { program } = await place.controller({
      bus: { enabled: false },
      modules: { grove: true },
      inspector: { enabled: true, port: 0, pageFolder: browsing.folder },
    });
    [, url = ''] = await program.line(/"inspector":"([^"]+)"/);
    await program.line(/controller synced/);
  }, 120_000);
  afterAll(async () => {
    await place.end();
    await browsing?.close();
  });

  it(
    'come up live, are found by words, and are scrolled with few rows drawn',
    patient,
    async () => {
      const page = await browsing.tab();
      page.setDefaultTimeout(600_000);
      await page.goto(`${url}/ui/actors#token=${token}`);
      const cliques = [{ name: 'w', replicas: 1 }];
      await createSet(place.client, namespace, { name: 'wide', replicas, cliques });
      await shown(page, all);
      expect(await page.getByRole('row').count()).toBeLessThan(80);
      await page.keyboard.press('j');
      await page.keyboard.press('End');
      await page
        .getByRole('row')
        .filter({ hasText: `wide-${replicas - 1}-w` })
        .waitFor();
      await page.reload();
      await shown(page, all);
      await page.keyboard.press('/');
      await page.keyboard.type('wide-4321-w');
      await shown(page, `1 of ${actors.toLocaleString('en')}`);
      await page.goto(`${url}/ui/machines/podclique`);
      await shown(page, `${replicas.toLocaleString('en')} actors`);
      await page.goto(`${url}/ui/actors?text=wide-17-w`);
      const row = page.getByRole('row').filter({ hasText: 'wide-17-w' });
      await row.waitFor();
      await patchSet(place.client, namespace, 'wide', { spec: { replicas: 10 } });
      await row.waitFor({ state: 'detached' });
      await expect.poll(() => page.getByText(/^0 of /).count(), soon).toBe(1);
      expect(browsing.errors).toEqual([]);
    },
  );
});
