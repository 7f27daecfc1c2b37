// CRDs of KAI, Volcano and NVIDIA on the real control plane: that they are there is enough for the
// controller, and what it writes is judged elsewhere, so their schemas take anything.
import type { JsonObject } from '#machines/objects.ts';
import { kaiTopologyCrd } from '#test/support/backends.ts';
import { computeDomainCrd } from '#test/support/domains.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Kube } from './kube.ts';

const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const taking = (group: string, version: string, kind: string, scope: string): JsonObject => {
  const singular = kind.toLowerCase();
  const plural = `${singular}s`;
  const openAPIV3Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { plural, singular, kind, listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  };
};

const crds: readonly (readonly [JsonObject, path: string])[] = [
  [computeDomainCrd, '/apis/resource.nvidia.com/v1beta1/computedomains'],
  [kaiTopologyCrd, '/apis/kai.scheduler/v1alpha1/topologies'],
  [
    taking('scheduling.run.ai', 'v2alpha2', 'PodGroup', 'Namespaced'),
    '/apis/scheduling.run.ai/v2alpha2/podgroups',
  ],
  [
    taking('scheduling.volcano.sh', 'v1beta1', 'PodGroup', 'Namespaced'),
    '/apis/scheduling.volcano.sh/v1beta1/podgroups',
  ],
  [
    taking('scheduling.volcano.sh', 'v1beta1', 'Queue', 'Cluster'),
    '/apis/scheduling.volcano.sh/v1beta1/queues',
  ],
];

/** Installs them and waits until they are served; the answer takes them away again. */
export async function installBackends(kube: Kube): Promise<() => Promise<void>> {
  const names = crds.map(([crd]) => String(Object(crd['metadata']).name));
  for (const [body] of crds) await kube.send({ method: 'POST', path: collection, body });
  for (const [, path] of crds) {
    const ask = (): Promise<boolean> =>
      kube.send({ method: 'GET', path }).then(
        () => true,
        () => false,
      );
    await eventually(`${path} served`, ask, (isServed) => isServed);
  }
  return async () => {
    for (const name of names) await kube.send({ method: 'DELETE', path: `${collection}/${name}` });
  };
}
