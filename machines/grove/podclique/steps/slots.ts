// The pods that a PodClique wants and does not have: an index and a name each. Asked by the steps
// that create pods and that ask what these must wait for.
import { lowestFree, assignSlots } from '../../objects/pod-names.ts';
import type { PodSlot } from '../../objects/pod-names.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import { livePods, ownGroup } from '../context.ts';
import type { CliqueContext } from '../context.ts';

/** Index and name of every pod that is wanted and not there. */
export function missingSlots(context: CliqueContext, clique: ObservedClique): readonly PodSlot[] {
  const live = livePods(context, clique);
  const used = new Set(live.map((pod) => pod.index).filter((index) => index !== undefined));
  return assignSlots({
    clique: clique.name,
    uid: clique.uid,
    indices: lowestFree(used, Math.max(0, clique.replicas - live.length)),
    isHeld: (name) => context.pods.has(name) || context.foreign.has(name),
    chosen: context.chosen,
    announced: announcedNames(context, clique),
  });
}

/** Listed names whose pods were not seen: to be created, or created by a controller before us. */
function announcedNames(context: CliqueContext, clique: ObservedClique): ReadonlySet<string> {
  const listed = ownGroup(context, clique)?.pods ?? new Set<string>();
  return new Set([...listed].filter((name) => !context.pods.has(name)));
}
