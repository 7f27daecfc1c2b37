// What a PodCliqueSet that is being deleted wants: all its children deleted, all at once, and our
// finalizer gone as soon as each deletion was answered. A refused one is left to the garbage
// collector, but no ComputeDomain that our finalizer holds: nobody else would take that off. Where
// the user asked to keep the children only the finalizers go (decision 0009).
import { isForeground } from '../../deletion.ts';
import { announceErrorsOf, lastErrors } from '../../errorbook.ts';
import { isHeld, letGo } from '../../grove/finalizer.ts';
import type { Kind } from '../../kinds.ts';
import { entries } from '../../radix.ts';
import type { EpochMs, Intent } from '../../vocabulary.ts';
import { accessOf, living, refOf, replicaAt, replicasIn, touchedIndices } from '../context.ts';
import type { Child, Replica, Result, SetContext, Step } from '../context.ts';
import type { SetFact } from '../facts.ts';
import { secretName } from '../names.ts';
import { eventReason, groveCode } from '../status.ts';
import { deleteToken, tokenToDelete } from '../token.ts';
import { heldDomains, tellDomains } from './domains.ts';
import { childrenToDelete, departure } from './surplus.ts';
import { keepUntilGone, startTally } from './tally.ts';

/** Intents in order, the finalizer last, and what the context must remember. */
export const deleteAll: Step = (context, set, now) => {
  if (context.isOrphaning) return spare(context, set);
  const replicas = drainReplicas(context, set, now);
  const access = accessToDelete(context, set);
  const token = tokenToDelete(context, set);
  const isWaiting =
    replicasIn({ totals: replicas.changes.totals ?? context.totals }, 'children.pending') > 0 ||
    accessAwaited(context, set).length > 0;
  const regarding = { ...refOf(set), uid: set.uid };
  const told = announceErrorsOf(context.errors, regarding, eventReason);
  const domains = tellDomains(context, set, !isWaiting);
  return {
    intents: [
      ...replicas.intents,
      ...access.map((child) => deletion(set, child)),
      ...(token === undefined ? [] : [deleteToken(set, token)]),
      ...told.intents,
      ...domains.intents,
      ...(isWaiting ? sayWhyHeld(context, set) : letGo(set)),
    ],
    changes: {
      ...replicas.changes,
      ...domains.changes,
      ...told.changes,
    },
  };
};

const planKey = (set: SetFact, how: 'drained' | 'spared'): string => `${set.uid} ${how}`;

/** All replicas when the deletion begins, or after a restart; later those that were touched. */
function drainReplicas(context: SetContext, set: SetFact, now: EpochMs): Result {
  const plannedFor = planKey(set, 'drained');
  const isFull = context.plannedFor !== plannedFor;
  if (!isFull && context.touched === undefined) return { intents: [], changes: {} };
  const tally = startTally(context, set, now, isFull);
  const indices = isFull
    ? Array.from(entries(context.replicas), ([index]) => index)
    : touchedIndices(context);
  for (const index of indices) {
    const replica = replicaAt(context, index);
    const children = childrenToDelete(set, replica);
    tally.intents.push(...children.map((child) => deletion(set, child)));
    const isDone = children.every((child) => !isAwaited(replica, child));
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
export function deletionsAwaited(context: SetContext, set: SetFact): readonly Awaited[] {
  if (context.isOrphaning) return heldDomains(context);
  const inReplicas = Array.from(entries(context.replicas), ([, replica]) =>
    childrenToDelete(set, replica).filter((child) => isAwaited(replica, child)),
  );
  return [...inReplicas.flat(), ...accessAwaited(context, set)];
}

type Awaited = Pick<Child, 'name'> & { readonly kind: Kind };

function accessAwaited(context: SetContext, set: SetFact): readonly Awaited[] {
  const uid = tokenToDelete(context, set);
  const token = { kind: 'Secret', name: secretName(set.name), uid } as const;
  return [...accessToDelete(context, set), ...(uid === undefined ? [] : [token])].filter(
    (child) => !context.refusedAccess.has(child.uid ?? ''),
  );
}

/** Of a ComputeDomain that we hold no refusal is final. */
const isAwaited = ({ refused }: Replica, child: Child): boolean =>
  (child.kind === 'ComputeDomain' && isHeld(child)) || !refused.has(child.uid);

/** The only child that may keep the set for long: its status says so (spec controllers 1.1.3). */
function sayWhyHeld({ errors }: SetContext, set: SetFact): readonly Intent[] {
  const ofDomains = errors.filter(({ ref }) => ref.kind === 'ComputeDomain');
  if (ofDomains.length === 0) return [];
  return [
    {
      type: 'writeStatus',
      ref: { kind: 'PodCliqueSet', namespace: set.namespace, name: set.name },
      reason: 'a ComputeDomain cannot be let go',
      uid: set.uid,
      status: { ...set.status, lastErrors: lastErrors(ofDomains, groveCode) },
      urgency: 'now',
    },
  ];
}

/** The start-up container's access objects that are not terminating yet. */
const accessToDelete = (context: SetContext, set: SetFact): readonly Child[] =>
  accessOf(context).filter((child) => living(child, set) !== undefined);

/** Only PodCliques and groups have children that a deletion in the foreground waits for. */
function deletion(set: SetFact, child: Child): Intent {
  const intent = departure(child, 'the PodCliqueSet is being deleted');
  const hasChildren = child.kind === 'PodClique' || child.kind === 'PodCliqueScalingGroup';
  const isDeep = intent.type === 'deleteObject' && hasChildren && isForeground(set);
  return isDeep ? { ...intent, propagation: 'Foreground' } : intent;
}

/** ComputeDomains are let go first, or nobody could ever delete them. */
function spare(context: SetContext, set: SetFact): Result {
  const plannedFor = planKey(set, 'spared');
  const held = heldDomains(context);
  const intents = held.length > 0 ? held.flatMap(letGo) : letGo(set);
  if (context.plannedFor === plannedFor) return { intents, changes: {} };
  const decided: Intent = {
    type: 'decide',
    what: 'keep the children',
    why: 'the PodCliqueSet is being deleted with propagation policy Orphan',
  };
  return { intents: [decided, ...intents], changes: { plannedFor } };
}
