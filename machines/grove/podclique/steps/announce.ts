// What a PodClique tells of itself: to people by Events, that writes failed and that all its
// scheduled pods are lost, and by `why`; to its PodGang, which pods there are and which are wanted.
import { idle } from '../../../statechart/step.ts';
import type { ErrorEntry } from '../../../contract/failure-log.ts';
import { currentGang, isRunning, missingPods, wantedNames } from '../context.ts';
import type { CliqueContext, Step } from '../context.ts';
import { countPods } from '../status.ts';
import { explainPods } from '../explain.ts';
import { keyIn } from '../../../contract/view.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { wantedPods, type WantedPods } from '../../views/gang-template.ts';
import { warning } from '../../../contract/object-intents.ts';
import type { WarningReason } from '../../../contract/event-reasons.ts';

/** Reason of the Warning that goes with a failed write: Grove's; it has none for gates. */
export function eventReason({ ref, op }: ErrorEntry): WarningReason {
  if (ref.kind !== 'Pod') return 'PodCliqueCreateOrUpdateFailed';
  if (op === 'patch') return 'PodGateRemovalFailed';
  return op === 'create' ? 'PodCreateFailed' : 'PodDeleteFailed';
}

/** Must be visible at once (spec controllers 10.1 rule 34). Once, until some are scheduled
 *  again. */
export const announceLoss: Step = ({ isLossReported }, clique) => {
  if (isLossReported) return idle;
  const note = `None of the ${clique.observed.scheduledReplicas} scheduled pods is left`;
  const intents = [warning(clique, 'AllScheduledReplicasLost', note)];
  return { intents, changes: { isLossReported: true } };
};

export const forgetLoss: Step = (context, clique) =>
  context.isLossReported && countPods(context, clique).scheduled > 0
    ? { intents: [], changes: { isLossReported: false } }
    : idle;

/** What the pods that are there wait for. */
export const awaitPods: Step = (context, clique, now) => ({
  intents: [],
  changes: {},
  waits: [{ say: () => explainPods(context, clique, now) }],
});

function publish(context: CliqueContext, clique: ObservedClique, pods: Omit<WantedPods, 'gang'>) {
  const item: WantedPods = { gang: currentGang(context, clique)?.uid, ...pods };
  const key = keyIn(clique, clique.name);
  return { intents: [{ type: 'publish', view: wantedPods, key, item } as const], changes: {} };
}

export const publishPods: Step = (context, clique) =>
  publish(context, clique, {
    names: wantedNames(context, clique),
    missing: missingPods(context, clique),
    isRunning: isRunning(context, clique),
  });

/** Of one that is being deleted: its pods go with it, and are missing until another one wants
 *  some. */
export const publishLeaving: Step = (context, clique) =>
  publish(context, clique, { names: [], missing: 1, isRunning: false });
