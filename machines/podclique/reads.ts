// What a podclique actor reads: whether the gang is scheduled that its pods wait for, the template
// of its set where that shares claims, and the claim templates that are named there.
import { readingsOfTemplates } from '../claims/facts.ts';
import { gangScheduling } from '../podgang/scheduling.ts';
import { sharingTemplate } from '../podcliqueset/template-view.ts';
import { keyIn } from '../view.ts';
import type { Reading } from '../view.ts';
import { livePods } from './context.ts';
import type { CliqueContext } from './context.ts';
import type { CliqueFact } from './facts.ts';
import { hasOurGate } from './podfact.ts';

export const cliqueReads = (context: CliqueContext, clique: CliqueFact): readonly Reading[] => {
  const { baseGang } = clique;
  const isBaseRead = baseGang !== undefined && isWaiting(context, clique);
  return [
    ...(isBaseRead ? [{ view: gangScheduling, key: keyIn(clique, baseGang) }] : []),
    { view: sharingTemplate, key: keyIn(clique, context.root.name) },
    ...readingsOfTemplates(context.set),
  ];
};

/** Some pod is to be created, or is held by our gate: nothing else waits for the base gang. */
function isWaiting(context: CliqueContext, clique: CliqueFact): boolean {
  const live = livePods(context, clique);
  return live.length < clique.replicas || live.some(hasOurGate);
}
