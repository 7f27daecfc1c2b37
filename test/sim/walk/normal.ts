// The state of a cluster without what hangs on its history: UIDs, versions, times, counts of edits,
// names of pods and which of their indices are in use, and marks of others. Two ways to one end
// have the same lines.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { labelsOf, textAt } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { namespace } from '../users/workload.ts';
import { drawn, withSortedReferences } from '../world/normalized.ts';
import { isDisowned, managedBy } from '../world/pending.ts';

/** All but Events, which tell of the way, and Leases, which go on for ever. */
const compared = [
  '/configmaps',
  '/pods',
  '/secrets',
  '/serviceaccounts',
  '/services',
  'autoscaling/horizontalpodautoscalers',
  'grove.io/podcliques',
  'grove.io/podcliquescalinggroups',
  'grove.io/podcliquesets',
  'rbac.authorization.k8s.io/rolebindings',
  'rbac.authorization.k8s.io/roles',
  'resource.k8s.io/resourceclaims',
  'scheduler.grove.io/podgangs',
] as const;

/** They count edits, tell of updates, or are times of init containers. */
const passing = new Set(['generation', 'observedGeneration', 'updateProgress', 'finishedAt']);

const indexLabel = 'grove.io/podclique-pod-index';
const foreign = 'foreign/';

/** One line per object, sorted. */
export function normalState(store: Store): readonly string[] {
  const pods = store.collection('/pods').list(namespace);
  const ranks = rankPods(pods);
  const mask = (key: string, value: unknown): unknown => {
    if (typeof value === 'string' && key.startsWith(listed)) return ownKeys(value);
    if (typeof value === 'string') return maskText(ranks, key, value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return key === 'conditions' ? ownConditions(value) : value;
    const rows = Object.entries(value).filter(
      ([field, one]) =>
        !drawn.has(field) &&
        !passing.has(field) &&
        !field.startsWith(foreign) &&
        !isBare(field, one),
    );
    return Object.fromEntries(rows.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  };
  const line = (resource: string, object: Stored): string => {
    const name = nameOf(object);
    const rank = ranks.get(name);
    const labels = rank === undefined ? {} : { [indexLabel]: String(rank.index) };
    const metadata = { ...object.metadata, labels: { ...labelsOf(object), ...labels } };
    return `${resource} ${JSON.stringify({ ...object, metadata }, mask)}`;
  };
  return compared
    .flatMap((resource) =>
      store
        .collection(resource)
        .list(namespace)
        .filter((object) => !isOutOfSight(object))
        .map((object) => withSortedReferences(line(resource, object))),
    )
    .toSorted();
}

/** Not a pod, and lost our label while nobody looked: whoever wants it again will find it, but what
 *  is wanted no more stays, until its set goes. */
const isOutOfSight = (object: Stored): boolean =>
  object.kind !== 'Pod' && isDisowned(object) && labelsOf(object)[managedBy] === undefined;

interface Rank {
  readonly name: string;
  readonly index: number;
}

/**
 * Pods by their place among those of their PodClique: which indices are left after a scale-in hangs
 * on who was ready first (spec controllers 7.3), and names on UIDs.
 */
function rankPods(pods: readonly Stored[]): ReadonlyMap<string, Rank> {
  const ranks = new Map<string, Rank>();
  for (const [clique, own] of Map.groupBy(pods, (pod) => labelsOf(pod)['grove.io/podclique'])) {
    const indexOf = (pod: Stored): number => Number(labelsOf(pod)[indexLabel]);
    for (const [index, pod] of own.toSorted((a, b) => indexOf(a) - indexOf(b)).entries()) {
      const rank = { name: `${clique}-${index}`, index };
      ranks.set(nameOf(pod), rank);
      ranks.set(textAt(pod, 'spec', 'hostname'), rank);
    }
  }
  return ranks;
}

const maskText = (ranks: ReadonlyMap<string, Rank>, key: string, value: string): string =>
  key === 'name' || key === 'hostname'
    ? (ranks.get(value)?.name ?? value.replaceAll(/kube-api-access-\w+/g, 'kube-api-access'))
    : value;

/** An empty list of gates was once a full one. */
const isBare = (field: string, value: unknown): boolean =>
  (field === 'conditions' && Array.isArray(value) && ownConditions(value).length === 0) ||
  (field.startsWith(listed) && ownKeys(value) === '') ||
  (field === 'schedulingGates' && Array.isArray(value) && value.length === 0) ||
  ((field === 'labels' || field === 'annotations') &&
    Object.entries(value ?? {}).every(
      ([key, one]) => drawn.has(key) || key.startsWith(foreign) || isBare(key, one),
    ));

/** Which labels and annotations a child has from above. */
const listed = 'grove.io/template-';

const ownKeys = (list: unknown): string =>
  String(list)
    .split(',')
    .filter((key) => !key.startsWith(foreign))
    .join(',');

const ownConditions = (rows: readonly unknown[]): readonly unknown[] =>
  rows
    .filter((row) => !textAt(row, 'type').startsWith(foreign))
    .toSorted((a, b) => (textAt(a, 'type') < textAt(b, 'type') ? -1 : 1));
