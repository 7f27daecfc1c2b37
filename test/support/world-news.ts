// Who hears of an object, by the real routes. Read again and again in the little world, so it is
// kept by object: objects are never changed.
import { actorId } from '#machines/contract/address.ts';
import type { Delivery, Route } from '#machines/contract/route.ts';
import type { Entry } from '#machines/contract/view.ts';
import { isWatched } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { routeOf } from '#test/support/modules.ts';
import { refOf } from './world-store.ts';

/** Undefined for what is not watched: nobody hears of it. */
export function routeFor(one: KubeObject): Route | undefined {
  const { kind } = refOf(one);
  return isWatched(kind) ? routeOf(kind) : undefined;
}

const known = new WeakMap<KubeObject, ReadonlyMap<string, Delivery>>();

/** By id of the actor. An actor hears of an object once. */
export function newsOf(one: KubeObject): ReadonlyMap<string, Delivery> {
  const there = known.get(one);
  if (there !== undefined) return there;
  const route = routeFor(one);
  const deliveries = route?.deliver(route.decode(one), one) ?? [];
  const news = new Map(deliveries.map((delivery) => [actorId(delivery.to), delivery]));
  known.set(one, news);
  return news;
}

/** What those are told who do not get it any more. */
export function removals(one: KubeObject): readonly Delivery[] {
  const route = routeFor(one);
  return route?.forget(route.decode(one), one) ?? [];
}

const entries = new WeakMap<KubeObject, readonly Entry[]>();

/** What an object is in views. */
export function entriesOf(one: KubeObject): readonly Entry[] {
  const there = entries.get(one);
  if (there !== undefined) return there;
  const route = routeFor(one);
  const shown = route?.show?.(route.decode(one)) ?? [];
  entries.set(one, shown);
  return shown;
}
