// What people are told of a PodCliqueScalingGroup by Events: writes that failed, and that all its
// scheduled replicas are lost.
import { announce } from '../../errorbook.ts';
import { idle } from '../../statechart/step.ts';
import { refOf } from '../context.ts';
import type { Step } from '../context.ts';
import { eventReason } from '../status.ts';

export const announceErrors: Step = (context, group) => {
  const told = announce(context.errors, { ...refOf(group), uid: group.uid }, eventReason);
  const changes = told.book === context.errors ? {} : { errors: told.book };
  return { intents: told.intents, changes };
};

/** Must be visible at once (spec controllers 10.1 rule 34). Once, until the status tells it too. */
export const announceLoss: Step = (context, group) =>
  context.isLossTold
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
        changes: { isLossTold: true },
      };

export const forgetLoss: Step = ({ isLossTold }) =>
  isLossTold ? { intents: [], changes: { isLossTold: false } } : idle;
