// What a group that is being deleted wants: its members deleted, all at once, and our finalizer
// gone as soon as each deletion was answered. A refused one is left to the garbage collector. Where
// the user asked to keep the members only the finalizer goes (decision 0009).
import { isForeground } from '../../deletion.ts';
import { letGo } from '../../grove/finalizer.ts';
import type { CliqueFact } from '../../podclique/facts.ts';
import { entries } from '../../radix.ts';
import type { DeleteObject } from '../../vocabulary.ts';
import { livingMembers } from '../context.ts';
import type { GroupContext, Step } from '../context.ts';
import type { GroupFact } from '../facts.ts';
import { removal } from './scale-in.ts';

export const deleteAll: Step = (context, group) => {
  const isWaiting = deletionsAwaited(context, group).length > 0;
  return {
    intents: [
      ...membersToDelete(context, group).map(({ member }) => deletion(group, member)),
      ...(isWaiting ? [] : letGo(group)),
    ],
    changes: {},
  };
};

interface Leaving {
  readonly member: CliqueFact;
  readonly isRefused: boolean;
}

function membersToDelete(context: GroupContext, group: GroupFact): readonly Leaving[] {
  if (context.isOrphaning) return [];
  return Array.from(entries(context.replicas), ([, replica]) =>
    livingMembers(replica, group).map((member) => ({
      member,
      isRefused: replica.refused.has(member.uid),
    })),
  ).flat();
}

/** Members that the finalizer waits for: their deletion was neither accepted nor refused. */
export const deletionsAwaited = (context: GroupContext, group: GroupFact): readonly CliqueFact[] =>
  membersToDelete(context, group)
    .filter(({ isRefused }) => !isRefused)
    .map(({ member }) => member);

function deletion(group: GroupFact, member: CliqueFact): DeleteObject {
  const intent = removal(member, 'its PodCliqueScalingGroup is being deleted');
  return isForeground(group) ? { ...intent, propagation: 'Foreground' } : intent;
}
