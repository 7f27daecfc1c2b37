// What the checks of DaemonSets work with: nodes of their own, a set for these nodes, and waits for
// pods on them and for the status.
import { expect } from 'vitest';
import { numberAt, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { metaOf, specOf } from '../session.ts';
import type { Session } from '../session.ts';

export const nodes = '/api/v1/nodes';
const size = { cpu: '4', memory: '8Gi', pods: '20' };

/** Nodes that only pods of the check tolerate. KWOK plays those of its type. */
export const node = (s: Session, name: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `${s.namespace}-${name}`,
    annotations: { 'kwok.x-k8s.io/node': 'fake' },
    labels: { type: 'kwok', check: s.namespace },
  },
  spec: { taints: [{ key: 'check', value: s.namespace, effect: 'NoSchedule' }] },
  status: { allocatable: size, capacity: size },
});

export const sets = (s: Session, ...more: string[]): string => s.path('daemonsets', ...more);
export const at = (s: Session, name: string): string => `${nodes}/${s.namespace}-${name}`;

/** Makes nodes, and takes them away when the check is over. */
export async function onNodes(
  s: Session,
  names: readonly string[],
  check: () => Promise<void>,
): Promise<void> {
  try {
    for (const name of names) await s.create(nodes, node(s, name));
    await check();
  } finally {
    await s.send('DELETE', sets(s, 'd'));
    for (const made of await s.list(`${nodes}?labelSelector=check%3D${s.namespace}`)) {
      await s.send('DELETE', `${nodes}/${textAt(metaOf(made), 'name')}`);
    }
  }
}

export const labels = { app: 'd' };

/** For the nodes of the check. */
export const template = (
  s: Session,
  spec: JsonObject = {},
  metadata: JsonObject = {},
): JsonObject => ({
  metadata: { labels, ...metadata },
  spec: {
    containers: [{ name: 'main', image: 'registry.k8s.io/pause:3.10' }],
    nodeSelector: { check: s.namespace },
    tolerations: [{ key: 'check', operator: 'Exists' }],
    terminationGracePeriodSeconds: 1,
    ...spec,
  },
});

export const makeSet = (s: Session, more: JsonObject = {}): Promise<JsonObject> =>
  s.create(sets(s), {
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: labels }, template: template(s), ...more },
  });

/** Pods that are not being deleted. */
export const alive = async (s: Session): Promise<JsonObject[]> =>
  (await s.list(s.path('pods'))).filter((each) => textAt(metaOf(each), 'deletionTimestamp') === '');

export const isReady = (each: JsonObject): boolean =>
  objectsAt(objectAt(each, 'status'), 'conditions').some(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );

/** Names of the nodes on which a pod is ready, without what all of them begin with. */
async function readyOn(s: Session): Promise<string> {
  return (await alive(s))
    .filter(isReady)
    .map((each) => textAt(specOf(each), 'nodeName').slice(s.namespace.length + 1))
    .toSorted()
    .join(' ');
}

export const runsOn = (s: Session, wanted: string): Promise<void> =>
  s.eventually(`pods are ready on ${wanted}`, async () => (await readyOn(s)) === wanted);

export const saysStatus = (s: Session, wanted: Record<string, number>): Promise<void> =>
  s.eventually(`the status says ${JSON.stringify(wanted)}`, async () => {
    const status = objectAt(await s.get(sets(s, 'd')), 'status');
    return Object.entries(wanted).every(([key, n]) => (numberAt(status, key) ?? 0) === n);
  });

export const only = async (s: Session): Promise<JsonObject> => {
  const [first, ...others] = await alive(s);
  expect(others).toEqual([]);
  return first ?? {};
};
