// What a podclique actor reads: whether the gang is scheduled that its pods wait for, the template
// of its set where that shares claims, and the claim templates that are named there.
import { keyIn } from '../../contract/view.ts';
import type { Reading } from '../../contract/view.ts';
import { hasOurGate } from '../objects/pod.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import { readingsOfTemplates } from '../views/claim-template.ts';
import { gangScheduling } from '../views/gang-scheduling.ts';
import { sharingTemplate } from '../views/set-template.ts';
import { livePods } from './context.ts';
import type { CliqueContext } from './context.ts';

export const cliqueReads = (context: CliqueContext, clique: ObservedClique): readonly Reading[] => {
  const { baseGang } = clique;
  const isBaseRead = baseGang !== undefined && isWaiting(context, clique);
  return [
    ...(isBaseRead ? [{ view: gangScheduling, key: keyIn(clique, baseGang) }] : []),
    { view: sharingTemplate, key: keyIn(clique, context.root.name) },
    ...readingsOfTemplates(context.set),
  ];
};

/** Some pod is to be created, or is held by our gate: nothing else waits for the base gang. */
function isWaiting(context: CliqueContext, clique: ObservedClique): boolean {
  const live = livePods(context, clique);
  return live.length < clique.replicas || live.some(hasOurGate);
}
