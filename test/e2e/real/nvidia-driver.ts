// What an installation of NVIDIA's driver brings that ComputeDomains need: the account of the
// daemons, and a device for each of them to claim, wherever it runs. No driver runs here. Used by
// the test of cliques and by days of chaos.
import type { JsonObject } from '#machines/kubernetes/objects.ts';

const dra = '/apis/resource.k8s.io/v1';
const slice = 'daemons-of-tests';

export interface DriverObject {
  /** Of the collection that it is created in. */
  readonly path: string;
  readonly name: string;
  readonly body: JsonObject;
}

/** `count`: how many daemons there may be at a time. */
export function driverObjects(namespace: string, count: number): readonly DriverObject[] {
  const object = (path: string, kind: string, name: string, rest: JsonObject): DriverObject => {
    const apiVersion = path.startsWith(dra) ? 'resource.k8s.io/v1' : 'v1';
    return { path, name, body: { apiVersion, kind, metadata: { name }, ...rest } };
  };
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  const expression = 'device.driver == "compute-domain.nvidia.com"';
  const devices = Array.from({ length: count }, (_, index) => ({ name: `daemon-${index}` }));
  return [
    object(accounts, 'ServiceAccount', 'compute-domain-daemon-service-account', {}),
    object(`${dra}/deviceclasses`, 'DeviceClass', 'compute-domain-daemon.nvidia.com', {
      spec: { selectors: [{ cel: { expression } }] },
    }),
    object(`${dra}/resourceslices`, 'ResourceSlice', slice, {
      spec: {
        driver: 'compute-domain.nvidia.com',
        pool: { name: slice, generation: 1, resourceSliceCount: 1 },
        allNodes: true,
        devices,
      },
    }),
  ];
}
