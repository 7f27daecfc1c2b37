// What people are told of a PodCliqueScalingGroup by Events: writes that failed, and that all its
// scheduled replicas are lost.
import { idle } from '../../../statechart/step.ts';
import { announceErrorsOf } from '../../failure-log.ts';
import { refOf, replicasIn } from '../context.ts';
import type { Step } from '../context.ts';
import { eventReason } from '../status.ts';

export const announceErrors: Step = ({ errors }, group) =>
  announceErrorsOf(errors, { ...refOf(group), uid: group.uid }, eventReason);

/** Must be visible at once (spec controllers 10.1 rule 34). Once, until some are scheduled
 *  again. */
export const announceLoss: Step = (context, group) =>
  context.isLossReported
    ? idle
    : {
        intents: [
          {
            type: 'recordEvent',
            regarding: { ...refOf(group), uid: group.uid },
            severity: 'Warning',
            reason: 'AllScheduledReplicasLost',
            note: `None of the ${group.observed.scheduledReplicas} scheduled replicas is left`,
          },
        ],
        changes: { isLossReported: true },
      };

export const forgetLoss: Step = (context) =>
  context.isLossReported && replicasIn(context, 'scheduling.scheduled') > 0
    ? { intents: [], changes: { isLossReported: false } }
    : idle;
