// From an observation to mail: the routes of the machines say which actors want an object and as
// which event; here the cache is asked whether it is news, old targets are made to forget, and what
// a decoder throws or refuses is kept from everybody else. Called by intake.ts for each
// observation.
import type { Delivery, Route } from '#machines/contract/route.ts';
import type { Entry } from '#machines/contract/view.ts';
import type { Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import type { Observation, Telemetry } from '../ports.ts';
import { errorText } from '../run/actor.ts';
import type { Cache, Known, Shown, Target } from './cache.ts';
import type { MachineEvent } from './mailbox.ts';

/** News for one actor about one object. */
export interface RoutedEvent {
  readonly target: Pick<Target, 'to' | 'toId' | 'root'>;
  readonly object: Known;
  readonly gone: boolean;
  readonly events: readonly MachineEvent[];
}

export interface Routed {
  readonly known: Known;
  /** The object as it was known until now. */
  readonly before?: KubeObject | undefined;
  /** The object is gone, or (with `known`) an older one of that name went. */
  readonly gone: boolean;
  readonly routedEvents: readonly RoutedEvent[];
  /** Why the object could not be read and went to those only that knew it before. */
  readonly unreadable?: string;
  /** What it is in views. */
  readonly entries: readonly Entry[];
}

/** What could not be decoded: `error` when the decoder threw, which is a bug. */
export interface Refusal {
  readonly kind: Kind;
  readonly object: KubeObject;
  readonly malformed: string;
  readonly error?: unknown;
}

export class Router {
  readonly #routes: ReadonlyMap<Kind, readonly Route[]>;
  readonly #cache: Cache;
  readonly #refused: (refusal: Refusal) => void;

  constructor(
    routes: readonly Route[],
    options: { cache: Cache; refused: (refusal: Refusal) => void },
  ) {
    this.#cache = options.cache;
    this.#refused = options.refused;
    this.#routes = Map.groupBy(routes, ({ kind }) => kind);
  }

  /** Undefined when the observation is no news. */
  route(observation: Observation): Routed | undefined {
    if (observation.type === 'gone') {
      const { ref, uid, ...end } = observation;
      const known = this.#cache.gone(ref, uid, end);
      if (known === undefined) return undefined;
      const routedEvents = this.#removals(known, known.targets);
      return { known, gone: true, routedEvents, entries: [] };
    }
    const news = this.#cache.see(observation.kind, observation.object);
    if (news === undefined) return undefined;
    const { known, replaced, before } = news;
    const last = known.targets;
    const { targets, shown, unreadable } = this.#targets(known);
    known.shown = shown;
    const wanted = new Set(targets.map(({ toId }) => toId));
    const left = last.filter(({ toId }) => !wanted.has(toId));
    const routedEvents = replaced === undefined ? [] : this.#removals(replaced, replaced.targets);
    if (left.length > 0) routedEvents.push(...this.#removals(known, left));
    this.#cache.address(known, targets);
    routedEvents.push(...pack(known, targets, false));
    return {
      known,
      before,
      gone: false,
      routedEvents,
      entries: shown.flatMap(({ entries }) => entries),
      ...(unreadable === undefined ? {} : { unreadable }),
    };
  }

  /** The news that a fresh machine of this actor has to get about one object. */
  replay(known: Known, toId: string): readonly MachineEvent[] {
    return known.targets.filter((target) => target.toId === toId).map((target) => target.event);
  }

  /** Whom the object goes to, and what it is in views. Of a route that cannot read it both stay as
   *  they were. */
  #targets(known: Known): {
    targets: Target[];
    shown: Shown[];
    unreadable: string | undefined;
  } {
    const targets: Target[] = [];
    const shown: Shown[] = [];
    let unreadable: string | undefined;
    for (const route of this.#routes.get(known.ref.kind) ?? []) {
      const fresh = this.#targetsOf(route, known, shown);
      if (Array.isArray(fresh)) {
        targets.push(...fresh);
        continue;
      }
      unreadable = fresh.malformed;
      this.#refused(fresh);
      targets.push(...known.targets.filter((old) => old.route === route));
      shown.push(...known.shown.filter((old) => old.route === route));
    }
    // Both are kept for each object: without the room that `push` leaves.
    return { targets: targets.slice(), shown: shown.slice(), unreadable };
  }

  #targetsOf(route: Route, known: Known, shown: Shown[]): Target[] | Refusal {
    const { object } = known;
    const { kind } = route;
    try {
      const observed = route.decode(object);
      if (isMalformed(observed)) return { kind, object, malformed: observed.malformed };
      const entries = route.show?.(observed) ?? [];
      if (entries.length > 0) shown.push({ route, entries });
      return route
        .deliver(observed, object)
        .map((delivery) => this.#target(delivery, route, observed));
    } catch (error) {
      return { kind, object, malformed: 'the decoder threw', error };
    }
  }

  /** What these targets of an object hear when it is gone, or no longer theirs. */
  #removals(known: Known, targets: readonly Target[]): RoutedEvent[] {
    const removals: Target[] = [];
    const routes = new Map<Route, unknown>();
    for (const { route, observed } of targets) routes.set(route, observed);
    for (const [route, observed] of routes) {
      try {
        const deliveries = route.forget(observed, known.object);
        removals.push(...deliveries.map((delivery) => this.#target(delivery, route, observed)));
      } catch (error) {
        const { object } = known;
        this.#refused({ kind: route.kind, object, malformed: 'the route threw', error });
      }
    }
    const wanted = new Set(targets.map(({ toId }) => toId));
    return pack(
      known,
      removals.filter(({ toId }) => wanted.has(toId)),
      true,
    );
  }

  /** Routes make keys anew for each object; one of each is kept. */
  #target({ to, root, event }: Delivery, route: Route, observed: unknown): Target {
    const { key, id } = this.#cache.addressee(to);
    const { key: top } = this.#cache.addressee(root);
    return { to: key, toId: id, root: top, event, route, observed };
  }
}

/** One routed event per actor, in the order of the routes. A set goes to each of its scaling
 *  groups. */
function pack(object: Known, targets: readonly Target[], gone: boolean): RoutedEvent[] {
  const routedEvents = new Map<string, RoutedEvent & { events: MachineEvent[] }>();
  for (const each of targets) {
    const routed = routedEvents.get(each.toId);
    if (routed !== undefined) routed.events.push(each.event);
    else routedEvents.set(each.toId, { target: each, object, gone, events: [each.event] });
  }
  return [...routedEvents.values()];
}

function isMalformed(observed: unknown): observed is { readonly malformed: string } {
  if (typeof observed !== 'object' || observed === null || !('malformed' in observed)) return false;
  return typeof observed.malformed === 'string';
}

/** Into the log: nobody but the people who run this can mend the object. */
export function tellRefusal(
  telemetry: Pick<Telemetry, 'log'>,
  { kind, object, malformed, error }: Refusal,
): void {
  const { name, namespace = '' } = object.metadata;
  const fields = { kind, namespace, name, why: malformed };
  const cause = error === undefined ? {} : { error: errorText(error) };
  telemetry.log('error', 'an object could not be read', { ...fields, ...cause });
}
