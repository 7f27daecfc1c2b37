// Of a replica: its headless Service, compared and patched on the fields that are ours only, so
// that what the API server defaults causes no write (spec controllers 1.1.5).
import type { StringMap } from '../../../kubernetes/json.ts';
import { isWithin, patchToward } from '../../../kubernetes/merge.ts';
import type { JsonObject, KubeObject } from '../../../kubernetes/objects.ts';
import { sameForAll, type ChildType } from '../../children/type.ts';
import { baseLabels, childLabels, component, label, ownedMeta } from '../../objects/labels.ts';
import { placeOf, serviceName } from '../../objects/names.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import { isSpecNews, readSpec, type ObservedSpec } from '../../objects/set-children.ts';
import { usualReason, type ReplicaScope } from '../context.ts';

export const service: ChildType<ObservedSpec<'Service'>, ReplicaScope> = {
  kind: 'Service',
  read: readSpec('Service'),
  // Another Service of the set's, by whoever, has something after the number.
  place: (set, name) => {
    const place = placeOf(set, name);
    return place?.slot === '' ? place : undefined;
  },
  hasChanged: isSpecNews,
  desired: ({ set, index }) => [
    {
      slot: '',
      name: serviceName(set.name, index),
      reason: `Service of replica ${index}`,
      build: () => build(set, index),
      patch: (there) => patchOf(set, index, there),
    },
  ],
  errorCode: sameForAll('ERR_SYNC_PODCLIQUESET_SERVICE', 'ERR_DELETE_PODCLIQUESET_SERVICE'),
  eventReason: usualReason,
};

function patchOf(set: ObservedSet, index: number, there: ObservedSpec<'Service'>) {
  const spec = specOf(set, index);
  const labels = labelsOf(set, index);
  if (isWithin(spec, there.spec) && isWithin(labels, there.labels)) return undefined;
  const patch = {
    metadata: { labels: patchToward(there.labels, labels) },
    spec: patchToward(there.spec, spec),
  };
  return { patch, reason: 'differs from the spec' };
}

const labelsOf = (set: ObservedSet, index: number): StringMap => ({
  ...childLabels(set.name, serviceName(set.name, index), component.service),
  [label.replicaIndex]: String(index),
});

/** The three fields of a headless Service that are ours; the rest is the API server's. */
const specOf = (set: ObservedSet, index: number): JsonObject => ({
  clusterIP: 'None',
  publishNotReadyAddresses: set.publishNotReadyAddresses,
  selector: { ...baseLabels(set.name), [label.replicaIndex]: String(index) },
});

const build = (set: ObservedSet, index: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: ownedMeta(set, serviceName(set.name, index), labelsOf(set, index)),
  spec: specOf(set, index),
});
