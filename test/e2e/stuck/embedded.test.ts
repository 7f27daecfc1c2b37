// Stuck on a cluster: each situation is brought about on the embedded one, and whoever asks why, on
// the page, with the plugin or over NATS, is told the cause in the same words. What the machines
// alone say of more of them is in docs/why.md.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ActorKey } from '#machines/contract/address.ts';
import { eventually } from '#test/support/eventually.ts';
import { natsSkip } from '#test/support/nats.ts';
import { timeless, ways } from './asking.ts';
import { ofKinds } from './kinds.ts';
import { ofPods } from './pods.ts';
import { ofProcess } from './process.ts';
import { limitMs, Scene } from './scene.ts';
import { ofSets } from './sets.ts';
import type { Told } from './situation.ts';
import { StuckStage } from './stage.ts';

const situations = [...ofPods, ...ofSets, ...ofKinds];
const patient = { timeout: 2 * limitMs };

describe.skipIf(natsSkip !== '')(`Whoever asks why${natsSkip}`, () => {
  let stage: StuckStage;
  const scenes: Promise<Scene>[] = [];
  beforeAll(async () => {
    stage = await StuckStage.start();
    // All at once, as each has its namespace: the time that one takes is that of all.
    for (const [index, { make }] of situations.entries()) {
      const made = Scene.open(stage.cluster, `s${index}`).then(async (scene) => {
        await make(scene);
        return scene;
      });
      made.catch(() => {});
      scenes.push(made);
    }
  }, 2 * limitMs);
  afterAll(() => stage?.end());

  /** All three at the same time, as what is waited for changes. */
  const askAll = async (about: ActorKey, names = Object.keys(ways)) => {
    const asked = Object.entries(ways).filter(([name]) => names.includes(name));
    const said = asked.map(async ([name, way]) => [name, await way(stage.asking, about)] as const);
    return Object.fromEntries(await Promise.all(said));
  };

  const expectTold = async (scene: Scene, { asked, says }: Told, names?: string[]) => {
    const about = await asked(scene);
    const isTold = (sentence: string): boolean => says.every((words) => sentence.includes(words));
    const all = await eventually(
      `told ${says.join(' ... ')}`,
      () => askAll(about, names),
      (answers) => {
        const [first = [], ...others] = Object.values(answers).map(timeless);
        return first.some(isTold) && others.every((one) => one.join() === first.join());
      },
      limitMs,
    );
    expect(Object.values(all).every((said) => said.some(isTold))).toBe(true);
  };

  test.each(situations.map((one, index) => [one.matter, { ...one, index }] as const))(
    'is told in the same words everywhere: %s',
    patient,
    async (_, { index, also = [], ...told }) => {
      const scene = await scenes[index];
      if (scene === undefined) throw new Error('no scene');
      for (const one of [told, ...also]) await expectTold(scene, one);
      await scene.close();
    },
  );

  describe('and the whole process is stuck', () => {
    // What holds an object would hold its CRD too.
    beforeAll(async () => {
      const open = await Promise.allSettled(scenes);
      for (const scene of open) if (scene.status === 'fulfilled') await scene.value.close();
    }, limitMs);

    test.each(ofProcess.map((one) => [one.matter, one] as const))(
      'is told that: %s',
      patient,
      async (_, { name, make, asks, ...told }) => {
        const scene = await Scene.open(stage.cluster, name);
        try {
          await make(scene, stage);
          await expectTold(scene, told, asks);
        } finally {
          await scene.close();
        }
      },
    );
  });

  test('is told of at least thirty situations', () => {
    const all = situations.flatMap(({ also = [] }) => [1, ...also]);
    expect(all.length + ofProcess.length).toBeGreaterThanOrEqual(30);
  });
});
