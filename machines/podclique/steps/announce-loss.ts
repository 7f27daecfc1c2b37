// Losing all scheduled pods must be visible at once (spec controllers 10.1 rule 34). Once, until
// the status tells it too.
import { idle } from '../../statechart/step.ts';
import { refOf } from '../context.ts';
import type { Step } from '../context.ts';

export const announceLoss: Step = (context, clique) =>
  context.isLossTold
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
        changes: { isLossTold: true },
      };

export const forgetLoss: Step = ({ isLossTold }) =>
  isLossTold ? { intents: [], changes: { isLossTold: false } } : idle;
