// The pods of a DaemonSet: what one for a node looks like, which node one is for, and what its
// status says. Pure; used by the plan, the status and the controller of DaemonSets.
import {
  ensureObject,
  isTrue,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
} from '#machines/kubernetes/fields.ts';
import { jsonHash } from '#machines/kubernetes/hash.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { parseSelectorObject } from '#src/devcluster/api/verbs/selectors.ts';
import { generationOf } from '#src/devcluster/strategies/daemon-sets.ts';
import { nameOf, nodeOf, uidOf } from '../client.ts';
import { requiredTerms } from '../node-rules.ts';

export const hashLabel = 'controller-revision-hash';
const generationLabel = 'pod-template-generation';

/** Daemons stay on a node that is ill or closed. */
const tolerated: readonly (readonly [taint: string, effect: string])[] = [
  ['not-ready', 'NoExecute'],
  ['unreachable', 'NoExecute'],
  ['disk-pressure', 'NoSchedule'],
  ['memory-pressure', 'NoSchedule'],
  ['pid-pressure', 'NoSchedule'],
  ['unschedulable', 'NoSchedule'],
];

export const templateOf = (set: Stored): JsonObject =>
  objectAt(objectAt(set, 'spec'), 'template') ?? {};

/** The value of the label by which pods of the present template are known. */
export const hashOf = (set: Stored): string => jsonHash(templateOf(set));

/** Those of the template, and those that every daemon has. */
export function tolerationsOf(set: Stored): JsonObject[] {
  const spec = objectAt(templateOf(set), 'spec');
  const own = [...tolerated];
  if (isTrue(spec, 'hostNetwork')) own.push(['network-unavailable', 'NoSchedule']);
  const added = own.map(([taint, effect]) => ({
    key: `node.kubernetes.io/${taint}`,
    operator: 'Exists',
    effect,
  }));
  const isAdded = (toleration: JsonObject): boolean =>
    textAt(toleration, 'value') === '' &&
    added.some((each) =>
      (['key', 'operator', 'effect'] as const).every(
        (field) => textAt(toleration, field) === each[field],
      ),
    );
  return [...objectsAt(spec, 'tolerations').filter((each) => !isAdded(each)), ...added];
}

/** The pod of the set for a node, to be created. */
export function podFor(set: Stored, node: string): JsonObject {
  const template = structuredClone(templateOf(set));
  const spec = ensureObject(template, 'spec');
  spec['tolerations'] = tolerationsOf(set);
  const affinity = ensureObject(ensureObject(spec, 'affinity'), 'nodeAffinity');
  // Not a node's name in the spec: the scheduler is to count what the pod needs.
  ensureObject(affinity, 'requiredDuringSchedulingIgnoredDuringExecution')['nodeSelectorTerms'] = [
    { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] },
  ];
  const from = objectAt(template, 'metadata');
  const labels = {
    ...objectAt(from, 'labels'),
    [hashLabel]: hashOf(set),
    [generationLabel]: String(generationOf(set)),
  };
  const metadata: JsonObject = {
    generateName: `${nameOf(set)}-`,
    labels,
    ownerReferences: [ownerReferenceTo(set)],
  };
  for (const field of ['annotations', 'finalizers']) {
    const value = from?.[field];
    if (value !== undefined) metadata[field] = value;
  }
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec };
}

export const ownerReferenceTo = (set: Stored): JsonObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  name: nameOf(set),
  uid: uidOf(set),
  controller: true,
  blockOwnerDeletion: true,
});

/** Where a pod runs, or is to run; empty where that cannot be told. */
export function placeOf(pod: Stored): string {
  if (nodeOf(pod) !== '') return nodeOf(pod);
  for (const field of (requiredTerms(objectAt(pod, 'spec')) ?? []).flatMap((each) =>
    objectsAt(each, 'matchFields'),
  )) {
    if (textAt(field, 'key') !== 'metadata.name' || textAt(field, 'operator') !== 'In') continue;
    const [name, ...others] = listAt(field, 'values');
    return typeof name === 'string' && others.length === 0 ? name : '';
  }
  return '';
}

/** True for a pod of the present template. */
export function isUpToDate(pod: Stored, set: Stored, hash: string): boolean {
  const labels = textsAt(pod.metadata, 'labels');
  return labels[hashLabel] === hash || labels[generationLabel] === String(generationOf(set));
}

export const phaseOf = (pod: Stored): string => textAt(objectAt(pod, 'status'), 'phase');
export const isOver = (pod: Stored): boolean => ['Failed', 'Succeeded'].includes(phaseOf(pod));

const readiness = (pod: Stored): JsonObject | undefined =>
  objectsAt(objectAt(pod, 'status'), 'conditions').find(({ type }) => type === 'Ready');

export const isReady = (pod: Stored): boolean => readiness(pod)?.['status'] === 'True';

export const minReadySeconds = (set: Stored): number =>
  numberAt(objectAt(set, 'spec'), 'minReadySeconds') ?? 0;

/** Ready for as long as the set asks. */
export function isAvailable(pod: Stored, set: Stored, now: number): boolean {
  if (!isReady(pod)) return false;
  const since = Date.parse(textAt(readiness(pod), 'lastTransitionTime'));
  return minReadySeconds(set) === 0 || since + minReadySeconds(set) * 1000 <= now;
}

/** Bound ones first, then by age: of several on a node the first stays and is counted. */
export function byAge(a: Stored, b: Stored): number {
  const key = (pod: Stored): string =>
    `${nodeOf(pod) === '' ? 1 : 0} ` +
    `${textAt(pod.metadata, 'creationTimestamp')} ${nameOf(pod)}`;
  return key(a) < key(b) ? -1 : 1;
}

/** Whether the set's selector chooses the labels of a pod. */
export const isSelected = (set: Stored, pod: Stored): boolean =>
  parseSelectorObject(objectAt(objectAt(set, 'spec'), 'selector') ?? {})(pod);
