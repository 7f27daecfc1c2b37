// The memory of a topologybinding actor: its object, the topologies of the scheduler backends, and
// what failed.
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { withRead, type Reading } from '../../contract/view.ts';
import { ownSeen, recorded, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import type { ObservedBinding, ObservedTopology } from '../objects/topologybinding.ts';
import type { GroveInput, GroveSettings } from '../settings.ts';
import { backendTopology, type TopologyEvent } from '../views/topology.ts';

export interface BindingContext {
  readonly key: ActorKey;
  readonly settings: GroveSettings;
  readonly binding: ObservedBinding | undefined;
  readonly isGone: boolean;
  /** The topologies of the backends that it looks after or refers to, by name. */
  readonly topologies: ReadonlyMap<string, ObservedTopology>;
  readonly errors: FailureLog;
  /** The status of the drift condition that people were told last; undefined after a start. */
  readonly lastReported: string | undefined;
}

export type BindingEvent =
  | CommonEvent
  | { readonly type: 'binding.observed'; readonly observed: ObservedBinding }
  | { readonly type: 'binding.gone'; readonly uid: string }
  | TopologyEvent;

/** What is asked of the actor and its object. */
export type Query<R> = (context: BindingContext, own: ObservedBinding) => R;

export const startContext = ({ key, settings }: GroveInput): BindingContext => ({
  key,
  settings,
  binding: undefined,
  isGone: false,
  topologies: new Map(),
  errors: [],
  lastReported: undefined,
});

/** Its own has its name. */
export const bindingReads: Query<readonly Reading[]> = (_, binding) =>
  [...new Set([binding.name, ...binding.externals.map(({ reference }) => reference)])].map(
    (key) => ({ view: backendTopology, key }),
  );

/** The next context, or the same one where the event is no news. */
export function reduce(context: BindingContext, event: BindingEvent): BindingContext {
  switch (event.type) {
    case 'binding.observed':
      return withBinding(context, event.observed);
    case 'backendTopology.read':
      return { ...context, topologies: withRead(context.topologies, event.key, event.value) };
    case 'effect.failed':
      return withErrors(context, recorded(context.errors, event));
    case 'effect.done':
      return withErrors(context, resolved(context.errors, event.ref));
    case 'binding.gone':
      return context.binding?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      return context;
  }
}

function withBinding(context: BindingContext, observed: ObservedBinding): BindingContext {
  const seen = ownSeen(context, context.binding, observed);
  return seen === undefined ? context : { ...context, ...seen, binding: observed };
}
