// Phase: every index that lacks a pod gets a name, and a pod is created as soon as the PodGang
// lists that name. So it needs no gate, except where its gang must wait for another (architecture
// section 6, spec controllers 3.4 and 7.5).
import { idle } from '../../phases.ts';
import type { Intent } from '../../vocabulary.ts';
import { currentGang, isBaseOpen, livePods, ownGroup, problemOf, schedulerOf } from '../context.ts';
import type { CliqueContext, Phase } from '../context.ts';
import type { CliqueFact } from '../facts.ts';
import { hostname, lowestFree, seat } from '../names.ts';
import type { Seat } from '../names.ts';
import { buildPod } from '../pod.ts';

export const fill: Phase = (context, clique) => {
  if (problemOf(context, clique) !== undefined) {
    return context.chosen.size === 0 ? idle : { intents: [], changes: { chosen: new Map() } };
  }
  const seats = emptySeats(context, clique);
  const listed = ownGroup(context, clique)?.pods;
  const ready = seats.filter(({ name }) => listed?.has(name) === true);
  return {
    intents: ready.map((free) => createPod(context, clique, free)),
    changes: isSameSeats(context.chosen, seats)
      ? {}
      : { chosen: new Map(seats.map(({ index, name }) => [index, name])) },
  };
};

/** Index and name of every pod that is wanted and not there. */
export function emptySeats(context: CliqueContext, clique: CliqueFact): readonly Seat[] {
  const live = livePods(context, clique);
  const used = new Set(live.map((pod) => pod.index).filter((index) => index !== undefined));
  return seat({
    clique: clique.name,
    uid: clique.uid,
    indices: lowestFree(used, Math.max(0, clique.replicas - live.length)),
    isHeld: (name) => context.pods.has(name) || context.foreign.has(name),
    chosen: context.chosen,
    announced: announcedNames(context, clique),
  });
}

/** Listed names whose pods were not seen: to be created, or created by a controller before us. */
function announcedNames(context: CliqueContext, clique: CliqueFact): ReadonlySet<string> {
  const listed = ownGroup(context, clique)?.pods ?? new Set<string>();
  return new Set([...listed].filter((name) => !context.pods.has(name)));
}

const isSameSeats = (chosen: ReadonlyMap<number, string>, seats: readonly Seat[]): boolean =>
  chosen.size === seats.length && seats.every(({ index, name }) => chosen.get(index) === name);

function createPod(context: CliqueContext, clique: CliqueFact, free: Seat): Intent {
  const gang = currentGang(context, clique);
  return {
    type: 'createObject',
    ref: { kind: 'Pod', namespace: clique.namespace, name: free.name },
    reason: `pod ${free.index} of ${clique.replicas}`,
    place: hostname(clique.name, free.index),
    body: buildPod(clique, free, {
      schedulerName: schedulerOf(context, clique),
      initContainerImage: context.settings.initContainerImage,
      isHeld: !isBaseOpen(context, clique),
      parents: new Map(gang?.groups.map((group) => [group.name, group.minReplicas])),
    }),
  };
}
