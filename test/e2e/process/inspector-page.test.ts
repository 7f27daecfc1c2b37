// The inspector's page in a real browser over real controllers on the embedded cluster: what users
// see of a set that comes up, that is parked and whose controller is killed.
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFailed } from 'vitest';
import type { Page } from 'playwright-core';
import {
  axeViolations,
  Browsing,
  patient,
  soon,
  withoutBrowser,
} from '#test/inspector/page/browser.ts';
import { freePort } from '#test/support/ports.ts';
import { Place, type Running } from '#test/support/place.ts';
import { tokenOf } from '#test/support/tokens.ts';
import { createNamespace, createSet, patchSet } from '#test/support/workload.ts';

const namespace = 'seen';
const set = `podcliqueset/${namespace}/demo`;

describe.skipIf(withoutBrowser !== '')(`The page of real controllers${withoutBrowser}`, () => {
  const place = new Place();
  let browsing: Browsing;
  let page: Page;
  let port = 0;
  let token = '';
  let running: Running;

  const start = async (): Promise<void> => {
    running = await place.controller({
      bus: { enabled: false },
      modules: { grove: true },
      inspector: { enabled: true, port, pageFolder: browsing.folder },
    });
    await running.program.line(/controller synced/);
  };
  const open = async (path: string): Promise<void> => {
    page = await browsing.tab();
    onTestFailed(async () => {
      process.stderr.write(
        `the page at ${page.url()}: ${await page.locator('body').innerText()}\n`,
      );
    });
    await page.goto(`http://127.0.0.1:${port}${path}#token=${token}`);
  };

  beforeAll(async () => {
    browsing = await Browsing.open();
    port = await freePort();
    await place.start({ nodes: 4 });
    await createNamespace(place.client, namespace);
    token = await tokenOf(place.client, 'viewer');
    await start();
  }, 120_000);
  afterEach(() => browsing.closeTabs());
  afterAll(async () => {
    await place.end();
    await browsing?.close();
  });

  it(
    'show a set come up, and why, chart, history and trace of what somebody edits',
    patient,
    async () => {
      await open('/ui/actors');
      await page.getByText('There are no actors.').waitFor();
      const cliques = [{ name: 'w', replicas: 2 }];
      await createSet(place.client, namespace, { name: 'demo', replicas: 2, cliques });
      await page.getByText('5 of 5').waitFor();
      const row = (name: string) => page.getByRole('row').filter({ hasText: name });
      await row('demo-1-w').getByText('ready').waitFor();
      await page.getByRole('link', { name: 'demo', exact: true }).click();
      await page.getByText(/looks again/).waitFor();
      await patchSet(place.client, namespace, 'demo', { spec: { replicas: 3 } });
      await page.keyboard.press('h');
      const edited = page.getByRole('listitem').filter({ hasText: 'spec.replicas' });
      await edited.first().waitFor();
      expect(await axeViolations(page)).toEqual([]);
      // Only what is in view is drawn, and in which order its facts come is not known.
      await page.setViewportSize({ width: 1360, height: 4000 });
      await edited.first().getByRole('link', { name: /trace/ }).click();
      await page.getByText('coppice-test', { exact: true }).waitFor();
      await page
        .getByText(/create PodClique\/seen\/demo-2-w ok/)
        .first()
        .waitFor();
      expect(await axeViolations(page)).toEqual([]);
      await page.goto(
        `http://127.0.0.1:${port}/ui/actors/podclique/${namespace}/demo-2-w?tab=chart`,
      );
      await page.locator('[data-path="active.readiness.ready"].active').waitFor();
      expect(browsing.errors).toEqual([]);
    },
  );

  it('park and unpark an actor with a reason, which why tells', patient, async () => {
    await open(`/ui/actors/${set}`);
    await page.getByRole('button', { name: 'Park' }).click();
    await page.getByLabel('Reason').fill('the rack is moved');
    await page.getByLabel('Reason').press('Enter');
    await page.getByText(/parked: .*viewer: the rack is moved/).waitFor();
    await page.getByRole('button', { name: 'Unpark' }).click();
    await page.getByLabel('Reason').fill('it stands again');
    await page.getByLabel('Reason').press('Enter');
    await page.getByRole('button', { name: 'Park', exact: true }).waitFor();
    await page.keyboard.press('h');
    await page.getByRole('listitem').filter({ hasText: 'unparked' }).waitFor();
  });

  it('ask for a token, and refuse one that nobody gave', patient, async () => {
    page = await browsing.tab();
    await page.goto(`http://127.0.0.1:${port}/ui/`);
    await page.getByLabel('Token').fill('made-up');
    await page.getByRole('button', { name: 'Go on' }).click();
    await page
      .getByRole('alert')
      .getByText(/UNAUTHORIZED/)
      .waitFor();
    expect(await page.getByText('demo').count()).toBe(0);
  });

  it('say that the controller is gone, and go on with the next one', patient, async () => {
    await open('/ui/actors');
    await page.getByText('7 of 7').waitFor();
    await running.program.kill();
    await page.getByText(/Connection lost/).waitFor();
    await page.getByRole('row').filter({ hasText: 'demo-0-w' }).waitFor();
    await start();
    await page.getByText(/Connection lost/).waitFor({ state: 'detached' });
    await expect.poll(() => page.getByText('7 of 7').count(), soon).toBe(1);
    await patchSet(place.client, namespace, 'demo', { spec: { replicas: 1 } });
    await page.getByText('3 of 3').waitFor();
  });
});
