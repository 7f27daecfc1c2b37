// Volcano: a PodGroup per PodGang, pods that name it, and a queue, `default` where none is named
// (spec controllers 8.4). It knows no topology constraints: admission refuses them.
import type { StringMap } from '../../../kubernetes/json.ts';
import type { Backend, QueueSource } from '../backend.ts';
import { namedQueues } from '../queue.ts';
import { cliquesIn, defaultQueue, queueKey, desired } from './podgroup.ts';

export const volcano: Backend = {
  name: 'volcano',
  podMarks: ({ gang }) => ({
    labels: {},
    annotations: {
      'scheduling.volcano.sh/group-name': gang,
      'scheduling.k8s.io/group-name': gang,
    },
  }),
  gangMarks: (set) => {
    const named = namedQueues(queuesOf(set));
    const isImplicit = named === defaultQueue && own(set) === '';
    return named === '' || isImplicit ? {} : { [queueKey]: named };
  },
  podGroups: { kind: 'VolcanoPodGroup', desired, cliquesIn },
  capability: {
    crd: 'podgroups.scheduling.volcano.sh',
    version: 'v1beta1',
    specField: 'subGroupPolicy',
    unavailable: 'VolcanoCapabilityUnavailable',
  },
};

/** That of the set, and of each clique: its own, or that of the set, or the default. */
const queuesOf = (set: QueueSource): readonly string[] => {
  const fallback = own(set);
  return [fallback, ...set.cliques.map((clique) => own(clique) || fallback || defaultQueue)].filter(
    (name) => name !== '',
  );
};

const own = ({ annotations }: { readonly annotations: StringMap }): string =>
  (annotations[queueKey] ?? '').trim();
