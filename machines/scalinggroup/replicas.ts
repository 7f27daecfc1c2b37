// What is wanted of and known about each replica of a scaling group. A replica that did not change
// since it was looked at last is not looked at again: a reconcile of a group of a thousand replicas
// costs a thousand look-ups. Used by the steps and by the status.
import { claimsAwaited } from '../claims/level.ts';
import { buildClique, isOfTemplate, patchOfClique } from '../grove/clique.ts';
import type { Templates } from '../claims/facts.ts';
import type { CliqueWish } from '../grove/clique.ts';
import type { CliqueFact } from '../podclique/facts.ts';
import type { Intent } from '../vocabulary.ts';
import { maxReplicasPerGroup } from '../limits.ts';
import { emptyReplica, living, replicaAt, sourceOf } from './context.ts';
import type { GroupContext, GroupReplica, Source } from './context.ts';
import type { GroupFact } from './facts.ts';
import { areCommonClaimsThere, levelOf } from './steps/claims.ts';
import { breachOf, isScheduled, wishOfMember } from './member.ts';

/** One replica as its members are, and what is missing from it. */
export interface Finding {
  readonly intents: readonly Intent[];
  /** Some member is missing or not as it should be. */
  readonly isPending: boolean;
  /** Every member is there and stays. */
  readonly isComplete: boolean;
  readonly isScheduled: boolean;
  readonly isAvailable: boolean;
  readonly isUpdated: boolean;
  /** Complete, and no member is breached or unknown. */
  readonly isSound: boolean;
  /** All members have reached the set's generation, ready or not. */
  readonly isAtGeneration: boolean;
  /** Some member was made from another template. */
  readonly isStale: boolean;
  /** Members that have reached the set's generation with enough ready pods. */
  readonly updatedMembers: number;
}

/** Whether claims are there does not depend on where they are made from. */
const noTemplates: Templates = new Map();

const memos = new WeakMap<GroupReplica, { readonly key: string; readonly finding: Finding }>();

/**
 * One for each replica that is wanted, by index; empty while there is nothing to plan by. More than
 * are handled are not looked at.
 */
export function findings(context: GroupContext, group: GroupFact): readonly Finding[] {
  const source = sourceOf(context, group);
  if (source === undefined) return [];
  const areCommonThere = areCommonClaimsThere(context, group, source);
  const key = `${group.uid} ${source.set.planKey} ${String(areCommonThere)}`;
  return Array.from({ length: Math.min(group.replicas, maxReplicasPerGroup) }, (_, index) => {
    const replica = replicaAt(context, index);
    const memo = memos.get(replica);
    if (memo?.key === key) return memo.finding;
    const finding = look(group, source, index, { replica, areCommonThere });
    // All that were never seen share one object.
    if (replica !== emptyReplica) memos.set(replica, { key, finding });
    return finding;
  });
}

interface Looked {
  readonly replica: GroupReplica;
  /** The claims that all replicas share. */
  readonly areCommonThere: boolean;
}

function look(
  group: GroupFact,
  source: Source,
  index: number,
  { replica, areCommonThere }: Looked,
): Finding {
  const { template, set } = source;
  const level = levelOf({ templates: noTemplates }, group, source);
  const mayCreate = areCommonThere && claimsAwaited(level, replica.claims, index).length === 0;
  const intents: Intent[] = [];
  const members: CliqueFact[] = [];
  let isStale = false;
  let atGeneration = 0;
  let updatedMembers = 0;
  for (const one of template.members) {
    const wish = wishOfMember(group, source, index, one);
    const there = replica.members.get(one.name);
    if (there !== undefined || mayCreate) {
      intents.push(...planMember(group, source, index, wish, there));
    }
    isStale ||= there !== undefined && !isOfTemplate(wish, there);
    const member = living(there, group);
    if (member === undefined) continue;
    members.push(member);
    const isReached =
      isOfTemplate(wish, member) &&
      member.observed.templateHash === wish.templateHash &&
      member.observed.generationHash === set.generationHash;
    if (isReached) atGeneration++;
    if (isReached && hasEnough(member, 'updatedReplicas')) updatedMembers++;
  }
  const many = template.members.length;
  const isComplete = members.length === many && many > 0;
  const areScheduled = isComplete && members.every(isScheduled);
  const isAvailable = areScheduled && members.every((one) => hasEnough(one, 'readyReplicas'));
  return {
    intents,
    isPending: intents.length > 0 || members.length < many || !mayCreate,
    isComplete,
    isScheduled: areScheduled,
    isAvailable,
    isUpdated: isAvailable && updatedMembers === many,
    isSound: isComplete && members.every(isSound),
    isAtGeneration: isComplete && atGeneration === many,
    isStale,
    updatedMembers,
  };
}

const hasEnough = (
  { observed, minAvailable }: CliqueFact,
  field: 'readyReplicas' | 'updatedReplicas',
): boolean => observed.readyReplicas >= minAvailable && observed[field] >= minAvailable;

const isSound = (member: CliqueFact): boolean => {
  const breach = breachOf(member);
  return breach !== undefined && breach !== 'True';
};

/**
 * A member that is going holds its name: it is created again when it is gone. One of an older
 * template is left as it is until an update comes to its replica, unless the set updates in place
 * (spec controllers 1.2.3).
 */
function planMember(
  group: GroupFact,
  { set }: Source,
  index: number,
  wish: CliqueWish,
  there: CliqueFact | undefined,
): readonly Intent[] {
  const ref = { kind: 'PodClique', namespace: group.namespace, name: wish.name } as const;
  if (there === undefined) {
    const body = buildClique(wish);
    return [{ type: 'createObject', ref, reason: `member of group replica ${index}`, body }];
  }
  const member = living(there, group);
  if (member === undefined) return [];
  if (!isOfTemplate(wish, member) && !set.updatesOnDelete) return [];
  const patch = patchOfClique(wish, member);
  if (patch === undefined) return [];
  return [{ type: 'patchObject', ref, reason: 'differs from the spec', patch, uid: member.uid }];
}
