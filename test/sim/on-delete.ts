// The end of a day under OnDelete: all is as it must be, then the strategy is OnDelete and every
// template is edited. Nothing is replaced, until somebody deletes a pod: that one alone comes back,
// and is of the new template (spec controllers 5.8). Called by run.ts on days with edits.
import type { Stored } from '#src/devcluster/contract.ts';
import { conditionOf } from '#src/bench/onlooker.ts';
import { comeToRest } from './ending.ts';
import {
  at,
  fieldsAt,
  labelsOf,
  listAt,
  numberAt,
  templateHashOf,
  textAt,
  uidOf,
} from './fields.ts';
import { nameOf } from './oracles/complaints.ts';
import { indexOf } from './oracles/decisions.ts';
import { controllerOf } from './oracles/shown.ts';
import { pods as podsPath, sets as setsPath } from './users/addresses.ts';
import { namespace } from './users/workload.ts';
import type { World } from './world/world.ts';

const image = 'registry.example/none:on-delete';

/** Every so many seeds. */
export const endsUnderOnDelete = (seed: number): boolean => seed % 3 === 0;

export async function endUnderOnDelete(world: World): Promise<void> {
  const ending = new Ending(world);
  await ending.editTemplates();
  const before = ending.pods();
  await comeToRest(world);
  ending.expectSame(before, new Set());
  ending.expectEnded();
  const taken = await ending.deleteSome();
  await comeToRest(world);
  ending.expectSame(before, new Set(taken.map(uidOf)));
  ending.expectBack(before, taken);
}

class Ending {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** Those that are ready. */
  pods(): readonly Stored[] {
    return this.#all('/pods').filter(
      (pod) =>
        labelsOf(pod)['app.kubernetes.io/managed-by'] === 'grove-operator' &&
        at(pod, 'metadata', 'deletionTimestamp') === undefined &&
        conditionOf(pod, 'Ready') === 'True',
    );
  }

  async editTemplates(): Promise<void> {
    for (const set of this.#all('grove.io/podcliquesets')) {
      const cliques = listAt(set, 'spec', 'template', 'cliques').map((clique) => {
        const podSpec = fieldsAt(clique, 'spec', 'podSpec');
        const containers = listAt(podSpec, 'containers').map((one) => ({
          ...fieldsAt(one),
          image,
        }));
        const spec = { ...fieldsAt(clique, 'spec'), podSpec: { ...podSpec, containers } };
        return { ...fieldsAt(clique), spec };
      });
      const spec = { updateStrategy: { type: 'OnDelete' }, template: { cliques } };
      const contentType = 'application/merge-patch+json';
      const path = `${setsPath}/${nameOf(set)}`;
      const body: unknown = JSON.parse(JSON.stringify({ spec }));
      const { status } = await this.#world.ask({ method: 'PATCH', path, contentType, body });
      if (status !== 200) this.#say(`${nameOf(set)} could not be edited: ${status}`);
    }
  }

  /** But for those that somebody took. */
  expectSame(before: readonly Stored[], taken: ReadonlySet<string>): void {
    const there = new Set(this.#all('/pods').map(uidOf));
    for (const pod of before) {
      if (taken.has(uidOf(pod)) || there.has(uidOf(pod))) continue;
      this.#say(`${nameOf(pod)} was replaced, and nobody has deleted it`);
    }
  }

  expectEnded(): void {
    for (const set of this.#all('grove.io/podcliquesets')) {
      this.#world.tally.judged('end under OnDelete');
      const progress = fieldsAt(set, 'status', 'updateProgress');
      if (!('updateEndedAt' in progress)) this.#say(`the update of ${nameOf(set)} goes on`);
    }
  }

  /** One of each PodClique of which all are ready. */
  async deleteSome(): Promise<readonly Stored[]> {
    const taken: Stored[] = [];
    for (const clique of this.#all('grove.io/podcliques')) {
      const own = this.pods().filter((pod) => controllerOf(pod) === uidOf(clique));
      const [first] = own;
      if (first === undefined || own.length < numberAt(clique, 'spec', 'replicas')) continue;
      await this.#world.ask({ method: 'DELETE', path: `${podsPath}/${nameOf(first)}` });
      taken.push(first);
    }
    return taken;
  }

  /** One for each that was taken, of the template as it is, with the lowest index that is free:
   *  another one where the PodClique was scaled in (spec controllers 10.1 rule 6). */
  expectBack(before: readonly Stored[], taken: readonly Stored[]): void {
    const known = new Set(before.map(uidOf));
    const cliques = new Map(this.#all('grove.io/podcliques').map((one) => [uidOf(one), one]));
    for (const pod of taken) {
      const owner = controllerOf(pod);
      const [next] = this.pods().filter(
        (one) => controllerOf(one) === owner && !known.has(uidOf(one)),
      );
      const clique = cliques.get(owner);
      if (next === undefined) this.#say(`${nameOf(pod)} was deleted and did not come back`);
      else if (indexOf(next) !== lowestFree(pod, before)) {
        this.#say(`${nameOf(next)} has come back with index ${indexOf(next)}`);
      } else if (textAt(listAt(next, 'spec', 'containers')[0], 'image') !== image) {
        this.#say(`${nameOf(next)} has come back of an older template`);
      } else if (templateHashOf(next) !== templateHashOf(clique)) {
        this.#say(`${nameOf(next)} has another hash than its PodClique`);
      }
    }
  }

  #all(kind: string): readonly Stored[] {
    return this.#world.cluster.store.collection(kind).list(namespace);
  }

  #say(what: string): void {
    this.#world.oracles.violate(`under OnDelete: ${what}`);
  }
}

/** When it is gone, of the indices of its PodClique. */
function lowestFree(pod: Stored, all: readonly Stored[]): string {
  const others = all.filter(
    (one) => controllerOf(one) === controllerOf(pod) && uidOf(one) !== uidOf(pod),
  );
  const taken = new Set(others.map(indexOf));
  let lowest = 0;
  while (taken.has(String(lowest))) lowest++;
  return String(lowest);
}
