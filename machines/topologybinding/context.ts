// The memory of a topologybinding actor: its object, the topologies of the scheduler backends, and
// what failed.
import type { MachineInput, MachineSettings } from '../behaviour.ts';
import type { ErrorBook } from '../errorbook.ts';
import { noted, struck } from '../errorbook.ts';
import { isOwnNews } from '../meta.ts';
import type { ActorKey, CommonEvent } from '../vocabulary.ts';
import type { BindingFact, TopologyFact } from './facts.ts';

/** Where the binding stands: `unknown` while a backend was asked and has not answered. */
export type Standing = 'unknown' | 'inSync' | 'drifted';

export interface BindingContext {
  readonly key: ActorKey;
  readonly settings: MachineSettings;
  readonly binding: BindingFact | undefined;
  /** Every topology of the cluster, by name: an external one may have any. */
  readonly topologies: ReadonlyMap<string, TopologyFact>;
  readonly errors: ErrorBook;
  /** The status of the drift condition that people were told last; undefined after a start. */
  readonly told: string | undefined;
  readonly standing: Standing;
  readonly nudges: number;
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
  topologies: new Map(),
  errors: [],
  told: undefined,
  standing: 'unknown',
  nudges: 0,
});

/** The next context, or the same one where the event is no news. */
export function absorb(context: BindingContext, event: BindingEvent): BindingContext {
  switch (event.type) {
    case 'binding.observed':
      return withBinding(context, event.fact);
    case 'topology.observed':
      return withTopology(context, event.fact);
    case 'topology.gone':
      return withoutTopology(context, event);
    case 'effect.failed':
      return nudged({ ...context, errors: noted(context.errors, event) });
    case 'effect.done':
      return nudged({ ...context, errors: struck(context.errors, event.ref) });
    case 'effect.retry':
      return nudged(context);
    default:
      return context;
  }
}

const nudged = (context: BindingContext): BindingContext => ({
  ...context,
  nudges: context.nudges + 1,
});

function withBinding(context: BindingContext, fact: BindingFact): BindingContext {
  const old = context.binding;
  if (!isOwnNews(old, fact)) return context;
  if (old !== undefined && old.uid !== fact.uid) {
    return { ...context, binding: fact, errors: [], told: undefined, standing: 'unknown' };
  }
  const isSameSpec = old?.generation === fact.generation;
  return { ...context, binding: fact, errors: isSameSpec ? context.errors : [] };
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
