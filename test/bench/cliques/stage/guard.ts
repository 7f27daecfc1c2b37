// The rule that refuses shared indices and indices out of range, which NVIDIA's CRD does not have.
// For strategies that need it, and to see what it costs the others.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { must } from '#test/support/workload.ts';
import { capacity } from '../clique.ts';

const crd =
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/computedomaincliques.resource.nvidia.com';
const rows = '/spec/versions/0/schema/openAPIV3Schema/properties/daemons';

const rules: readonly JsonObject[] = [
  {
    rule: `self.all(d, has(d.index) && d.index >= 0 && d.index < ${capacity})`,
    message: `each index must be from 0 to ${capacity - 1}`,
  },
  {
    rule: 'self.all(a, self.exists_one(b, a.index == b.index))',
    message: 'no two daemons may have the same index',
  },
];

/** The bound on the list is what makes the rules cheap enough for the server to accept. */
export const addGuard = (client: KubeTransport): Promise<unknown> =>
  must(client, {
    method: 'PATCH',
    path: crd,
    contentType: 'application/json-patch+json',
    body: [
      { op: 'add', path: `${rows}/maxItems`, value: capacity },
      { op: 'add', path: `${rows}/x-kubernetes-validations`, value: rules },
    ],
  });
