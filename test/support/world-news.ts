// Who hears of an object, by the real routes. Read again and again in the little world, so it is
// kept by object: objects are never changed.
import { routes } from '#machines/index.ts';
import type { ActorKind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/objects.ts';
import { actorId } from '#machines/vocabulary.ts';
import type { Announcement, Delivery } from '#machines/vocabulary.ts';
import { refOf } from './world-store.ts';

const known = new WeakMap<KubeObject, ReadonlyMap<string, Delivery>>();

/** By id of the actor. An actor hears of an object once. */
export function newsOf(one: KubeObject): ReadonlyMap<string, Delivery> {
  const there = known.get(one);
  if (there !== undefined) return there;
  const route = routes[refOf(one).kind];
  const deliveries = route.deliver(route.decode(one), one);
  const news = new Map(deliveries.map((delivery) => [actorId(delivery.to), delivery]));
  known.set(one, news);
  return news;
}

/** What those are told who do not get it any more. */
export function farewells(one: KubeObject): readonly Delivery[] {
  const route = routes[refOf(one).kind];
  return route.forget(route.decode(one), one);
}

const announced = new WeakMap<KubeObject, readonly Announcement[]>();

/** What all actors of a kind hear of an object that is there, or gone. */
export function noticesTo(
  kind: ActorKind,
  one: KubeObject,
  isGone: boolean,
): readonly { readonly type: string }[] {
  let all = announced.get(one);
  if (all === undefined) {
    const route = routes[refOf(one).kind];
    all = route.announce?.(route.decode(one)) ?? [];
    announced.set(one, all);
  }
  return all.flatMap(({ to, seen, gone }) => (to.includes(kind) ? [isGone ? gone : seen] : []));
}
