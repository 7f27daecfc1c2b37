// What a PodCliqueSet that is being deleted wants: all its children deleted, all at once, and our
// finalizer gone as soon as each deletion was answered. A refused one is left to the garbage
// collector, but no ComputeDomain that our finalizer holds: nobody else would take that off. Where
// the user asked to keep the children only the finalizers go (decision 0009).
import type { Intent } from '../../../contract/intents.ts';
import { isForeground } from '../../../kubernetes/deletion.ts';
import type { EpochMs } from '../../../kubernetes/time.ts';
import { entries } from '../../children/radix.ts';
import { leavingOf, type Leaving } from '../../children/reconcile.ts';
import { planReplicas, type ReplicaPlan } from '../../children/replicas.ts';
import type { ObservedChild } from '../../children/type.ts';
import { announceErrorsBy } from '../../../contract/failure-log.ts';
import { lastErrors } from '../../last-errors.ts';
import { removeFinalizer } from '../../finalizer.ts';
import { secretName } from '../../objects/names.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import { accessGoes, accessTable } from '../children/access.ts';
import { replicaGoes, replicaTable } from '../children/table.ts';
import { replicasIn } from '../context.ts';
import type { Query, Replica, Result, SetContext, Step } from '../context.ts';
import { replicaChart } from '../replicas.ts';
import { eventReason, groveCode } from '../status.ts';
import { deleteToken, tokenToDelete } from '../token.ts';
import { heldDomains, tellDomains } from './domains.ts';
import { statusOf } from '../../../contract/object-intents.ts';

/** Intents in order, the finalizer last, and what the context must remember. */
export const deleteAll: Step = (context, set, now) => {
  if (context.isOrphaning) return orphanChildren(context, set);
  const replicas = deleteReplicas(context, set, now);
  const access = accessToDelete(context, set);
  const token = tokenToDelete(context, set);
  const isWaiting =
    replicasIn({ totals: replicas.changes.totals ?? context.totals }, 'children.pending') > 0 ||
    accessAwaited(context, set).length > 0;
  const announced = announceErrorsBy(eventReason)(context, set);
  const domains = tellDomains(context, set, !isWaiting);
  return {
    intents: [
      ...replicas.intents,
      ...access.map((child) => deletion(set, child)),
      ...(token === undefined ? [] : [deleteToken(set, token)]),
      ...announced.intents,
      ...domains.intents,
      ...(isWaiting ? sayWhyHeld(context, set) : removeFinalizer(set)),
    ],
    changes: {
      ...replicas.changes,
      ...domains.changes,
      ...announced.changes,
    },
  };
};

const planKey = (set: ObservedSet, how: 'deleted' | 'orphaned'): string => `${set.uid} ${how}`;

/** All replicas when the deletion begins, or after a restart; later those that were touched. */
function deleteReplicas(context: SetContext, set: ObservedSet, now: EpochMs): Result {
  const key = planKey(set, 'deleted');
  const plan = planReplicas(context, {
    own: set,
    now,
    chart: replicaChart,
    key,
    wanted: 0,
    plan: deleteChildren(set),
    drop: deleteChildren(set),
  });
  if (plan === undefined) return { intents: [], changes: {} };
  const { intents, book } = plan;
  const isFirst = context.planned?.key !== key;
  return { intents: isFirst ? [...intents, decision(intents.length)] : intents, changes: book };
}

const deleteChildren =
  (set: ObservedSet) =>
  (_: number, replica: Replica): ReplicaPlan => {
    const leaving = leavingOf(replicaTable, replicaGoes, replica.children, set);
    return {
      intents: leaving.map((one) => deletion(set, one)),
      isComplete: leaving.every((one) => !isAwaited(replica, one)),
    };
  };

const decision = (many: number): Intent => ({
  type: 'decide',
  what: `delete the ${many} children of the replicas`,
  why: 'the PodCliqueSet is being deleted',
});

/** Children that the finalizer waits for: their deletion was neither accepted nor refused. */
export function deletionsAwaited(context: SetContext, set: ObservedSet): readonly Awaited[] {
  if (context.isOrphaning) return heldDomains(context);
  const inReplicas = Array.from(entries(context.replicas), ([, replica]) =>
    leavingOf(replicaTable, replicaGoes, replica.children, set).filter((one) =>
      isAwaited(replica, one),
    ),
  ).flat();
  return [...inReplicas.map(({ child }) => child), ...accessAwaited(context, set)];
}

type Awaited = Pick<ObservedChild, 'kind' | 'name'>;

function accessAwaited(context: SetContext, set: ObservedSet): readonly Awaited[] {
  const uid = tokenToDelete(context, set);
  const token = { kind: 'Secret', name: secretName(set.name), uid } as const;
  const access = accessToDelete(context, set).map(({ child }) => child);
  return [...access, ...(uid === undefined ? [] : [token])].filter(
    (child) => !context.refusedAccess.has(child.uid ?? ''),
  );
}

/** Of a ComputeDomain that we hold no refusal is final. */
const isAwaited = ({ refused }: Replica, { child, isHeld }: Leaving): boolean =>
  isHeld || !refused.has(child.uid);

/** The only child that may keep the set for long: its status says so (spec controllers 1.1.3). */
function sayWhyHeld({ errors }: SetContext, set: ObservedSet): readonly Intent[] {
  const ofDomains = errors.filter(({ ref }) => ref.kind === 'ComputeDomain');
  if (ofDomains.length === 0) return [];
  const status = { ...set.status, lastErrors: lastErrors(ofDomains, groveCode) };
  return [statusOf(set, 'a ComputeDomain cannot be let go', status, 'now')];
}

/** The start-up container's access objects that are not terminating yet. */
const accessToDelete: Query<readonly Leaving[]> = (context, set) =>
  leavingOf(accessTable, accessGoes, context.access, set);

/** Only PodCliques and groups have children that a deletion in the foreground waits for. */
const deletion = (set: ObservedSet, { depart }: Leaving): Intent =>
  depart('the PodCliqueSet is being deleted', isForeground(set));

/** ComputeDomains are let go first, or nobody could ever delete them. */
function orphanChildren(context: SetContext, set: ObservedSet): Result {
  const key = planKey(set, 'orphaned');
  const held = heldDomains(context);
  const intents = held.length > 0 ? held.flatMap(removeFinalizer) : removeFinalizer(set);
  if (context.planned?.key === key) return { intents, changes: {} };
  const decided: Intent = {
    type: 'decide',
    what: 'keep the children',
    why: 'the PodCliqueSet is being deleted with propagation policy Orphan',
  };
  return { intents: [decided, ...intents], changes: { planned: { key, wanted: 0 } } };
}
