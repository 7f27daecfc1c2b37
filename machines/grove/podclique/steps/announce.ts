// What people are told of a PodClique by Events: writes that failed, and that all its scheduled
// pods are lost.
import { idle } from '../../../statechart/step.ts';
import { announceErrorsOf } from '../../failure-log.ts';
import type { ErrorEntry } from '../../failure-log.ts';
import { refOf } from '../context.ts';
import type { Step } from '../context.ts';
import { countPods } from '../status.ts';

export const announceErrors: Step = ({ errors }, clique) =>
  announceErrorsOf(errors, { ...refOf(clique), uid: clique.uid }, eventReason);

/** Reason of the Warning that goes with a failed write: Grove's; it has none for gates. */
function eventReason({ ref, op }: ErrorEntry) {
  if (!isPod(ref.kind)) return 'PodCliqueCreateOrUpdateFailed';
  if (op === 'patch') return 'PodGateRemovalFailed';
  return op === 'create' ? 'PodCreateFailed' : 'PodDeleteFailed';
}

const isPod = (kind: string): boolean => kind === 'Pod';

/** Must be visible at once (spec controllers 10.1 rule 34). Once, until some are scheduled
 *  again. */
export const announceLoss: Step = (context, clique) =>
  context.isLossReported
    ? idle
    : {
        intents: [
          {
            type: 'recordEvent',
            regarding: { ...refOf(clique), uid: clique.uid },
            severity: 'Warning',
            reason: 'AllScheduledReplicasLost',
            note: `None of the ${clique.observed.scheduledReplicas} scheduled pods is left`,
          },
        ],
        changes: { isLossReported: true },
      };

export const forgetLoss: Step = (context, clique) =>
  context.isLossReported && countPods(context, clique).scheduled > 0
    ? { intents: [], changes: { isLossReported: false } }
    : idle;
