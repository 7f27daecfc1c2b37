// Nodes are lost in a simulation: pods of a gang go and no node takes new ones, for longer than the
// delay of its set or not. Then there is room again. What may come of it is in
// oracles/terminations.ts.
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { fieldsAt, labelsOf } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import type { World } from '../world/world.ts';
import { pods } from './addresses.ts';
import { between, namespace, pick } from './workload.ts';

const delays = ['6s', '10s', '15s'] as const;
const longestMs = 25_000;

export class NodeLosses {
  readonly #world: World;
  readonly #random: Random;
  #isUnderWay = false;

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random('node losses');
    world.onHealing(() => void this.#cordon(false));
  }

  /** The set with a short delay. */
  hasten(set: JsonObject): JsonObject {
    const spec = fieldsAt(set, 'spec');
    const terminationDelay = pick(this.#random, delays) ?? '10s';
    const template = { ...fieldsAt(spec, 'template'), terminationDelay };
    return JSON.parse(JSON.stringify({ ...set, spec: { ...spec, template } }));
  }

  async act(): Promise<void> {
    if (this.#isUnderWay) return;
    this.#isUnderWay = true;
    await this.#cordon(true);
    const running = this.#world.cluster.store.collection('/pods').list(namespace);
    const first = pick(this.#random, running);
    const label = this.#random.next() < 0.5 ? 'grove.io/podclique' : 'grove.io/podgang';
    const same = (pod: Stored): boolean =>
      first !== undefined && labelsOf(pod)[label] === labelsOf(first)[label];
    for (const pod of running.filter(same)) {
      await this.#world.ask({ method: 'DELETE', path: `${pods}/${nameOf(pod)}` });
    }
    const { clock } = this.#world;
    clock.at(clock.now() + between(this.#random, 1_000, longestMs), () => {
      this.#isUnderWay = false;
      void this.#cordon(false);
    });
  }

  async #cordon(unschedulable: boolean): Promise<void> {
    for (const node of this.#world.cluster.store.collection('/nodes').list()) {
      await this.#world.ask({
        method: 'PATCH',
        path: `/api/v1/nodes/${nameOf(node)}`,
        contentType: 'application/merge-patch+json',
        body: { spec: { unschedulable: unschedulable ? true : null } },
      });
    }
  }
}
