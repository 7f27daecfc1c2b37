// What podgang actors were told is told again with growing pauses while their PodGangs do not show
// it, since a message may be lost, or its receiver start anew.
import { touchAll } from '../../children/replicas.ts';
import { isDue, repeatAfter } from '../../deadline.ts';
import { maxListed } from '../../limits.ts';
import { entries } from '../../radix.ts';
import { idle } from '../../statechart/step.ts';
import { isIn, replicasIn } from '../context.ts';
import type { SetContext, Step } from '../context.ts';

/** Before the plan, which tells. */
export const retell: Step = (context, _, now) =>
  isDue(context.retell, now)
    ? { intents: [], changes: touchAll(context, (replica) => isIn(replica, 'gangs.told')) }
    : idle;

/** After the plan. */
export const awaitGangs: Step = (context, _, now) => {
  if (replicasIn(context, 'gangs.told') === 0) {
    return context.retell === undefined ? idle : { intents: [], changes: { retell: undefined } };
  }
  const isNext = context.retell === undefined || isDue(context.retell, now);
  const repeat = isNext ? repeatAfter(context.retell, now) : context.retell;
  return {
    intents: [],
    changes: isNext ? { retell: repeat } : {},
    waits: [{ until: repeat.at, say: () => whyGangs(context) }],
  };
};

function whyGangs(context: SetContext): readonly string[] {
  const reasons: string[] = [];
  for (const [index, replica] of entries(context.replicas)) {
    if (!isIn(replica, 'gangs.told')) continue;
    reasons.push(`waiting for the PodGangs of replica ${index} to be as the template wants them`);
    if (reasons.length >= maxListed) break;
  }
  return reasons;
}
