// Volcano: a PodGroup per PodGang, pods that name it, and a queue, `default` where none is named
// (spec controllers 8.4). It knows no topology constraints: admission refuses them.
import { at, list, text, type StringMap } from '../../kubernetes/json.ts';
import { namedQueues, queueIn } from './backend.ts';
import type { Backend, Desired, QueueSource, Unmappable } from './backend.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { label } from '../objects/labels.ts';
import type { BackendPodGroup, ObservedGang } from '../objects/podgang.ts';
import { checkSubdomain } from '../../kubernetes/names.ts';

/** That of the set, and of each clique: its own, or that of the set, or the default. */
const queuesOf = (set: QueueSource): readonly string[] => {
  const fallback = own(set);
  return [fallback, ...set.cliques.map((clique) => own(clique) || fallback || defaultQueue)].filter(
    (name) => name !== '',
  );
};

const own = ({ annotations }: { readonly annotations: StringMap }): string =>
  (annotations[queueKey] ?? '').trim();

const queueKey = 'scheduling.grove.io/volcano-queue';

const defaultQueue = 'default';

/** Annotations of the gang are not copied. */
function desired(gang: ObservedGang, there: BackendPodGroup | undefined): Desired | Unmappable {
  const queue = queueOf(gang);
  if (typeof queue !== 'string') return queue;
  return {
    labels: gang.labels,
    annotations: {},
    spec: {
      queue,
      priorityClassName: gang.priorityClassName || null,
      ...(mayRelease(gang, there) ? {} : minimums(gang)),
    },
  };
}

const cliquesIn = (spec: JsonObject): readonly string[] =>
  list(spec['subGroupPolicy']).map((policy) => text(at(policy, 'name')));

function queueOf(gang: ObservedGang): string | Unmappable {
  const queue = queueIn(gang.annotations[queueKey] ?? '', queueKey);
  if (typeof queue !== 'string') return queue;
  if (queue === '' || checkSubdomain(queue).length === 0) return queue || defaultQueue;
  return {
    problem: `${queueKey} is "${queue}": it must be the name of a queue, a DNS-1123 subdomain`,
  };
}

/** Where all minimums were released, the gang keeps those that it had. */
const mayRelease = (gang: ObservedGang, there: BackendPodGroup | undefined): boolean =>
  gang.groups.every(({ minReplicas }) => minReplicas === 0) &&
  (there?.spec['minMember'] !== undefined || there?.spec['subGroupPolicy'] !== undefined);

const minimums = ({ groups }: ObservedGang): JsonObject => ({
  minMember: Math.max(
    1,
    groups.reduce((sum, { minReplicas }) => sum + minReplicas, 0),
  ),
  subGroupPolicy: groups.map(({ name, minReplicas }) => ({
    name,
    labelSelector: { matchLabels: { [label.podClique]: name } },
    matchLabelKeys: [label.podClique],
    subGroupSize: Math.max(1, minReplicas),
    minSubGroups: 1,
  })),
});

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
