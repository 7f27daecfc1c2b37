// Tells the PodGang which pods there are and which are wanted (views/wanted-pods.ts).
import { keyIn } from '../../../contract/view.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { wantedPods } from '../../views/wanted-pods.ts';
import type { WantedPods } from '../../views/wanted-pods.ts';
import { currentGang, missingPods, wantedNames } from '../context.ts';
import type { CliqueContext, Step } from '../context.ts';

function publish(context: CliqueContext, clique: ObservedClique, pods: Omit<WantedPods, 'gang'>) {
  const item: WantedPods = { gang: currentGang(context, clique)?.uid, ...pods };
  const key = keyIn(clique, clique.name);
  return { intents: [{ type: 'publish', view: wantedPods, key, item } as const], changes: {} };
}

export const publishPods: Step = (context, clique) =>
  publish(context, clique, {
    names: wantedNames(context, clique),
    missing: missingPods(context, clique),
  });

/** Of one that is being deleted: its pods go with it, and are missing until another one wants
 *  some. */
export const publishLeaving: Step = (context, clique) =>
  publish(context, clique, { names: [], missing: 1 });
