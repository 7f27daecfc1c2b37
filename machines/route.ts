// How a module writes down a route: the facts of one kind, who is told with what, and what it is
// in views. The runtime calls nothing else of a module with an object.
import { at } from './json.ts';
import type { Kind } from './kind.ts';
import { isMalformed } from './meta.ts';
import type { Malformed } from './meta.ts';
import type { KubeObject } from './objects.ts';
import type { Entry } from './view.ts';
import type { Delivery, Route } from './vocabulary.ts';

export interface RouteRow<F extends object> {
  readonly decode: (object: KubeObject) => F | Malformed;
  readonly seen: (fact: F, object: KubeObject) => readonly Delivery[];
  readonly gone: (fact: F, object: KubeObject) => readonly Delivery[];
  readonly shown?: (fact: F) => readonly Entry[];
}

/** Several may be of one kind. */
export function route<F extends { readonly kind: Kind }>(kind: F['kind'], row: RouteRow<F>): Route {
  const isMine = (fact: unknown): fact is F => at(fact, 'kind') === kind;
  return {
    kind,
    decode: (object) => {
      const fact = row.decode(object);
      return isMalformed(fact) ? { malformed: fact.malformed } : fact;
    },
    deliver: (fact, object) => (isMine(fact) ? row.seen(fact, object) : []),
    forget: (fact, object) => (isMine(fact) ? row.gone(fact, object) : []),
    show: (fact) => (isMine(fact) ? (row.shown?.(fact) ?? []) : []),
  };
}
