// Everything in a namespace that belongs to a PodCliqueSet, read at once.
import type { Kube, KubeObject } from './kube.ts';

const resources = [
  'podcliquesets',
  'podcliques',
  'podgangs',
  'pods',
  'services',
  'serviceaccounts',
  'secrets',
  'roles',
  'rolebindings',
] as const;

export type Snapshot = Readonly<Record<(typeof resources)[number], readonly KubeObject[]>>;

/** What a namespace has by itself is left out. */
export async function snapshot(kube: Kube, namespace: string): Promise<Snapshot> {
  const rows = await Promise.all(
    resources.map(async (resource) => [resource, await kube.list(namespace, resource)] as const),
  );
  const all = Object.fromEntries(rows) as unknown as Snapshot;
  const without = (objects: readonly KubeObject[], name: string): readonly KubeObject[] =>
    objects.filter(({ metadata }) => metadata.name !== name);
  return {
    ...all,
    serviceaccounts: without(all.serviceaccounts, 'default'),
    services: without(all.services, 'kubernetes'),
  };
}

/** Resources of which something is left. */
export async function remnants(kube: Kube, namespace: string): Promise<readonly string[]> {
  const rows = await Promise.all(
    resources.map(async (name) => ((await kube.hasAny(namespace, name)) ? [name] : [])),
  );
  return rows.flat();
}

/** `pods: 10, services: 2`; for claims about what is left. */
export const left = (seen: Snapshot): Readonly<Record<string, number>> =>
  Object.fromEntries(
    resources
      .map((resource) => [resource, seen[resource].length] as const)
      .filter(([, count]) => count > 0),
  );
