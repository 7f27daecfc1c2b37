// What a PodCliqueSet that is being deleted wants: all its children deleted, all at once, and our
// finalizer gone as soon as each deletion was answered. A refused one is left to the garbage
// collector. Where the user asked to keep the children only the finalizer goes (decision 0009).
import { isForeground } from '../../deletion.ts';
import { announce } from '../../errorbook.ts';
import { letGo } from '../../grove/finalizer.ts';
import { entries } from '../../radix.ts';
import type { DeleteObject, Intent } from '../../vocabulary.ts';
import { accessOf, living, replicaAt, touchedIndices } from '../context.ts';
import type { Child, SetContext, Step } from '../context.ts';
import type { SetFact } from '../facts.ts';
import { eventReason } from '../status.ts';
import { childrenToDelete, removal } from './surplus.ts';
import { keepUntilGone, startTally } from './tally.ts';

/** Intents in order, the finalizer last, and what the context must remember. */
export function drain(context: SetContext, set: SetFact): Step {
  if (context.isOrphaning) return spare(context, set);
  const replicas = drainReplicas(context, set);
  const access = accessToDelete(context, set);
  const isWaiting =
    (replicas.changes.totals ?? context.totals).pending > 0 ||
    access.some((child) => !context.refusedAccess.has(child.uid));
  const { uid, namespace, name } = set;
  const told = announce(
    context.errors,
    { kind: 'PodCliqueSet', namespace, name, uid },
    eventReason,
  );
  return {
    intents: [
      ...replicas.intents,
      ...access.map((child) => deletion(set, child)),
      ...told.intents,
      ...(isWaiting ? [] : letGo(set)),
    ],
    changes: {
      ...replicas.changes,
      ...(told.book === context.errors ? {} : { errors: told.book }),
    },
  };
}

const planKey = (set: SetFact, how: 'drained' | 'spared'): string => `${set.uid} ${how}`;

/** All replicas when the deletion begins, or after a restart; later those that were touched. */
function drainReplicas(context: SetContext, set: SetFact): Step {
  const plannedFor = planKey(set, 'drained');
  const isFull = context.plannedFor !== plannedFor;
  if (!isFull && context.touched === undefined) return { intents: [], changes: {} };
  const tally = startTally(context, isFull);
  const indices = isFull
    ? Array.from(entries(context.replicas), ([index]) => index)
    : touchedIndices(context);
  for (const index of indices) {
    const replica = replicaAt(context, index);
    const children = childrenToDelete(set, replica);
    tally.intents.push(...children.map((child) => deletion(set, child)));
    const isDone = children.every((child) => replica.refused.has(child.uid));
    keepUntilGone(tally, index, replica, isDone);
  }
  if (isFull) tally.intents.push(decision(tally.intents.length));
  const { replicas, totals, intents } = tally;
  return { intents, changes: { replicas, totals, touched: undefined, plannedFor } };
}

const decision = (many: number): Intent => ({
  type: 'decide',
  what: `delete the ${many} children of the replicas`,
  why: 'the PodCliqueSet is being deleted',
});

/** Children that the finalizer waits for: their deletion was neither accepted nor refused. */
export function deletionsAwaited(context: SetContext, set: SetFact): readonly Child[] {
  if (context.isOrphaning) return [];
  const inReplicas = Array.from(entries(context.replicas), ([, replica]) =>
    childrenToDelete(set, replica).filter((child) => !replica.refused.has(child.uid)),
  );
  const access = accessToDelete(context, set);
  return [...inReplicas.flat(), ...access.filter(({ uid }) => !context.refusedAccess.has(uid))];
}

/** The start-up container's access objects that are not terminating yet. */
const accessToDelete = (context: SetContext, set: SetFact): readonly Child[] =>
  accessOf(context).filter((child) => living(child, set) !== undefined);

/** Only PodCliques and groups have children that a deletion in the foreground waits for. */
function deletion(set: SetFact, child: Child): DeleteObject {
  const intent = removal(child, 'the PodCliqueSet is being deleted');
  const hasChildren = child.kind === 'PodClique' || child.kind === 'PodCliqueScalingGroup';
  const isDeep = hasChildren && isForeground(set);
  return isDeep ? { ...intent, propagation: 'Foreground' } : intent;
}

function spare(context: SetContext, set: SetFact): Step {
  const plannedFor = planKey(set, 'spared');
  if (context.plannedFor === plannedFor) return { intents: letGo(set), changes: {} };
  const decided: Intent = {
    type: 'decide',
    what: 'keep the children',
    why: 'the PodCliqueSet is being deleted with propagation policy Orphan',
  };
  return { intents: [decided, ...letGo(set)], changes: { plannedFor } };
}
