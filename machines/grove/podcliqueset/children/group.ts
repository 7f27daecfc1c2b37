// Of a replica: its PodCliqueScalingGroups. `replicas` is set at creation only: afterwards it
// belongs to whoever scales the group (spec controllers 1.1.5, 10.2 gap 14).
import { isWithin, patchToward } from '../../../kubernetes/merge.ts';
import type { JsonObject, KubeObject } from '../../../kubernetes/objects.ts';
import { sameForAll, type ChildPatch, type ChildType } from '../../children/type.ts';
import {
  annotation,
  childLabels,
  component,
  finalizer,
  label,
  ownedMeta,
} from '../../objects/labels.ts';
import { patchOfMarks, withLists, type Marks } from '../../objects/mirror.ts';
import { groupName, placeOf } from '../../objects/names.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import { readGroup, type ObservedGroup } from '../../objects/scalinggroup.ts';
import type { GroupTemplate } from '../../objects/template.ts';
import type { ReplicaScope } from '../context.ts';
import { isNewsToOwner } from '../../objects/meta.ts';

export const group: ChildType<ObservedGroup, ReplicaScope> = {
  kind: 'PodCliqueScalingGroup',
  read: readGroup,
  place: placeOf,
  hasChanged: isNewsToOwner,
  keepsVersion: true,
  desired: ({ set, index, mayCreate }) =>
    set.groups.map((template) => ({
      slot: template.name,
      name: groupName(set.name, index, template.name),
      reason: `scaling group of replica ${index}`,
      ...(mayCreate ? { build: () => build(set, index, template) } : {}),
      patch: (there) => patchOf(set, index, template, there),
    })),
  surplus: 'the template has no such scaling group',
  hasChildren: true,
  errorCode: {
    create: 'ERR_CREATE_PODCLIQUESCALINGGROUP',
    patch: 'ERR_SYNC_PODCLIQUESCALINGGROUP',
    delete: 'ERR_DELETE_PODCLIQUESCALINGGROUP',
  },
  eventReason: sameForAll(
    'PodCliqueScalingGroupCreateOrUpdateFailed',
    'PodCliqueScalingGroupDeleteFailed',
  ),
};

function patchOf(
  set: ObservedSet,
  index: number,
  template: GroupTemplate,
  there: ObservedGroup,
): ChildPatch | undefined {
  const metadata = patchOfMarks(there, marksOf(set, index, template));
  const spec = specOf(template);
  if (metadata === undefined && isWithin(spec, there.spec)) return undefined;
  const patch = {
    ...(metadata === undefined ? {} : { metadata }),
    spec: patchToward(there.spec, spec),
  };
  return { patch, reason: 'differs from the spec' };
}

function build(set: ObservedSet, index: number, template: GroupTemplate): KubeObject {
  const name = groupName(set.name, index, template.name);
  const { labels, annotations } = marksOf(set, index, template);
  return {
    apiVersion: 'grove.io/v1alpha1',
    kind: 'PodCliqueScalingGroup',
    metadata: ownedMeta(set, name, labels, {
      ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
      finalizers: [finalizer.group],
    }),
    spec: { ...specOf(template), replicas: template.replicas },
  };
}

/**
 * The set's ComputeDomain group is copied where the group has none of its own (spec api 5.2). That
 * annotation cannot come or go, so it is not in the list of what is from the template.
 */
function marksOf(set: ObservedSet, index: number, template: GroupTemplate): Marks {
  const { [annotation.mnnvlGroup]: own, ...passing } = template.annotations;
  const domain = own ?? set.annotations[annotation.mnnvlGroup];
  const labels = {
    ...childLabels(set.name, groupName(set.name, index, template.name), component.group),
    [label.replicaIndex]: String(index),
  };
  const copied = domain === undefined ? {} : { [annotation.mnnvlGroup]: domain };
  const annotations = { ...copied, ...passing };
  return withLists({ labels, annotations }, { labels: {}, annotations: passing });
}

/** Without `replicas`: those belong to whoever scales it, once it exists. */
const specOf = ({ minAvailable, cliqueNames }: GroupTemplate): JsonObject => ({
  minAvailable,
  cliqueNames: [...cliqueNames],
});
