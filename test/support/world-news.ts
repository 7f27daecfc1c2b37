// Who hears of an object, by the real routes. Read again and again in the little world, so it is
// kept by object: objects are never changed.
import { isWatched } from '#machines/kinds.ts';
import { routeOf } from '#test/support/modules.ts';
import type { KubeObject } from '#machines/objects.ts';
import { actorId } from '#machines/vocabulary.ts';
import type { Delivery, Route } from '#machines/vocabulary.ts';
import { Notices } from '#actors/notices.ts';
import type { Notice, Said } from '#actors/notices.ts';
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
export function farewells(one: KubeObject): readonly Delivery[] {
  const route = routeFor(one);
  return route?.forget(route.decode(one), one) ?? [];
}

const saidOf = new WeakMap<KubeObject, Said>();

/** What an object says to others than its own actors. */
function saidBy(one: KubeObject): Said {
  const there = saidOf.get(one);
  if (there !== undefined) return there;
  const route = routeFor(one);
  const fact = route?.decode(one);
  const said = { announcements: route?.announce?.(fact) ?? [], following: route?.follow?.(fact) };
  saidOf.set(one, said);
  return said;
}

interface Post {
  readonly key: string;
}

/** What objects say to others than their own actors, in the real way. */
export class Board {
  readonly #notices = new Notices<Post>();
  readonly #posts = new Map<string, Post>();

  /** `key`: of the object. */
  heard(key: string, one: KubeObject, isGone: boolean): readonly Notice<Post>[] {
    const post = this.#posts.get(key) ?? { key };
    this.#posts.set(key, post);
    return isGone ? this.#notices.gone(post) : this.#notices.seen(post, saidBy(one));
  }

  /** What an actor hears when it starts. */
  of(actor: Parameters<Notices<Post>['of']>[0]): Iterable<Notice<Post>> {
    return this.#notices.of(actor);
  }
}
