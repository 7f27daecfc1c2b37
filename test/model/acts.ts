// What the models of the machines share: acts on a little world, and what of it others would still
// do.
import { actorId } from '#machines/contract/address.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { afterRestart } from '#test/support/chart-states.ts';
import { behaviourOf } from '#test/support/modules.ts';
import { refOf } from '#test/support/world-store.ts';
import type { World } from '#test/support/world.ts';
import type { Move } from './explore.ts';

export type Act = readonly [name: string, act: (world: World) => void];

export const isGoing = (one: KubeObject): boolean => one.metadata.deletionTimestamp !== undefined;

/** Children that were kept are a user's to delete. */
export function ownerlessActs(world: World): readonly Act[] {
  const kept = [...world.objects.values()].filter(
    (one) => controllerOf(one) === undefined && !isGoing(one),
  );
  const act = (next: World): void => kept.forEach((one) => next.remove(refOf(one)));
  return kept.length === 0 ? [] : [['what was kept is deleted', act]];
}

/** The controller owner is gone and the collector did not come by yet. */
export const isOrphan = (world: World, one: KubeObject): boolean => {
  const owner = controllerOf(one);
  const uids = new Set([...world.objects.values()].map(({ metadata }) => metadata.uid));
  return owner !== undefined && !uids.has(owner.uid) && !isGoing(one);
};

/** The collector has something to delete, or a finalizer of its own to see to. */
export const isCollectorDue = (world: World): boolean =>
  [...world.objects.values()].some(
    (one) => isOrphan(world, one) || (isGoing(one) && collectors.some(isOn(one))),
  );

const collectors = ['orphan', 'foregroundDeletion'];

const isOn =
  (one: KubeObject) =>
  (finalizer: string): boolean =>
    one.metadata.finalizers?.includes(finalizer) === true;

/** Every act as a move to a copy of the world that has reconciled. */
export const movesOf =
  (actsOf: (world: World) => readonly Act[]) =>
  (world: World): readonly Move<World>[] =>
    actsOf(world).map(([name, act]) => {
      const next = world.copy();
      act(next);
      next.stabilize();
      return { name, next };
    });

export const isEmpty = (world: World): boolean =>
  world.objects.size === 0 && world.states().length === 0;

/** Actors whose chart stands elsewhere than if they had just started with what they know. */
export const movedByRestart = (world: World): readonly string[] =>
  world.states().flatMap(({ key, value }) => {
    const snapshot = world.snapshotOf(key);
    if (snapshot === undefined) return [];
    const fresh = afterRestart(behaviourOf(key.kind), snapshot, world.now);
    return isEqual(fresh, value) ? [] : [`${actorId(key)} ${JSON.stringify([value, fresh])}`];
  });
