// How the objects of one kind reach actors and views: the route as the runtime takes it, and the
// shorter form in which a module writes it down.
import { at } from '../kubernetes/json.ts';
import { isMalformed, type Malformed } from '../kubernetes/meta.ts';
import type { KubeObject } from '../kubernetes/objects.ts';
import type { ActorKey } from './address.ts';
import type { Kind } from './kind.ts';
import type { Entry } from './view.ts';

/**
 * How objects of one kind become events of actors. Pure. `decode` is total: what lacks a needed
 * field yields `{ malformed }` (field, what is wrong), never a throw.
 */
export interface Route<Observed = unknown> {
  readonly kind: Kind;
  readonly decode: (object: KubeObject) => Observed | { readonly malformed: string };
  /** The actors that want this object, with the event each gets. */
  readonly deliver: (observed: Observed, object: KubeObject) => readonly Delivery[];
  /** The same for an object that is gone for sure (deleted, or absent from a complete list). */
  readonly forget: (observed: Observed, object: KubeObject) => readonly Delivery[];
  /** What it is in views, for whoever reads these. */
  readonly show?: (observed: Observed) => readonly Entry[];
}

export interface Delivery {
  readonly to: ActorKey;
  /** The key of the root object of the tree that the actor lives in: it picks the shard. Once the
   *  actor's own object is known that says it, and may say another later: the actor moves. */
  readonly root: ActorKey;
  readonly event: { readonly type: string };
}

export interface RouteRow<F extends object> {
  readonly decode: (object: KubeObject) => F | Malformed;
  readonly seen: (observed: F, object: KubeObject) => readonly Delivery[];
  readonly gone: (observed: F, object: KubeObject) => readonly Delivery[];
  readonly shown?: (observed: F) => readonly Entry[];
}

/** Several may be of one kind. */
export function route<F extends { readonly kind: Kind }>(kind: F['kind'], row: RouteRow<F>): Route {
  const isMine = (observed: unknown): observed is F => at(observed, 'kind') === kind;
  return {
    kind,
    decode: (object) => {
      const observed = row.decode(object);
      return isMalformed(observed) ? { malformed: observed.malformed } : observed;
    },
    deliver: (observed, object) => (isMine(observed) ? row.seen(observed, object) : []),
    forget: (observed, object) => (isMine(observed) ? row.gone(observed, object) : []),
    show: (observed) => (isMine(observed) ? (row.shown?.(observed) ?? []) : []),
  };
}
