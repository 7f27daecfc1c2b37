// CRDs of KAI and Volcano on the real control plane: that they are there is enough for the
// controller. Used by the tests that enable these parts of it.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { kaiPodGroupCrd, kaiTopologyCrd, volcanoCrd } from '#test/support/backends.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Kube } from './kube.ts';

const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Admission asks for one alone, so its schema takes anything. */
const queueCrd: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'queues.scheduling.volcano.sh' },
  spec: {
    group: 'scheduling.volcano.sh',
    scope: 'Cluster',
    names: { plural: 'queues', singular: 'queue', kind: 'Queue', listKind: 'QueueList' },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

const crds: readonly (readonly [JsonObject, path: string])[] = [
  [kaiTopologyCrd, '/apis/kai.scheduler/v1alpha1/topologies'],
  [kaiPodGroupCrd(), '/apis/scheduling.run.ai/v2alpha2/podgroups'],
  [volcanoCrd(), '/apis/scheduling.volcano.sh/v1beta1/podgroups'],
  [queueCrd, '/apis/scheduling.volcano.sh/v1beta1/queues'],
];

/** Installs them and waits until they are served; the answer takes them away again, to the end. */
export async function installBackends(kube: Kube): Promise<() => Promise<void>> {
  const isThere = (path: string): Promise<boolean> =>
    kube.send({ method: 'GET', path }).then(
      () => true,
      () => false,
    );
  const names = crds.map(([crd]) => String(Object(crd['metadata']).name));
  for (const [body] of crds) await kube.send({ method: 'POST', path: collection, body });
  for (const [, path] of crds) await eventually(`${path} served`, () => isThere(path), Boolean);
  return async () => {
    const paths = names.map((name) => `${collection}/${name}`);
    for (const path of paths) await kube.send({ method: 'DELETE', path });
    for (const path of paths) {
      await eventually(
        `${path} gone`,
        () => isThere(path),
        (isServed) => !isServed,
      );
    }
  };
}
