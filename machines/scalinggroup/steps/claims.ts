// The ResourceClaims that all replicas of a group share, and those of each replica. Members
// are created when their claims are there; the claims of a replica that is not wanted outlive its
// members (spec controllers 8.2, 10.2 gap 12).
import {
  claimsAwaited,
  ensureClaims as ensureAt,
  isShareMissing,
  removeStaleClaims,
  templateProblems,
} from '../../claims/level.ts';
import type { ClaimAwaited, Level } from '../../claims/level.ts';
import type { Problem } from '../../errorbook.ts';
import { label } from '../../grove/labels.ts';
import { maxReplicasPerGroup } from '../../limits.ts';
import { entries } from '../../radix.ts';
import { idle } from '../../statechart/step.ts';
import type { Intent } from '../../vocabulary.ts';
import { problemOf, replicaAt, sourceOf } from '../context.ts';
import type { GroupContext, Source, Step } from '../context.ts';
import type { GroupFact } from '../facts.ts';

/** The claims of the group itself. */
export const levelOf = (
  { templates }: Pick<GroupContext, 'templates'>,
  group: GroupFact,
  { set, template }: Source,
): Level => ({
  owner: group,
  set: set.name,
  shares: template.shares,
  labels: { [label.scalingGroup]: group.name },
  indexLabel: label.scalingGroupIndex,
  own: set.sharing.own,
  templates,
  code: 'ERR_SYNC_PCSG_RESOURCE_CLAIM',
  place: `scaling group "${template.name}"`,
});

export const ensureClaims: Step = (context, group) => {
  const source = sourceOf(context, group);
  if (source === undefined || source.template.shares.length === 0) return idle;
  if (problemOf(group) !== undefined) return idle;
  const level = levelOf(context, group, source);
  const intents: Intent[] = [...ensureAt(level, context.claims, undefined)];
  for (let index = 0; index < group.replicas; index++) {
    intents.push(...ensureAt(level, replicaAt(context, index).claims, index));
  }
  for (const [index, { members, claims }] of entries(context.replicas)) {
    // Once no member is left every pod of the replica is terminating, or gone.
    if (index < group.replicas || members.size > 0) continue;
    intents.push(...removeStaleClaims(level, claims, () => false));
  }
  return { intents, changes: {} };
};

/** Members are created after the claims that all of them may share. */
export const areCommonClaimsThere = (
  context: GroupContext,
  group: GroupFact,
  source: Source,
): boolean =>
  claimsAwaited(levelOf(context, group, source), context.claims, undefined).length === 0;

/** Claims that a replica waits for: its own, and those of all replicas. */
export function awaitedClaims(
  context: GroupContext,
  group: GroupFact,
  index: number,
): readonly ClaimAwaited[] {
  const source = sourceOf(context, group);
  if (source === undefined) return [];
  const level = levelOf(context, group, source);
  const { claims } = replicaAt(context, index);
  return [
    ...claimsAwaited(level, context.claims, undefined),
    ...claimsAwaited(level, claims, index),
  ];
}

/** Templates that claims are to be made from and that are not there. */
export function problemsOfClaims(context: GroupContext, group: GroupFact): readonly Problem[] {
  const source = sourceOf(context, group);
  if (source === undefined) return [];
  const isThere = (name: string, index: number | undefined): boolean =>
    (index === undefined ? context.claims : replicaAt(context, index).claims).has(name);
  const many = Math.min(group.replicas, maxReplicasPerGroup);
  const level = levelOf(context, group, source);
  return templateProblems(level, isShareMissing(level, isThere, many));
}
