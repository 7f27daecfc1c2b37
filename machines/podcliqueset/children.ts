// Builds the objects that a PodCliqueSet owns (spec controllers 1.1.5, 3.2). Used by the steps to
// create them, and to see what an existing one lacks.
import {
  annotation,
  baseLabels,
  childLabels,
  component,
  finalizer,
  label,
} from '../grove/labels.ts';
import { withLists } from '../grove/mirror.ts';
import type { Marks } from '../grove/mirror.ts';
import { ownedMeta } from '../grove/owned.ts';
import type { StringMap } from '../json.ts';
import type { JsonObject, KubeObject } from '../objects.ts';
import type { SetFact } from './facts.ts';
import {
  domainName,
  groupName,
  roleName,
  secretName,
  serviceAccountName,
  serviceName,
} from './names.ts';
import type { GroupTemplate, Scaling } from './template.ts';

export function buildServiceAccount(set: SetFact): KubeObject {
  const name = serviceAccountName(set.name);
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: ownedMeta(set, name, childLabels(set.name, name, component.serviceAccount)),
    automountServiceAccountToken: true,
  };
}

export function buildRole(set: SetFact): KubeObject {
  const name = roleName(set.name);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: ownedMeta(set, name, childLabels(set.name, name, component.role)),
    rules: [
      { apiGroups: [''], resources: ['pods', 'pods/status'], verbs: ['get', 'list', 'watch'] },
    ],
  };
}

export function buildRoleBinding(set: SetFact): KubeObject {
  const name = roleName(set.name);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: ownedMeta(set, name, childLabels(set.name, name, component.roleBinding)),
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [
      { kind: 'ServiceAccount', name: serviceAccountName(set.name), namespace: set.namespace },
    ],
  };
}

export function buildSecret(set: SetFact): KubeObject {
  const name = secretName(set.name);
  const annotations = { [annotation.serviceAccountName]: serviceAccountName(set.name) };
  const labels = childLabels(set.name, name, component.secret);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: ownedMeta(set, name, labels, { annotations }),
    type: 'kubernetes.io/service-account-token',
  };
}

export const serviceLabels = (set: SetFact, replica: number): StringMap => ({
  ...childLabels(set.name, serviceName(set.name, replica), component.service),
  [label.replicaIndex]: String(replica),
});

/** The three fields of a headless Service that are ours; the rest is the API server's. */
export const serviceSpec = (set: SetFact, replica: number): JsonObject => ({
  clusterIP: 'None',
  publishNotReadyAddresses: set.publishNotReadyAddresses,
  selector: { ...baseLabels(set.name), [label.replicaIndex]: String(replica) },
});

export const buildService = (set: SetFact, replica: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: ownedMeta(set, serviceName(set.name, replica), serviceLabels(set, replica)),
  spec: serviceSpec(set, replica),
});

export function buildGroup(set: SetFact, replica: number, template: GroupTemplate): KubeObject {
  const name = groupName(set.name, replica, template.name);
  const { labels, annotations } = groupMarks(set, replica, template);
  return {
    apiVersion: 'grove.io/v1alpha1',
    kind: 'PodCliqueScalingGroup',
    metadata: ownedMeta(set, name, labels, {
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      finalizers: [finalizer.group],
    }),
    spec: { ...groupSpec(template), replicas: template.replicas },
  };
}

/**
 * The set's ComputeDomain group is copied where the group has none of its own (spec api 5.2). That
 * annotation cannot come or go, so it is not in the list of what is from the template.
 */
export function groupMarks(set: SetFact, replica: number, template: GroupTemplate): Marks {
  const { [annotation.mnnvlGroup]: own, ...passing } = template.annotations;
  const domain = own ?? set.annotations[annotation.mnnvlGroup];
  const labels = {
    ...childLabels(set.name, groupName(set.name, replica, template.name), component.group),
    [label.replicaIndex]: String(replica),
  };
  const copied = domain === undefined ? {} : { [annotation.mnnvlGroup]: domain };
  const annotations = { ...copied, ...passing };
  return withLists({ labels, annotations }, { labels: {}, annotations: passing });
}

/** Without `replicas`: those belong to whoever scales it, once it exists. */
export const groupSpec = ({ minAvailable, cliqueNames }: GroupTemplate): JsonObject => ({
  minAvailable,
  cliqueNames: [...cliqueNames],
});

/**
 * The name of the claim template is nested in the channel, and the number of nodes is required; 0
 * keeps the domain elastic (spec controllers 8.1, rule 55).
 */
export function buildDomain(set: SetFact, replica: number, group: string): KubeObject {
  const name = domainName(set.name, replica, group);
  const labels = {
    ...childLabels(set.name, name, component.domain),
    [label.replicaIndex]: String(replica),
    [label.mnnvlGroup]: group,
  };
  return {
    apiVersion: 'resource.nvidia.com/v1beta1',
    kind: 'ComputeDomain',
    metadata: ownedMeta(set, name, labels, { finalizers: [finalizer.domain] }),
    spec: { channel: { resourceClaimTemplate: { name } }, numNodes: 0 },
  };
}

export interface ScaleTarget {
  readonly kind: 'PodClique' | 'PodCliqueScalingGroup';
  readonly name: string;
}

/** Named as its target (spec controllers 7.1). */
export const buildAutoscaler = (
  set: SetFact,
  target: ScaleTarget,
  scaling: Scaling,
): KubeObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: ownedMeta(set, target.name, autoscalerLabels(set, target)),
  spec: autoscalerSpec(target, scaling),
});

export const autoscalerLabels = (set: SetFact, { name }: ScaleTarget): StringMap =>
  childLabels(set.name, name, component.autoscaler);

/** Without metrics the API server scales by CPU. */
export const autoscalerSpec = (
  { kind, name }: ScaleTarget,
  { minReplicas, maxReplicas, metrics }: Scaling,
): JsonObject => ({
  scaleTargetRef: { apiVersion: 'grove.io/v1alpha1', kind, name },
  minReplicas,
  maxReplicas,
  ...(metrics.length > 0 ? { metrics: [...metrics] } : {}),
});

/** The body of a PodGang. `spec` comes from the plan, which knows the pods' names. */
export const buildGang = (
  set: SetFact,
  name: string,
  meta: Marks,
  spec: JsonObject,
): KubeObject => ({
  apiVersion: 'scheduler.grove.io/v1alpha1',
  kind: 'PodGang',
  metadata: ownedMeta(
    set,
    name,
    meta.labels,
    Object.keys(meta.annotations).length > 0 ? { annotations: meta.annotations } : {},
  ),
  spec: {
    ...spec,
    ...(set.priorityClassName === '' ? {} : { priorityClassName: set.priorityClassName }),
  },
});
