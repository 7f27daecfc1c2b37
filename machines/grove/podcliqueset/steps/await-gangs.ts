// A PodCliqueSet waits for PodGangs that do not show yet what its template wants: their actors read
// that and write it.
import { maxListed } from '../../../contract/limits.ts';
import { idle } from '../../../statechart/step.ts';
import { entries } from '../../children/radix.ts';
import { isIn, replicasIn } from '../context.ts';
import type { SetContext, Step } from '../context.ts';

/** After the plan. */
export const awaitGangs: Step = (context) =>
  replicasIn(context, 'gangs.pending') === 0
    ? idle
    : { ...idle, waits: [{ say: () => whyGangs(context) }] };

function whyGangs(context: SetContext): readonly string[] {
  const reasons: string[] = [];
  for (const [index, replica] of entries(context.replicas)) {
    if (!isIn(replica, 'gangs.pending')) continue;
    reasons.push(`waiting for the PodGangs of replica ${index} to be as the template wants them`);
    if (reasons.length >= maxListed) break;
  }
  return reasons;
}
