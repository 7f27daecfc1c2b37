// The KAI scheduler: a PodGroup per PodGang, pods marked with their place in it, a queue that must
// be named, and topology constraints (spec controllers 8.4). Its Topology objects are kept by the
// topologybinding actor.
import type { StringMap } from '../../../kubernetes/json.ts';
import { annotation } from '../../objects/labels.ts';
import type { Backend, QueueSource } from '../backend.ts';
import { namedQueues } from '../queue.ts';
import { cliquesIn, queueKey, desired } from './podgroup.ts';

/** KAI's own grouper is to leave these pods alone. */
const skipped = { [annotation.kaiSkipPodGrouper]: 'true' };

export const kai: Backend = {
  name: 'kai-scheduler',
  podMarks: ({ clique, gang }) => ({
    labels: { 'kai.scheduler/subgroup-name': clique },
    annotations: { ...skipped, 'pod-group-name': gang },
  }),
  gangMarks: (set) => {
    const names = queuesOf(set);
    return { ...skipped, ...(names.length > 0 ? { [queueKey]: namedQueues(names) } : {}) };
  },
  podGroups: { kind: 'KaiPodGroup', desired, cliquesIn },
};

/** All that are named; a label goes before an annotation. */
const queuesOf = (set: QueueSource): readonly string[] =>
  [set, ...set.cliques].map(queueOf).filter((name) => name !== '');

const queueOf = (one: { readonly labels: StringMap; readonly annotations: StringMap }): string =>
  (one.labels[queueKey] ?? '') || (one.annotations[queueKey] ?? '');
