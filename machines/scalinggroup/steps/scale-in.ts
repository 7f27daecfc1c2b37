// Replicas at or above spec.replicas go, each by its index and whatever the counts say, the
// highest first: a hole leaks nothing (spec controllers 10.2 gap 9). Their PodGangs are the set's.
import { entries } from '../../radix.ts';
import { idle } from '../../statechart/step.ts';
import type { DeleteObject, Intent } from '../../vocabulary.ts';
import { livingMembers } from '../context.ts';
import type { GroupContext, Step } from '../context.ts';
import type { GroupFact } from '../facts.ts';
import type { CliqueFact } from '../../podclique/facts.ts';

export const scaleIn: Step = (context, group) => {
  const surplus = [...entries(context.replicas)]
    .filter(
      ([index, replica]) => index >= group.replicas && livingMembers(replica, group).length > 0,
    )
    .toReversed();
  const highest = surplus[0]?.[0];
  if (highest === undefined) {
    return context.toldSurplus === undefined ? idle : { intents: [], changes: notTold };
  }
  const reason = (index: number): string =>
    `group replica ${index} is not wanted: spec.replicas is ${group.replicas}`;
  const intents = surplus.flatMap(([index, replica]) =>
    livingMembers(replica, group).map((member) => removal(member, reason(index))),
  );
  if (context.toldSurplus !== undefined) return { intents, changes: {} };
  return {
    intents: [...intents, ...tell(context, group, surplus.length)],
    changes: { toldSurplus: highest },
  };
};

const notTold = { toldSurplus: undefined } as const;

export const removal = (member: CliqueFact, reason: string): DeleteObject => ({
  type: 'deleteObject',
  ref: { kind: 'PodClique', namespace: member.namespace, name: member.name },
  reason,
  uid: member.uid,
});

/** One event for a whole scale-in, on the set as in Grove (spec controllers 9.3). */
function tell({ set }: GroupContext, group: GroupFact, many: number): readonly Intent[] {
  if (set === undefined) return [];
  const { namespace, name, uid } = set;
  return [
    {
      type: 'recordEvent',
      regarding: { kind: 'PodCliqueSet', namespace, name, uid },
      severity: 'Normal',
      reason: 'PodCliqueScalingGroupReplicaDeleteSuccessful',
      note: `Scale-in of ${group.name} to ${group.replicas}: deleting ${many} replicas`,
    },
  ];
}
