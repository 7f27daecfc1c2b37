// What befalls warm pools on some days only, as it takes more than one thing at once: take-overs
// that a webhook refuses while members are in excess, and pools that are made again while those of
// before still go and creates are answered by errors. Part of run.ts.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { listAt } from '../fields.ts';
import { between } from '../users/workload.ts';
import { Client } from './client.ts';
import { all, membersOf, nameOf } from './objects.ts';
import type { PoolWorld } from './world.ts';

/** Other seeds keep the days that they were before there was any of this. */
export const isHard = (seed: number): boolean => seed % 5 === 2;

const mostRefusedMs = 8_000;
const mostMuddledMs = 6_000;
const mostHeldMs = 8_000;
const hold = 'test/hold';
const edits = 12;

export class Hardships {
  readonly #client: Client;
  #made = 0;

  constructor(world: PoolWorld) {
    this.#client = new Client(world, world.random('hardships'));
    world.onHealing(() => void this.#letGo());
  }

  act(): Promise<unknown> {
    return this.#client.chance(0.5) ? this.#refuseTakeOvers() : this.#renew();
  }

  /** Claims come and are assigned members, of which there are then too many, or outdated ones. */
  async #refuseTakeOvers(): Promise<void> {
    const { random, world } = this.#client;
    const pool = this.#client.one('pools');
    if (pool === undefined) return;
    const name = nameOf(pool);
    world.refusesTakeOvers = true;
    this.#client.later(mostRefusedMs, async () => (world.refusesTakeOvers = false));
    for (let left = between(random, 1, 3); left > 0; left--) {
      const spec = { warmPoolRef: { name } };
      await this.#client.create('claims', 'SandboxClaim', `hard-${this.#made++}`, { spec });
    }
    const replicas = between(random, 0, 1);
    this.#client.later(1_000, () => this.#client.edit('pools', name, { spec: { replicas } }));
  }

  /** Members of before go slowly, and have the numbers of those that are asked for now. */
  async #renew(): Promise<unknown> {
    const { random, world } = this.#client;
    const pool = this.#client.one('pools');
    if (pool === undefined) return;
    for (const member of membersOf(world.cluster.store, pool)) {
      const finalizers = [hold];
      await this.#client.edit('sandboxes', nameOf(member), { metadata: { finalizers } });
    }
    this.#client.later(mostHeldMs, () => this.#letGo());
    for (let times = 0; times < edits; times++) this.#client.later(mostHeldMs, () => this.#mark());
    world.muddles = true;
    this.#client.later(mostMuddledMs, async () => (world.muddles = false));
    await this.#client.remove('pools', pool);
    const { spec } = pool;
    const replicas = between(random, 2, 8);
    return this.#client.create('pools', 'SandboxWarmPool', nameOf(pool), {
      spec: { ...(spec as object), replicas },
    });
  }

  #letGo(): Promise<void> {
    return this.#editHeld({ finalizers: null });
  }

  /** There is news of them. */
  #mark(): Promise<void> {
    return this.#editHeld({ labels: { [hold]: String(this.#made++) } });
  }

  async #editHeld(metadata: JsonObject): Promise<void> {
    const held = all(this.#client.world.cluster.store, 'sandboxes').filter((sandbox) =>
      listAt(sandbox, 'metadata', 'finalizers').includes(hold),
    );
    for (const one of held) await this.#client.edit('sandboxes', nameOf(one), { metadata });
  }
}
