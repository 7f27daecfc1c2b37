// Somebody deletes a base PodGang, somebody else holds it, and a pod of a scaled gang goes that
// builds on it: its successor must wait for another base gang (spec controllers 3.4). In half of
// the runs; nothing happens where no gang is scaled. Started by trouble.ts.
import type { Random } from '#actors/ports.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { labelsOf, listAt } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { isLive } from '../oracles/shown.ts';
import { isGoing } from '../oracles/shown.ts';
import { gangs, pods } from '../users/addresses.ts';
import { between, namespace, pick } from '../users/workload.ts';
import type { World } from '../world/world.ts';

const hold = 'foreign/hold';
const mostPauseMs = 5_000;

export class BaseGangs {
  readonly #world: World;
  readonly #random: Random;
  /** Whether this is such a run. */
  readonly isInDanger: boolean;

  constructor(world: World, random: Random) {
    this.#world = world;
    this.#random = random;
    this.isInDanger = random.next() < 0.5;
  }

  /** Of a gang that is going already another pod goes. */
  async act(): Promise<void> {
    const scaled = this.#scaledPods();
    const names = [...new Set(scaled.map(baseOf))];
    const base = pick(
      this.#random,
      names.flatMap((name) => this.#gang(name) ?? []),
    );
    const pauseMs = between(this.#random, 0, mostPauseMs);
    if (base === undefined) return;
    if (!isGoing(base)) await this.#take(base);
    const { clock } = this.#world;
    clock.at(clock.now() + pauseMs, () => {
      if (this.#world.isHealed) return;
      const pod = pick(this.#random, this.#scaledPods(nameOf(base)));
      if (pod !== undefined) void this.#ask('DELETE', `${pods}/${nameOf(pod)}`);
    });
  }

  async #take(base: Stored): Promise<void> {
    const { resourceVersion } = base.metadata;
    const finalizers = [...new Set([...listAt(base, 'metadata', 'finalizers'), hold])];
    const path = `${gangs}/${nameOf(base)}`;
    await this.#ask('PATCH', path, { metadata: { resourceVersion, finalizers } });
    await this.#ask('DELETE', path);
  }

  #gang(name: string): Stored | undefined {
    const { store } = this.#world.cluster;
    return store.collection('scheduler.grove.io/podgangs').get(namespace, name);
  }

  /** Live ones, of all base gangs or of one. */
  #scaledPods(base?: string): readonly Stored[] {
    const all = this.#world.cluster.store.collection('/pods').list(namespace).filter(isLive);
    return all.filter((pod) => (base === undefined ? baseOf(pod) !== '' : baseOf(pod) === base));
  }

  async #ask(method: KubeRequest['method'], path: string, body?: unknown): Promise<void> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    await this.#world.ask({ method, path, contentType, ...(body === undefined ? {} : { body }) });
  }
}

const baseOf = (pod: unknown): string => labelsOf(pod)['grove.io/base-podgang'] ?? '';
