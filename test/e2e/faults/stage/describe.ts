// Turns scenarios into tests on a cluster, most of them side by side, each on a scene of its own.
// Called by the test files beside the folder; a scenario is written once for all of them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freshName } from '#test/support/fresh-name.ts';
import { natsSkip } from '#test/support/nats.ts';
import type { Cluster } from './cluster.ts';
import { Scene } from './scene.ts';

export interface Scenario {
  /** The rest of a sentence that begins with "A controller". */
  readonly title: string;
  /** Last part of the namespace's name. */
  readonly name: string;
  /** True: not beside others, since it promises a time that they would take part of. */
  readonly isAlone?: true;
  /** True: skipped by name where this machine has no nats-server. */
  readonly usesNats?: true;
  readonly run: (scene: Scene) => Promise<void>;
}

/** `COPPICE_SEED=n` repeats a run, as far as what the rules draw goes. */
const seed = Number(process.env['COPPICE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** Minutes: some wait for the limits that are in production. */
const patient = { timeout: 360_000 };

/** `missing`: why there is no such cluster here, so that every scenario is skipped. */
export function describeFaults(
  title: string,
  open: () => Promise<Cluster>,
  scenarios: readonly Scenario[],
  missing?: string,
): void {
  const why = missing === undefined ? '' : ` [skipped: ${missing}]`;
  describe.skipIf(missing !== undefined)(`A controller on ${title}${why}`, () => {
    let cluster: Cluster | undefined;
    beforeAll(async () => {
      cluster = await open();
    }, 60_000);
    afterAll(() => cluster?.end());
    // Last: vitest runs side by side what follows one another.
    const ordered = scenarios.toSorted((a, b) => Number(a.isAlone ?? 0) - Number(b.isAlone ?? 0));
    for (const { name, title, usesNats = false, isAlone = false, run } of ordered) {
      const cannot = usesNats ? natsSkip : '';
      const options = { ...patient, concurrent: !isAlone, skip: cannot !== '' };
      test(`${title}${cannot}`, options, async ({ onTestFinished }) => {
        if (cluster === undefined) throw new Error('the cluster has not been started');
        const scene = await Scene.open(cluster, freshName(`faults-${name}`), seed);
        // After a failure's evidence is taken.
        onTestFinished(() => scene.end(), patient.timeout);
        await play(scene, run);
      });
    }
  });
}

async function play(scene: Scene, run: Scenario['run']): Promise<void> {
  try {
    await run(scene);
    expect(await scene.damage()).toEqual([]);
  } catch (error) {
    scene.say(`failed with seed ${seed}: ${String(error)}`);
    throw error;
  }
}
