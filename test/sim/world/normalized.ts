// The state of a cluster without what differs from run to run: UIDs, versions, times, drawn names.
// Two runs that came to the same end have the same lines (O1).
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { fieldsAt, numberAt, textAt } from '../fields.ts';
import { namespace } from '../users/workload.ts';

/** Fields that no run shares with another. */
export const drawn = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'lastTransitionTime',
  'startTime',
  'startedAt',
  'containerID',
  'podIP',
  'podIPs',
  'hostIP',
  'hostIPs',
  'nodeName',
  'clusterIP',
  'clusterIPs',
  'token',
  'ca.crt',
  'kubernetes.io/service-account.uid',
  'grove.io/token-secret',
]);

/** One line per object, sorted. */
export function normalizedState(store: Store, resources: readonly string[]): readonly string[] {
  const hostNames = new Map(
    store
      .collection('/pods')
      .list(namespace)
      .map((pod) => [textAt(pod, 'metadata', 'name'), textAt(pod, 'spec', 'hostname')]),
  );
  const mask = (_: string, value: unknown): unknown => {
    if (typeof value === 'string') {
      return hostNames.get(value) ?? value.replaceAll(/kube-api-access-\w+/g, 'kube-api-access');
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !drawn.has(key))
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  };
  const line = (resource: string, object: Stored): string =>
    `${resource} ${JSON.stringify(resource === '/pods' ? asNeverGated(object) : object, mask)}`;
  return resources
    .flatMap((resource) =>
      store
        .collection(resource)
        .list(namespace)
        .map((object) => line(resource, object)),
    )
    .map(withSortedReferences)
    .toSorted();
}

/**
 * Whether a pod of a scaled gang comes with a gate hangs on the moment: none where the base gang is
 * scheduled by then (docs/decisions/0011-gates-open-by-message.md). Taking it away is a generation.
 */
function asNeverGated(pod: Stored): unknown {
  const { schedulingGates, ...spec } = fieldsAt(pod, 'spec');
  if (!Array.isArray(schedulingGates) || schedulingGates.length > 0) return pod;
  const generation = numberAt(pod, 'metadata', 'generation') - 1;
  return { ...pod, metadata: { ...pod.metadata, generation }, spec };
}

/** A PodGang lists pods by their names, which were drawn. */
export const withSortedReferences = (line: string): string =>
  line.replaceAll(/"podReferences":\[([^\]]*)\]/g, (_, list: string) => {
    const references = list.split('},').map((each) => each.replace('}', ''));
    return `"podReferences":[${references.toSorted().join('},')}]`;
  });
