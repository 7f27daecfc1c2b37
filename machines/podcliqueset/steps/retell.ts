// What was told to the actors of children is told again with growing pauses while they do not show
// it, since a message may be lost, or its receiver start anew.
import { touchedAll } from '../../children/replicas.ts';
import { isDue, repeatAfter } from '../../deadline.ts';
import { idle } from '../../statechart/step.ts';
import type { Step } from '../context.ts';
import { isIn } from '../context.ts';

/** Before the plan, which tells. */
export const retell: Step = (context, _, now) => {
  if (context.retell === undefined) return idle;
  if (!isDue(context.retell, now)) return { ...idle, waits: [{ until: context.retell.at }] };
  const repeat = repeatAfter(context.retell, now);
  const pending = touchedAll(context, (replica) => isIn(replica, 'children.pending'));
  return { intents: [], changes: { ...pending, retell: repeat }, waits: [{ until: repeat.at }] };
};

export const forgetRetell: Step = ({ retell: repeat }) =>
  repeat === undefined ? idle : { intents: [], changes: { retell: undefined } };
