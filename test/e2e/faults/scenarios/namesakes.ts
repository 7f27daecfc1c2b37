// A PodCliqueSet goes and another one of the same name comes, so quickly that the watch shows one
// change of one object. What belongs to the new one must not be taken for the old one's.
import { expect } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { median } from '#test/bench/statistics.ts';
import { amountOf, atMost } from '#test/support/optional.mjs';
import type { Sight } from '#src/bench/onlooker.ts';
import { pairs } from '../../real/sets.ts';
import type { Scenario } from '../stage/describe.ts';
import type { Scene } from '../stage/scene.ts';

const wanted = pairs('again', 1);
const rounds = amountOf('namesakes in a row');
/** Of the median: others share the processor. */
const usualMs = atMost(5_000);

export const namesakes: Scenario = {
  name: 'namesakes',
  title: 'deletes nothing of an object that took the name of another, again and again',
  run: async (scene) => {
    const { proxy, onlooker, kube, namespace } = scene;
    await scene.controller();
    for (const kind of ['PodCliqueSet', 'PodClique', 'PodGang', 'Pod'] as const) {
      const ms = kind === 'PodCliqueSet' ? 300 : 50;
      proxy.inflict({ verb: 'watch', kind, fault: { type: 'coalesce', ms }, alsoOpen: true });
    }
    const losses = new Losses();
    const end = onlooker.onSight((sight) => {
      if (sight.namespace === namespace) losses.take(sight);
    });
    await scene.create(wanted);
    await scene.ready(wanted);
    const took: number[] = [];
    for (let round = 1; round <= rounds; round++) {
      await replace(scene, round % 2 === 0);
      took.push(await scene.ready(wanted));
      const set = await kube.get(namespace, 'podcliquesets', wanted.name);
      expect({ round, lost: losses.of(set?.metadata.uid ?? '') }).toEqual({ round, lost: [] });
    }
    end();
    const usual = median(took);
    const most = Math.max(...took);
    scene.say(`whole again after ${Math.round(usual)} ms, at most ${Math.round(most)} ms`);
    expect(usual).toBeLessThan(usualMs);
  },
};

/** `isForced`: without the finalizer, so that the old one is gone before the controller knows. */
async function replace(scene: Scene, isForced: boolean): Promise<void> {
  const { kube, namespace } = scene;
  const { name } = wanted;
  if (isForced) {
    await kube.patch(namespace, 'podcliquesets', name, { metadata: { finalizers: null } });
  }
  await kube.delete(namespace, 'podcliquesets', name);
  while ((await kube.get(namespace, 'podcliquesets', name)) !== undefined) await scene.idle(5);
  await scene.create(wanted);
}

/** Objects that went, by the set that they belonged to. The watches of the kinds are not in step,
 *  so it is judged when the set that stands is known. */
class Losses {
  readonly #bySet = new Map<string, string[]>();
  /** UID of the set by that of its PodClique. */
  readonly #setOf = new Map<string, string>();

  /** Of the set with this UID. */
  of(set: string): readonly string[] {
    return this.#bySet.get(set) ?? [];
  }

  take({ type, resource, name, object }: Sight): void {
    const uid = text(at(object, 'metadata', 'uid'));
    const owner = text(at(list(at(object, 'metadata', 'ownerReferences'))[0], 'uid'));
    if (resource === 'podcliques') this.#setOf.set(uid, owner);
    const set = resource === 'pods' ? (this.#setOf.get(owner) ?? '') : owner;
    const isGoing = type === 'DELETED' || at(object, 'metadata', 'deletionTimestamp') !== undefined;
    if (!isGoing || resource === 'podcliquesets') return;
    this.#bySet.set(set, [...this.of(set), `${resource} ${name}`]);
  }
}
