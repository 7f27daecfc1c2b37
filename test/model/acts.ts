// What the models of the machines share: acts on a little world, what of it others would still do,
// and the names of a machine's states.
import type { AnyStateMachine } from 'xstate';
import { controllerOf } from '#machines/objects.ts';
import type { KubeObject } from '#machines/objects.ts';
import type { World } from '#test/support/world.ts';
import { refOf } from '#test/support/world-store.ts';
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

/** Every act as a move to a copy of the world that has settled. */
export const movesOf =
  (actsOf: (world: World) => readonly Act[]) =>
  (world: World): readonly Move<World>[] =>
    actsOf(world).map(([name, act]) => {
      const next = world.copy();
      act(next);
      next.settle();
      return { name, next };
    });

/** Dotted names of the states of a machine that have no states inside. */
export function leavesOf(machine: AnyStateMachine): readonly string[] {
  const leaves = (states: Record<string, { states: object }>, path: string): readonly string[] =>
    Object.entries(states).flatMap(([name, node]) => {
      const inner = asStates(node.states);
      const here = `${path}${name}`;
      return Object.keys(inner).length === 0 ? [here] : leaves(inner, `${here}.`);
    });
  return leaves(asStates(machine.root.states), '');
}

const asStates = (states: object): Record<string, { states: object }> =>
  Object.fromEntries(
    Object.entries(states).map(([name, node]) => [name, { states: Object(node).states ?? {} }]),
  );

export const dotted = (value: unknown): string => {
  if (typeof value === 'string') return value;
  const [[name, inner] = ['', '']] = Object.entries(Object(value));
  return `${name}.${dotted(inner)}`;
};

export const isEmpty = (world: World): boolean =>
  world.objects.size === 0 && world.states().length === 0;
