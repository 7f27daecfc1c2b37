// How a ClusterTopologyBinding stands, in sentences for people. Answers `why`.
import { whyThere } from '../deletion.ts';
import { sayError } from '../errorbook.ts';
import { maxListed } from '../limits.ts';
import type { JsonObject } from '../objects.ts';
import { awareBackends, findingsOf } from './backends.ts';
import type { BindingContext } from './context.ts';

export function why(context: BindingContext): readonly string[] {
  const { binding } = context;
  const name = `ClusterTopologyBinding ${context.key.name}`;
  if (binding === undefined) return [`${name} was not seen yet`];
  if (binding.deleting) return [whyThere(name, binding, { ours: '', waited: [] })];
  const findings = findingsOf(context, binding);
  const reasons = [
    ...context.errors.map(sayError),
    ...findings.flatMap(({ scheduler, reference, inSync, message }) => {
      if (inSync === undefined)
        return [`the topology ${reference} of ${scheduler} is being written`];
      return message === undefined ? [] : [`${scheduler}: ${message}`];
    }),
  ];
  if (reasons.length > 0) return reasons.slice(0, maxListed);
  if (awareBackends(context).length === 0) {
    return [`no scheduler backend that knows topologies is enabled; nothing is to be done`];
  }
  return [`the topologies of all scheduler backends are in sync`];
}

/** For `/actors` and `ask state`. */
export const view = (context: BindingContext): JsonObject => ({
  uid: context.binding?.uid ?? null,
  levels: (context.binding?.levels ?? []).map(({ domain, key }) => ({ domain, key })),
  topologies: [...context.topologies.keys()].slice(0, maxListed),
  errors: context.errors.map(sayError),
});
