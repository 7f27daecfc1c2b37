// The memory of a topologybinding actor: its object, the topologies of the scheduler backends, and
// what failed.
import type { MachineInput, MachineSettings } from '../behaviour.ts';
import type { ErrorBook } from '../errorbook.ts';
import { noted, struck } from '../errorbook.ts';
import { isOwnNews } from '../meta.ts';
import type { ActorKey, CommonEvent } from '../vocabulary.ts';
import type { BindingFact, TopologyFact } from './facts.ts';

export interface BindingContext {
  readonly key: ActorKey;
  readonly settings: MachineSettings;
  readonly binding: BindingFact | undefined;
  readonly isGone: boolean;
  /** Every topology of the cluster, by name: an external one may have any. */
  readonly topologies: ReadonlyMap<string, TopologyFact>;
  readonly errors: ErrorBook;
  /** The status of the drift condition that people were told last; undefined after a start. */
  readonly told: string | undefined;
}

export type BindingEvent =
  | CommonEvent
  | { readonly type: 'binding.observed'; readonly fact: BindingFact }
  | { readonly type: 'binding.gone'; readonly uid: string }
  | { readonly type: 'topology.observed'; readonly fact: TopologyFact }
  | { readonly type: 'topology.gone'; readonly name: string; readonly uid: string };

export const startContext = ({ key, settings }: MachineInput): BindingContext => ({
  key,
  settings,
  binding: undefined,
  isGone: false,
  topologies: new Map(),
  errors: [],
  told: undefined,
});

export const refOf = ({ name }: BindingFact) =>
  ({ kind: 'ClusterTopologyBinding', namespace: '', name }) as const;

/** The next context, or the same one where the event is no news. */
export function reduce(context: BindingContext, event: BindingEvent): BindingContext {
  switch (event.type) {
    case 'binding.observed':
      return withBinding(context, event.fact);
    case 'topology.observed':
      return withTopology(context, event.fact);
    case 'topology.gone':
      return withoutTopology(context, event);
    case 'effect.failed':
      return withErrors(context, noted(context.errors, event));
    case 'effect.done':
      return withErrors(context, struck(context.errors, event.ref));
    case 'binding.gone':
      return context.binding?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      return context;
  }
}

const withErrors = (context: BindingContext, errors: ErrorBook): BindingContext =>
  errors === context.errors ? context : { ...context, errors };

function withBinding(context: BindingContext, fact: BindingFact): BindingContext {
  const old = context.binding;
  // One that is back is news, whatever its version.
  if (!context.isGone && !isOwnNews(old, fact)) return context;
  const isSameSpec = old?.generation === fact.generation;
  return { ...context, isGone: false, binding: fact, errors: isSameSpec ? context.errors : [] };
}

function withTopology(context: BindingContext, fact: TopologyFact): BindingContext {
  if (!isOwnNews(context.topologies.get(fact.name), fact)) return context;
  return { ...context, topologies: new Map(context.topologies).set(fact.name, fact) };
}

function withoutTopology(
  context: BindingContext,
  { name, uid }: { readonly name: string; readonly uid: string },
): BindingContext {
  if (context.topologies.get(name)?.uid !== uid) return context;
  const topologies = new Map(context.topologies);
  topologies.delete(name);
  return { ...context, topologies };
}
