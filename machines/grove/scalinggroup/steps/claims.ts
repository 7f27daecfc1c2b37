// The ResourceClaims of a scaling group itself: what is special about them, and the step for those
// that all its replicas share.
import { idle } from '../../../statechart/step.ts';
import { replicaAt } from '../../children/replicas.ts';
import { ensureCommon, sharedProblems } from '../../claims/replicas.ts';
import type { Shared } from '../../claims/replicas.ts';
import { label } from '../../objects/labels.ts';
import { maxReplicasPerGroup } from '../../objects/limits.ts';
import type { ObservedGroup } from '../../objects/scalinggroup.ts';
import type { Problem } from '../../objects/set-problem.ts';
import type { Source } from '../children/member.ts';
import { problemOf, sourceOf } from '../context.ts';
import type { GroupContext, Step } from '../context.ts';

export const sharedIn = (
  context: GroupContext,
  group: ObservedGroup,
  { set, template }: Source,
): Shared => ({
  level: {
    owner: group,
    set: set.name,
    sharedClaims: template.sharedClaims,
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
export function problemsOfClaims(context: GroupContext, group: ObservedGroup): readonly Problem[] {
  const source = sourceOf(context, group);
  return source === undefined ? [] : sharedProblems(sharedIn(context, group, source));
}
