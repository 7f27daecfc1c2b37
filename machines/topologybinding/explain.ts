// How a ClusterTopologyBinding stands, in sentences for people.
import { whyThere } from '../deletion.ts';
import { sayError } from '../errorbook.ts';
import { maxListed } from '../limits.ts';
import type { JsonObject } from '../objects.ts';
import { awareBackends, findingsOf } from './backends.ts';
import type { BindingContext } from './context.ts';
import type { BindingFact } from './facts.ts';

export const whyTerminating = (binding: BindingFact): string =>
  whyThere(`ClusterTopologyBinding ${binding.name}`, binding, { ours: '', waited: [] });

export const explain = (context: BindingContext, binding: BindingFact): readonly string[] => [
  ...context.errors.map(sayError),
  ...findingsOf(context, binding).flatMap(({ scheduler, reference, inSync, message }) => {
    if (inSync === undefined) return [`the topology ${reference} of ${scheduler} is being written`];
    return message === undefined ? [] : [`${scheduler}: ${message}`];
  }),
];

export const fine = (context: BindingContext): string =>
  awareBackends(context).length === 0
    ? 'no scheduler backend that knows topologies is enabled; nothing is to be done'
    : 'the topologies of all scheduler backends are in sync';

/** For `/actors` and `ask state`. */
export const view = (context: BindingContext): JsonObject => ({
  uid: context.binding?.uid ?? null,
  levels: (context.binding?.levels ?? []).map(({ domain, key }) => ({ domain, key })),
  topologies: [...context.topologies.keys()].slice(0, maxListed),
  errors: context.errors.map(sayError),
});
