// What tests do to the whole cluster and undo again: its CRDs, the taints of a node.
import { installCrds } from '#src/dev/crds.ts';
import type { KubeTransport } from '#src/kube/transport.ts';
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

/** Kinds whose objects have finalizers of ours: without a controller nobody takes them off. */
const held = ['podcliquesets', 'podcliquescalinggroups', 'podcliques'];

/** Takes all CRDs of Grove away with everything of their kinds. A test before this one may have
 *  left objects that are going, so finalizers are taken off until nothing is left. */
export async function removeCrds(kube: Kube): Promise<void> {
  const ours = async (): Promise<readonly KubeObject[]> => {
    for (const plural of held) await takeFinalizers(kube, plural);
    const { items } = (await kube.send({ method: 'GET', path: crds })) as { items: KubeObject[] };
    return items.filter(({ metadata }) => metadata.name.endsWith('grove.io'));
  };
  for (const { metadata } of await ours()) {
    await kube.send({ method: 'DELETE', path: `${crds}/${metadata.name}` });
  }
  await eventually('the CRDs gone', ours, (left) => left.length === 0, 180_000);
}

async function takeFinalizers(kube: Kube, plural: string): Promise<void> {
  const path = `/apis/grove.io/v1alpha1`;
  const all = (await kube
    .send({ method: 'GET', path: `${path}/${plural}` })
    .catch(() => ({ items: [] }))) as { items: KubeObject[] }; // the kind is gone
  for (const { metadata } of all.items) {
    await kube
      .send({
        method: 'PATCH',
        path: `${path}/namespaces/${metadata.namespace}/${plural}/${metadata.name}`,
        contentType: mergePatch,
        body: { metadata: { finalizers: null } },
      })
      .catch(() => {}); // gone meanwhile
  }
}

interface Taint {
  readonly key: string;
  readonly effect: string;
}

/** Adds a taint to a node; the answer takes it off again. */
export async function taint(kube: Kube, node: string, added: Taint): Promise<() => Promise<void>> {
  const path = `/api/v1/nodes/${node}`;
  const { spec } = (await kube.send({ method: 'GET', path })) as { spec: { taints: Taint[] } };
  const set = async (taints: readonly Taint[]): Promise<void> => {
    await kube.send({ method: 'PATCH', path, contentType: mergePatch, body: { spec: { taints } } });
  };
  await set([...spec.taints, added]);
  return () => set(spec.taints);
}
