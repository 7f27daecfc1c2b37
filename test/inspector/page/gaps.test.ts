// Facts that came while the page listened to nobody: it asks for them again once the rows are
// listed anew.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '#src/time/clock.ts';
import { Browsing, patient, soon, withoutBrowser } from './browser.ts';
import { FakeInspector } from './fake.ts';
import { trace } from './scene-ids.ts';
import { playScene } from './scene.ts';

describe.skipIf(withoutBrowser !== '')(`The inspector's page${withoutBrowser}`, patient, () => {
  let browsing: Browsing;
  let fake: FakeInspector;

  beforeAll(async () => {
    browsing = await Browsing.open();
    fake = await FakeInspector.start({ folder: browsing.folder });
    playScene(fake, systemClock.now());
  });
  afterAll(async () => {
    await fake.stop();
    await browsing?.close();
  });

  it('asks again for facts of which no stream has told', async () => {
    const page = await browsing.tab();
    const about = 'podgang/training/pretrain-b-0';
    const item = page.getByRole('listitem').first();
    const views = [
      { path: `traces/${trace}`, shows: () => page.getByText(`${fake.facts.length} facts of`) },
      {
        path: `actors/${about}?tab=history`,
        shows: () => item.filter({ hasText: `gap-${fake.facts.length}` }),
      },
      { path: 'timeline', shows: () => page.getByText(`${fake.facts.length} facts`) },
    ];
    fake.facts.splice(0);
    const happen = (): void => {
      const sequence = fake.facts.length + 1;
      const id = `gap-${sequence}`;
      const data = { what: 'listPods', why: id };
      const at = systemClock.now();
      fake.facts.push({ sequence, id, cause: '', trace, at, about, what: 'decided', data });
    };
    for (const { path, shows } of views) {
      happen();
      await page.goto(`${fake.url}/ui/${path}`);
      await shows().waitFor();
      await expect.poll(() => fake.viewers, soon).toBe(1);
      happen();
      fake.tell({ type: 'resync', why: 'told by the test' });
      await shows().waitFor();
    }
  });
});
