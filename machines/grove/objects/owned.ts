// Metadata of an object that another one controls: what every builder of children starts from.
import type { StringMap } from '../../kubernetes/json.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { ObjectMeta, OwnerReference } from '../../kubernetes/objects.ts';

/** Whoever controls objects of ours. */
export type GroveOwner = Pick<Meta, 'namespace' | 'name' | 'uid'> & {
  readonly kind: 'PodCliqueSet' | 'PodCliqueScalingGroup' | 'PodClique';
};

/** Controlled by the owner, which goes after it (spec controllers 0.1). */
export const controlledBy = (owner: GroveOwner): OwnerReference => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: owner.kind,
  name: owner.name,
  uid: owner.uid,
  controller: true,
  blockOwnerDeletion: true,
});

/** Metadata of an object that the owner controls. */
export const ownedMeta = (
  owner: GroveOwner,
  name: string,
  labels: StringMap,
  more: Pick<ObjectMeta, 'annotations' | 'finalizers'> = {},
): ObjectMeta => ({
  name,
  namespace: owner.namespace,
  labels,
  ...more,
  ownerReferences: [controlledBy(owner)],
});
