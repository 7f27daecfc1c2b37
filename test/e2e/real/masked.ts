// Objects with all that differs from cluster to cluster masked: ids, times, versions, drawn names,
// addresses, places. What is left must be the same on the embedded cluster and on the real one.
import type { KubeObject } from './kube.ts';
import type { Snapshot } from './snapshot.ts';

const normalized: Readonly<Record<string, string>> = {
  uid: '<uid>',
  resourceVersion: '<version>',
  nodeName: '<node>',
  podIP: '<ip>',
  hostIP: '<ip>',
  ip: '<ip>',
  containerID: '<id>',
  imageID: '<id>',
  'kubernetes.io/service-account.uid': '<uid>',
  'grove.io/token-secret': '<uid>',
  'ca.crt': '<certificate>',
  namespace: '<namespace>',
  token: '<token>',
  image: '<image>',
};

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/;

/** `Pod/demo-0-decode 2` to the object, masked; a pod goes by its clique and index. */
export function normalizedObjects(
  seen: Snapshot,
  namespace: string,
): Readonly<Record<string, unknown>> {
  const names = new Map(seen.pods.map((pod) => [pod.metadata.name, placeOf(pod)]));
  const renamed: Renamed = (text) => names.get(text) ?? text.replaceAll(namespace, '<namespace>');
  const rows = Object.entries(seen).flatMap(([resource, objects]) =>
    objects.map((object): [string, unknown] => {
      const name = names.get(object.metadata.name) ?? object.metadata.name;
      return [`${resource} ${name}`, mask(object, '', renamed)];
    }),
  );
  return Object.fromEntries(rows.toSorted(([a], [b]) => a.localeCompare(b)));
}

const placeOf = ({ metadata }: KubeObject): string =>
  `${metadata.labels?.['grove.io/podclique']} ${metadata.labels?.['grove.io/podclique-pod-index']}`;

type Renamed = (text: string) => string;

function mask(value: unknown, key: string, renamed: Renamed): unknown {
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => mask(item, key, renamed));
    return key === 'conditions' || key === 'podReferences' ? sorted(items) : items;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .filter(([name]) => name !== 'managedFields')
      .toSorted(([a], [b]) => a.localeCompare(b));
    return Object.fromEntries(entries.map(([name, field]) => [name, mask(field, name, renamed)]));
  }
  if (typeof value !== 'string') return value;
  if (normalized[key] !== undefined) return normalized[key];
  if (time.test(value)) return '<time>';
  return renamed(value.replace(/^kube-api-access-[a-z0-9]{5}$/, '<token volume>'));
}

const sorted = (items: readonly unknown[]): readonly unknown[] =>
  items.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));

/** Paths at which two values differ: `metadata.labels.x: 1 | 2`. */
export function differences(a: unknown, b: unknown, path = ''): readonly string[] {
  if (isObject(a) && isObject(b)) {
    const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
    return [...keys].flatMap((key) => differences(a[key], b[key], path ? `${path}.${key}` : key));
  }
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left === right ? [] : [`${path}: ${left} | ${right}`];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
