// How a ClusterTopologyBinding stands, in sentences for people.
import { maxListed } from '../../contract/limits.ts';
import { whyThere } from '../../kubernetes/deletion.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { sayError } from '../failure-log.ts';
import type { ObservedBinding } from '../objects/topologybinding.ts';
import { findingsOf } from './backends.ts';
import type { BindingContext } from './context.ts';

export const whyTerminating = (binding: ObservedBinding): string =>
  whyThere(`ClusterTopologyBinding ${binding.name}`, binding, { ours: '', waited: [] });

export const explainTopologies = (
  context: BindingContext,
  binding: ObservedBinding,
): readonly string[] =>
  findingsOf(context, binding).flatMap(({ scheduler, reference, inSync, message }) => {
    if (inSync === undefined) return [`the topology ${reference} of ${scheduler} is being written`];
    return message === undefined ? [] : [`${scheduler}: ${message}`];
  });

/** For `/actors` and `ask state`. */
export const view = (context: BindingContext): JsonObject => ({
  uid: context.binding?.uid ?? null,
  levels: (context.binding?.levels ?? []).map(({ domain, key }) => ({ domain, key })),
  topologies: [...context.topologies.keys()].slice(0, maxListed),
  errors: context.errors.map(sayError),
});
