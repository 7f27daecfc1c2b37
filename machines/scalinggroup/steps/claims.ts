// The ResourceClaims of a scaling group itself: what is special about them, and the step for those
// that all its replicas share.
import { replicaAt } from '../../children/replicas.ts';
import { ensureCommon, sharedProblems } from '../../claims/replicas.ts';
import type { Shared } from '../../claims/replicas.ts';
import type { Problem } from '../../errorbook.ts';
import { label } from '../../grove/labels.ts';
import { maxReplicasPerGroup } from '../../limits.ts';
import { idle } from '../../statechart/step.ts';
import { problemOf, sourceOf } from '../context.ts';
import type { GroupContext, Source, Step } from '../context.ts';
import type { GroupFact } from '../facts.ts';

export const sharedIn = (
  context: GroupContext,
  group: GroupFact,
  { set, template }: Source,
): Shared => ({
  level: {
    owner: group,
    set: set.name,
    shares: template.shares,
    labels: { [label.scalingGroup]: group.name },
    indexLabel: label.scalingGroupIndex,
    own: set.sharing.own,
    templates: context.templates,
    code: 'ERR_SYNC_PCSG_RESOURCE_CLAIM',
    place: `scaling group "${template.name}"`,
  },
  common: context.claims,
  claimsOf: (index) => replicaAt(context, index).claims,
  replicas: Math.min(group.replicas, maxReplicasPerGroup),
  external: set.sharing.external,
});

/** The claims that all replicas share. */
export const ensureCommonClaims: Step = (context, group) => {
  const source = sourceOf(context, group);
  if (source === undefined || problemOf(group) !== undefined) return idle;
  return { intents: ensureCommon(sharedIn(context, group, source)), changes: {} };
};

/** Templates that claims are to be made from and that are not there. */
export function problemsOfClaims(context: GroupContext, group: GroupFact): readonly Problem[] {
  const source = sourceOf(context, group);
  return source === undefined ? [] : sharedProblems(sharedIn(context, group, source));
}
