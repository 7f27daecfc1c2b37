// What the page shows of somebody who is stuck: the sentences that the bus and the plugin have, in
// a real browser. The other situations are asked of its API alone (embedded.test.ts).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browsing, patient, withoutBrowser } from '#test/inspector/page/browser.ts';
import { eventually } from '#test/support/eventually.ts';
import { natsSkip } from '#test/support/nats.ts';
import { ways } from './asking.ts';
import { ofPods } from './pods.ts';
import { Scene } from './scene.ts';
import { ofSets } from './sets.ts';
import { StuckStage } from './stage.ts';

const skip = `${withoutBrowser}${natsSkip}`;
/** Sentences without a time, which would pass while the page is looked at. */
const shown = ['The template of a claim is missing', 'An update is paused'];

describe.skipIf(skip !== '')(`The page of somebody who is stuck${skip}`, () => {
  let browsing: Browsing;
  let stage: StuckStage;
  beforeAll(async () => {
    browsing = await Browsing.open();
    stage = await StuckStage.start(browsing.folder);
  }, 240_000);
  afterAll(async () => {
    await stage?.end();
    await browsing?.close();
  });

  test.each(shown)('has the sentences that are told over NATS: %s', patient, async (matter) => {
    const found = [...ofPods, ...ofSets].find((one) => one.matter === matter);
    if (found === undefined) throw new Error(`no situation "${matter}"`);
    const scene = await Scene.open(stage.cluster, `p${shown.indexOf(matter)}`);
    await found.make(scene);
    const about = await found.asked(scene);
    const isTold = (sentence: string): boolean =>
      found.says.every((words) => sentence.includes(words));
    const said = await eventually(
      'told',
      () => ways.overNats(stage.asking, about),
      (sentences) => sentences.some(isTold),
    );
    const page = await browsing.tab();
    const { url, token } = stage.asking.page;
    const path = `/ui/actors/${about.kind}/${about.namespace}/${about.name}`;
    await page.goto(`${url}${path}#token=${token}`);
    const reasons = page.getByRole('listitem');
    for (const sentence of said.filter(isTold)) {
      await reasons.getByText(sentence, { exact: true }).waitFor();
    }
    await browsing.closeTabs();
    expect(browsing.errors).toEqual([]);
    await scene.close();
  });
});
