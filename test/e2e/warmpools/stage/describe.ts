// Turns scenarios into tests on a cluster, one after the other, each in a namespace of its own and
// with controllers of its own. Called by the test files beside the folder; a scenario is written
// once for all of them.
import { afterAll, beforeAll, describe, test } from 'vitest';
import { natsSkip } from '#test/support/nats.ts';
import { without } from '#test/support/tools.ts';
import type { Cluster } from './cluster.ts';
import { Scene } from './scene.ts';

export interface Scenario {
  /** A whole sentence, with the numbers of what it shows. */
  readonly title: string;
  /** Last part of the namespace's name. */
  readonly name: string;
  /** Of this machine; the test is skipped by name where one is missing. */
  readonly needs?: readonly ('kubectl' | 'nats')[];
  readonly run: (scene: Scene) => Promise<void>;
}

/** On a machine that does much else the longest take minutes. */
const patient = { timeout: 900_000 };

const whyNot = ({ needs = [] }: Scenario): string =>
  (needs.includes('nats') ? natsSkip : '') + (needs.includes('kubectl') ? without('kubectl') : '');

/** `missing`: why there is no such cluster here, so that every scenario is skipped. */
export function describeWarmPools(
  title: string,
  open: () => Promise<Cluster>,
  scenarios: readonly Scenario[],
  missing?: string,
): void {
  const why = missing === undefined ? '' : ` [skipped: ${missing}]`;
  describe.skipIf(missing !== undefined)(`Warm pools on ${title}${why}`, () => {
    let cluster: Cluster | undefined;
    beforeAll(async () => {
      cluster = await open();
    }, 60_000);
    afterAll(() => cluster?.end());
    for (const scenario of scenarios) {
      const cannot = whyNot(scenario);
      const options = { ...patient, skip: cannot !== '' };
      test(`${scenario.title}${cannot}`, options, async ({ onTestFinished }) => {
        if (cluster === undefined) throw new Error('the cluster has not been started');
        const scene = await Scene.open(cluster, `e2e-pools-${scenario.name}`);
        // After a failure's evidence is taken.
        onTestFinished(() => scene.end(), patient.timeout);
        await scenario.run(scene);
      });
    }
  });
}
