// The behaviours and routes of all modules, one by one: for tests of single kinds.
import { activator } from '#machines/activator/module.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { Module } from '#machines/contract/module.ts';
import type { Route } from '#machines/contract/route.ts';
import { grove } from '#machines/grove/module.ts';
import type { GroveInput } from '#machines/grove/settings.ts';
import { modules } from '#machines/index.ts';
import type { ActorKind, Kind } from '#machines/kinds.ts';

/** Those of the controller, and that of the activator, which runs in processes of its own. */
export const allModules: readonly Module<never>[] = [...modules, activator];

export const allBehaviours: readonly Behaviour<never>[] = allModules.flatMap(
  ({ behaviours }) => behaviours,
);
export const allRoutes: readonly Route[] = allModules.flatMap(({ routes }) => routes);

/** Of Grove. */
export function behaviourOf(kind: ActorKind): Behaviour<GroveInput> {
  const found = grove.behaviours.find((behaviour) => behaviour.kind === kind);
  if (found === undefined) throw new Error(`no behaviour of ${kind}`);
  return found;
}

/** Of a kind that has one. */
export function routeOf(kind: Kind): Route {
  const [found] = allRoutes.filter((route) => route.kind === kind);
  if (found === undefined) throw new Error(`no route of ${kind}`);
  return found;
}
