// Phase: our finalizer is on a group that lives, so that its actor sees its deletion and can delete
// the members (drain.ts). Finalizers of others stay.
import { finalizer } from '../../grove/labels.ts';
import type { Intent } from '../../vocabulary.ts';
import { idle } from '../context.ts';
import type { GroupContext, Step } from '../context.ts';
import type { GroupFact } from '../facts.ts';

export function keepFinalizer(_context: GroupContext, group: GroupFact): Step {
  if (group.finalizers.includes(finalizer.group)) return idle;
  const finalizers = [...group.finalizers, finalizer.group];
  return { intents: [patchFinalizers(group, finalizers, 'add the finalizer')], changes: {} };
}

export const patchFinalizers = (
  group: GroupFact,
  finalizers: readonly string[],
  reason: string,
): Intent => ({
  type: 'patchObject',
  ref: { kind: 'PodCliqueScalingGroup', namespace: group.namespace, name: group.name },
  reason,
  patch: { metadata: { finalizers: [...finalizers] } },
  uid: group.uid,
  resourceVersion: group.resourceVersion,
});
