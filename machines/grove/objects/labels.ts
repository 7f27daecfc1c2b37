// Grove's vocabulary of labels, annotations, finalizers and gates (spec api 5, controllers 0.3),
// and the metadata that children get. Whoever builds or reads an object takes the keys from here.
import type { StringMap } from '../../kubernetes/json.ts';
import type { Meta, Owner } from '../../kubernetes/meta.ts';
import type { ObjectMeta, OwnerReference } from '../../kubernetes/objects.ts';

export const label = {
  managedBy: 'app.kubernetes.io/managed-by',
  partOf: 'app.kubernetes.io/part-of',
  name: 'app.kubernetes.io/name',
  component: 'app.kubernetes.io/component',
  replicaIndex: 'grove.io/podcliqueset-replica-index',
  podClique: 'grove.io/podclique',
  podIndex: 'grove.io/podclique-pod-index',
  podGang: 'grove.io/podgang',
  basePodGang: 'grove.io/base-podgang',
  scalingGroup: 'grove.io/podcliquescalinggroup',
  scalingGroupIndex: 'grove.io/podcliquescalinggroup-replica-index',
  templateHash: 'grove.io/pod-template-hash',
  schedulerName: 'grove.io/scheduler-name',
  mnnvlGroup: 'grove.io/mnnvl-group',
} as const;

export const managedBy = 'grove-operator';

export const annotation = {
  /** On a PodClique: hash of all cliques of its set, so that it can say that it has reached it
   *  without reading the set. Ours; not copied to pods. */
  generationHash: 'grove.io/podcliqueset-generation-hash',
  /** On a pod: how many that ended its PodClique had replaced in quick succession when this one was
   *  created. Ours; says after a restart how long the next one waits. */
  replacements: 'grove.io/pod-replacements',
  reconcileTrigger: 'grove.io/reconcile-trigger',
  /** On a PodCliqueSet: hashes of a controller before us (adopted.ts). Ours. */
  adoptedHashes: 'grove.io/adopted-hashes',
  /** On a PodCliqueSet: `true` holds an update where it is. Ours. */
  pauseUpdate: 'grove.io/pause-update',
  topologyName: 'grove.io/topology-name',
  /** Enrols pods in a ComputeDomain; a set's is copied to its scaling groups. */
  mnnvlGroup: 'grove.io/mnnvl-group',
  /** On a child: which of its labels and of its annotations come from the template, or of a PodGang
   *  from its set, with commas between (mirror.ts). Ours; not copied to pods. */
  templateLabels: 'grove.io/template-labels',
  templateAnnotations: 'grove.io/template-annotations',
  /** On a PodCliqueSet: its UID and that of the token Secret that was made for it, with a slash
   *  between. Ours. */
  tokenSecret: 'grove.io/token-secret',
  /** On a PodCliqueSet or a scaling group: the replicas that PodCliques were scaled to which gang
   *  termination takes away, for when they are made again (kept-replicas.ts). Ours. */
  keptReplicas: 'grove.io/kept-replicas',
  /** On a PodCliqueSet: how long after it should have gone a terminating pod is deleted without
   *  regard for its node, e.g. `10m`. Absent: never. */
  forceDeleteAfter: 'grove.io/force-delete-after',
  serviceAccountName: 'kubernetes.io/service-account.name',
  /** On PodGangs for KAI, by us or by its own side. */
  kaiSkipPodGrouper: 'kai.scheduler/skip-podgrouper',
} as const;

export const component = {
  clique: 'pcs-podclique',
  member: 'pcsg-podclique',
  group: 'pcs-podcliquescalinggroup',
  autoscaler: 'pcs-hpa',
  gang: 'podgang',
  service: 'pcs-headless-service',
  role: 'pod-role',
  roleBinding: 'pod-role-binding',
  serviceAccount: 'pod-service-account',
  secret: 'pod-sa-token-secret',
  domain: 'pcs-computedomain',
  claim: 'resource-claim',
} as const;

export const finalizer = {
  set: 'grove.io/podcliqueset.grove.io',
  clique: 'grove.io/podclique.grove.io',
  group: 'grove.io/podcliquescalinggroup.grove.io',
  domain: 'grove.io/computedomain-finalizer',
} as const;

/** The gate that a pod carries until its gang lists it. */
export const podGate = 'grove.io/podgang-pending-creation';

/** The init container that waits for the PodCliques before (spec controllers 6.2). */
export const startContainerName = 'grove-initc';

/** Keys with this prefix belong to the operator. */
export const isOurs = (key: string): boolean => key.startsWith('grove.io/');

/**
 * Labels of a template without those that say where a PodClique or a pod belongs: wherever we do
 * not set them ourselves they would be untrue, e.g. a base PodGang that a standalone clique waits
 * for.
 */
export const withoutPlaces = (labels: StringMap): StringMap =>
  Object.keys(labels).some((key) => places.has(key))
    ? Object.fromEntries(Object.entries(labels).filter(([key]) => !places.has(key)))
    : labels;

const places: ReadonlySet<string> = new Set([
  label.replicaIndex,
  label.podClique,
  label.podIndex,
  label.podGang,
  label.basePodGang,
  label.scalingGroup,
  label.scalingGroupIndex,
  label.templateHash,
]);

/** On every managed object. */
export const baseLabels = (set: string): StringMap => ({
  [label.managedBy]: managedBy,
  [label.partOf]: set,
});

/** On every named child: base labels, its name (colons are not allowed in values), component. */
export const childLabels = (set: string, name: string, part: string): StringMap => ({
  ...baseLabels(set),
  [label.name]: name.replaceAll(':', '-'),
  [label.component]: part,
});

/** A label selector with sorted keys, as scale subresources publish it. */
export const selector = (labels: StringMap): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .toSorted()
    .join(',');

/** Whoever controls objects of ours. */
export type GroveOwner = Pick<Meta, 'namespace' | 'name' | 'uid'> & {
  readonly kind: 'PodCliqueSet' | 'PodCliqueScalingGroup' | 'PodClique';
};

/** Controlled by the owner, which goes after it (spec controllers 0.1). */
export const controlledBy = ({ kind, name, uid }: Owner): OwnerReference => ({
  apiVersion: kind === 'PodGang' ? 'scheduler.grove.io/v1alpha1' : 'grove.io/v1alpha1',
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

export const ownedMeta = (
  owner: GroveOwner,
  name: string,
  labels: StringMap,
  more: Pick<ObjectMeta, 'annotations' | 'finalizers'> = {},
): ObjectMeta => ({
  name,
  namespace: owner.namespace,
  labels,
  ...more,
  ownerReferences: [controlledBy(owner)],
});
