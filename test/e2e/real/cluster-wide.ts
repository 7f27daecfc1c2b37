// What tests do to the whole cluster and undo again: its CRDs, the taints of a node.
import { installCrds } from '#src/dev/crds.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { restart } from '#test/cluster/up.ts';
import { eventually } from '#test/support/eventually.ts';
import { Kube, type KubeObject } from './kube.ts';

const mergePatch = 'application/merge-patch+json';
const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Installs the CRDs, and has the garbage collector know them: it looks for new kinds every 30 s
 *  only, a new one at its start. */
export async function provideCrds(transport: KubeTransport, folder: string): Promise<void> {
  await installCrds(transport);
  await restart(folder, 'kube-controller-manager');
}

/** Which label names the ComputeDomain of an object or a node. */
export const domainLabel = 'resource.nvidia.com/computeDomain';

interface Held {
  readonly group: string;
  readonly plural: string;
  /** Only those with this label. */
  readonly label?: string;
}

/** Kinds whose objects have finalizers of ours: without a controller nobody takes them off. */
const held: readonly Held[] = [
  ...['podcliquesets', 'podcliquescalinggroups', 'podcliques'].map((plural) => ({
    group: 'grove.io/v1alpha1',
    plural,
  })),
  { group: 'resource.nvidia.com/v1beta1', plural: 'computedomains' },
  { group: 'resource.k8s.io/v1', plural: 'resourceclaimtemplates', label: domainLabel },
  { group: 'apps/v1', plural: 'daemonsets', label: domainLabel },
];

/** Deletes a namespace, and what finalizers hold in it: no controller has to run for it. Resolves
 *  when those objects are gone: the next test's controller would put the finalizers back on them,
 *  and leave them behind for ever. */
export async function clear(kube: Kube, namespace: string): Promise<void> {
  await kube.send({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
  await freed(kube, namespace);
}

/** Until no namespace is going. Where the API server restarts meanwhile, it knows no CRDs for a
 *  moment, and the namespace controller takes their objects for gone: they stay for ever. */
export async function cleared(kube: Kube): Promise<void> {
  const going = async (): Promise<readonly string[]> => {
    const { items } = (await kube.send({ method: 'GET', path: '/api/v1/namespaces' })) as {
      items: KubeObject[];
    };
    return items
      .filter(({ metadata }) => metadata.deletionTimestamp !== undefined)
      .map(({ metadata, status }) => `${metadata.name}: ${JSON.stringify(status?.conditions)}`);
  };
  await eventually('the namespaces gone', going, (left) => left.length === 0, removalLimitMs);
}

/** Takes all CRDs of Grove away with everything of their kinds. Objects go first, with whatever
 *  finalizers earlier tests left on them: a CRD that finds some waits a minute between looks. */
export async function removeCrds(kube: Kube): Promise<void> {
  await freed(kube);
  for (const { metadata } of await ours(kube)) {
    await kube.send({ method: 'DELETE', path: `${crds}/${metadata.name}` });
  }
  await eventually(
    'the CRDs gone',
    () => ours(kube),
    (left) => left.length === 0,
    removalLimitMs,
  );
}

const removalLimitMs = 120_000;

interface Crd extends KubeObject {
  readonly status: { readonly conditions: unknown };
}

/** As much of them as says why one stays. */
async function ours(kube: Kube): Promise<readonly Pick<Crd, 'metadata' | 'status'>[]> {
  const { items } = (await kube.send({ method: 'GET', path: crds })) as { items: Crd[] };
  return items
    .filter(({ metadata }) => metadata.name.endsWith('grove.io'))
    .map(({ metadata: { name, uid, finalizers = [] }, status: { conditions } }) => ({
      metadata: { name, uid, finalizers },
      status: { conditions },
    }));
}

/** Until no object with our finalizers is left in a namespace, or in any. A server that has a CRD
 *  anew refuses its lists for a moment (429, `storage is (re)initializing`). */
export async function freed(kube: Kube, namespace?: string): Promise<void> {
  const one = (kind: Held): Promise<string[]> =>
    free(kube, kind, namespace).catch((error: unknown) => [String(error)]);
  const objects = async (): Promise<string[]> => (await Promise.all(held.map(one))).flat();
  await eventually('the objects gone', objects, (left) => left.length === 0, removalLimitMs);
}

/** Deletes all objects of a kind; says of each that it found what keeps it. */
async function free(
  kube: Kube,
  { group, plural, label = '' }: Held,
  namespace?: string,
): Promise<string[]> {
  const root = `/apis/${group}`;
  const within = namespace === undefined ? root : `${root}/namespaces/${namespace}`;
  const query = `?labelSelector=${encodeURIComponent(label)}`;
  const all = (await kube.send({ method: 'GET', path: `${within}/${plural}${query}` })) as {
    items: KubeObject[];
  };
  const keeps: string[] = [];
  for (const { metadata } of all.items) {
    const path = `${root}/namespaces/${metadata.namespace}/${plural}/${metadata.name}`;
    const body = { metadata: { finalizers: null } };
    const said = await kube
      .send({ method: 'PATCH', path, contentType: mergePatch, body })
      .then(() => kube.send({ method: 'DELETE', path }))
      .then(() => 'deleted', String);
    keeps.push(`${path} with ${metadata.finalizers?.join() ?? 'no finalizers'}: ${said}`);
  }
  return keeps;
}

interface Taint {
  readonly key: string;
  readonly effect: string;
}

/** Adds a taint to a node; the answer takes it off again. */
export async function taint(kube: Kube, node: string, added: Taint): Promise<() => Promise<void>> {
  const taints = await taintsOf(kube, node);
  await setTaints(kube, node, [...taints, added]);
  return () => setTaints(kube, node, taints);
}

/** Takes the taints of that key off, whoever put them there. */
export async function untaint(kube: Kube, node: string, key: string): Promise<void> {
  const taints = await taintsOf(kube, node);
  const left = taints.filter((one) => one.key !== key);
  if (left.length < taints.length) await setTaints(kube, node, left);
}

async function taintsOf(kube: Kube, node: string): Promise<readonly Taint[]> {
  const { spec } = (await kube.send({ method: 'GET', path: pathOfNode(node) })) as {
    spec: { taints?: Taint[] };
  };
  return spec.taints ?? [];
}

async function setTaints(kube: Kube, node: string, taints: readonly Taint[]): Promise<void> {
  const body = { spec: { taints } };
  await kube.send({ method: 'PATCH', path: pathOfNode(node), contentType: mergePatch, body });
}

const pathOfNode = (node: string): string => `/api/v1/nodes/${node}`;
