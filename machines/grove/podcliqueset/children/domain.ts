// Of a replica: a ComputeDomain for each group of its cliques (spec controllers 8.1). What is there
// is never changed. One that nobody wants goes in two steps: our finalizer off, then deleted; of
// one that somebody else deleted the finalizer is taken off at once, and another follows.
import type { KubeObject } from '../../../kubernetes/objects.ts';
import type { ChildType } from '../../children/type.ts';
import { removeFinalizer } from '../../finalizer.ts';
import { childLabels, component, finalizer, label, ownedMeta } from '../../objects/labels.ts';
import { domainName, placeOf } from '../../objects/names.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import { isDomainNews, readDomain, type ObservedDomain } from '../../objects/set-children.ts';
import type { ReplicaScope } from '../context.ts';

export const domain: ChildType<ObservedDomain, ReplicaScope> = {
  kind: 'ComputeDomain',
  read: readDomain,
  place: placeOf,
  hasChanged: isDomainNews,
  keepsVersion: true,
  desired: ({ set, index, makesDomains }) =>
    set.domainGroups.map((group) => ({
      slot: group,
      name: domainName(set.name, index, group),
      reason: `ComputeDomain of replica ${index}`,
      isOptional: !makesDomains,
      ...(makesDomains ? { build: () => build(set, index, group) } : {}),
    })),
  surplus: 'no clique is in its group',
  removeFinalizer,
  // The only patch of one is a step of its deletion.
  errorCode: {
    create: 'ERR_SYNC_COMPUTEDOMAIN',
    patch: 'ERR_DELETE_COMPUTEDOMAIN',
    delete: 'ERR_DELETE_COMPUTEDOMAIN',
  },
  eventReason: {
    create: 'ComputeDomainCreateFailed',
    patch: 'ComputeDomainDeleteFailed',
    delete: 'ComputeDomainDeleteFailed',
  },
};

/**
 * The name of the claim template is nested in the channel, and the number of nodes is required; 0
 * keeps the domain elastic (spec controllers 8.1, rule 55).
 */
function build(set: ObservedSet, replica: number, group: string): KubeObject {
  const name = domainName(set.name, replica, group);
  const labels = {
    ...childLabels(set.name, name, component.domain),
    [label.replicaIndex]: String(replica),
    [label.mnnvlGroup]: group,
  };
  return {
    apiVersion: 'resource.nvidia.com/v1beta1',
    kind: 'ComputeDomain',
    metadata: ownedMeta(set, name, labels, { finalizers: [finalizer.domain] }),
    spec: { channel: { resourceClaimTemplate: { name } }, numNodes: 0 },
  };
}
