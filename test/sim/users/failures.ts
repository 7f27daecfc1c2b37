// Pods that the simulated user lets fail, as after an eviction: they are there and done. What
// failed once often fails again, and is then replaced after growing pauses
// (steps/replace-finished.ts), which begin and end while controllers come and go. Part of user.ts.
import type { Random } from '#actors/ports.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { labelsOf, textAt } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { isLive } from '../oracles/shown.ts';
import type { World } from '../world/world.ts';
import { pods } from './addresses.ts';
import { between, namespace, pick } from './workload.ts';

/** Of pods of one PodClique; the next one is replaced after 40 seconds. */
const mostFailures = 3;

export class Failures {
  readonly #world: World;
  /** Drawn apart from what else the user does. */
  readonly #random: Random;
  /** How many, by PodClique. */
  readonly #failed = new Map<string, number>();

  constructor(world: World) {
    this.#world = world;
    this.#random = world.random('failures');
  }

  async fail(pod: Stored): Promise<void> {
    const clique = cliqueOf(pod);
    this.#failed.set(clique, (this.#failed.get(clique) ?? 0) + 1);
    const { clock } = this.#world;
    const again = this.#random.next() < 0.5;
    const soon = clock.now() + between(this.#random, 500, 6_000);
    if (again) clock.at(soon, () => this.#failAgain(clique));
    await this.#world.ask({
      method: 'PATCH',
      path: `${pods}/${nameOf(pod)}/status`,
      contentType: 'application/merge-patch+json',
      body: { status: { phase: 'Failed', reason: 'Evicted' } },
    });
  }

  /** Where pods fail again and again they are replaced after 40 seconds and more: nobody waits for
   *  that. */
  isTooLate(pod: Stored): boolean {
    const isFailed = textAt(pod, 'status', 'phase') === 'Failed';
    return isFailed && (this.#failed.get(cliqueOf(pod)) ?? 0) > mostFailures;
  }

  #failAgain(clique: string): void {
    if (this.#world.isHealed) return;
    const running = this.#world.cluster.store
      .collection('/pods')
      .list(namespace)
      .filter((pod) => cliqueOf(pod) === clique && isLive(pod));
    const next = pick(this.#random, running);
    if (next !== undefined) void this.fail(next);
  }
}

const cliqueOf = (pod: Stored): string => labelsOf(pod)['grove.io/podclique'] ?? '';
