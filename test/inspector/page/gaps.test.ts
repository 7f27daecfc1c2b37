// Facts that came while the page listened to nobody: it asks for them again once the rows are listed
// anew.
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
    const views = [
      { path: `traces/${trace}`, shown: page.getByText(/^\d+ facts of/) },
      { path: `actors/${about}?tab=history`, shown: page.getByRole('listitem').first() },
      { path: 'timeline', shown: page.getByText(/^[\d,]+ facts/) },
    ];
    let sequence = 1_000_000;
    const happen = (): void => {
      const id = `gap-${++sequence}`;
      const data = { what: 'listPods', why: id };
      const at = systemClock.now();
      fake.facts.push({ sequence, id, cause: '', trace, at, about, what: 'decided', data });
    };
    fake.facts.splice(0);
    for (const { path, shown } of views) {
      happen();
      await page.goto(`${fake.url}/ui/${path}`);
      await expect.poll(() => fake.viewers, soon).toBe(1);
      const before = await shown.innerText();
      happen();
      fake.tell({ type: 'resync', why: 'told by the test' });
      await expect.poll(() => shown.innerText(), soon).not.toBe(before);
    }
  });
});
