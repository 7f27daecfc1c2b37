// Builds the objects that a PodCliqueSet owns (spec controllers 1.1.5, 3.2). Used by the plans to
// create them, and to see what an existing one lacks.
import {
  annotation,
  baseLabels,
  childLabels,
  component,
  finalizer,
  label,
} from '../grove/labels.ts';
import type { StringMap } from '../json.ts';
import type { Json, JsonObject, KubeObject, ObjectMeta } from '../objects.ts';
import { baseGangName } from '../podgang/names.ts';
import type { CliqueTemplate, SetFact } from './facts.ts';
import { cliqueName, roleName, secretName, serviceAccountName, serviceName } from './names.ts';

/** Metadata of a child: controlled by the set. */
export const childMeta = (
  set: SetFact,
  name: string,
  labels: StringMap,
  more: Pick<ObjectMeta, 'annotations' | 'finalizers'> = {},
): ObjectMeta => ({
  name,
  namespace: set.namespace,
  labels,
  ...more,
  ownerReferences: [
    {
      apiVersion: 'grove.io/v1alpha1',
      kind: 'PodCliqueSet',
      name: set.name,
      uid: set.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
});

export function buildServiceAccount(set: SetFact): KubeObject {
  const name = serviceAccountName(set.name);
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: childMeta(set, name, childLabels(set.name, name, component.serviceAccount)),
    automountServiceAccountToken: true,
  };
}

export function buildRole(set: SetFact): KubeObject {
  const name = roleName(set.name);
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'Role',
    metadata: childMeta(set, name, childLabels(set.name, name, component.role)),
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
    metadata: childMeta(set, name, childLabels(set.name, name, component.roleBinding)),
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
    metadata: childMeta(set, name, labels, { annotations }),
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
  metadata: childMeta(set, serviceName(set.name, replica), serviceLabels(set, replica)),
  spec: serviceSpec(set, replica),
});

/** Labels of a standalone PodClique: the template's, overridden by Grove's. */
export const cliqueLabels = (
  set: SetFact,
  replica: number,
  template: CliqueTemplate,
): StringMap => ({
  ...template.labels,
  ...childLabels(set.name, cliqueName(set.name, replica, template.name), component.clique),
  [label.replicaIndex]: String(replica),
  [label.podGang]: baseGangName(set.name, replica),
  [label.templateHash]: template.hash,
});

export const cliqueAnnotations = (set: SetFact, template: CliqueTemplate): StringMap => ({
  ...template.annotations,
  [annotation.generationHash]: set.generationHash,
});

/** Spec of a PodClique without `replicas`: those belong to whoever scales it, once it exists. */
export const cliqueSpec = (
  set: SetFact,
  replica: number,
  template: CliqueTemplate,
): JsonObject => ({
  ...template.spec,
  ...(template.startsAfter.length > 0
    ? { startsAfter: template.startsAfter.map((parent) => cliqueName(set.name, replica, parent)) }
    : {}),
});

export const buildClique = (
  set: SetFact,
  replica: number,
  template: CliqueTemplate,
): KubeObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodClique',
  metadata: childMeta(
    set,
    cliqueName(set.name, replica, template.name),
    cliqueLabels(set, replica, template),
    { annotations: cliqueAnnotations(set, template), finalizers: [finalizer.clique] },
  ),
  spec: { ...cliqueSpec(set, replica, template), replicas: template.replicas },
});

/** The body of a PodGang. `podgroups` come from the plan, which knows the pods' names. */
export const buildGang = (
  set: SetFact,
  replica: number,
  meta: { readonly labels: StringMap; readonly annotations: StringMap },
  podgroups: Json[],
): KubeObject => ({
  apiVersion: 'scheduler.grove.io/v1alpha1',
  kind: 'PodGang',
  metadata: childMeta(
    set,
    baseGangName(set.name, replica),
    meta.labels,
    Object.keys(meta.annotations).length > 0 ? { annotations: meta.annotations } : {},
  ),
  spec: {
    podgroups,
    ...(set.priorityClassName === '' ? {} : { priorityClassName: set.priorityClassName }),
  },
});
