// Of a replica: a HorizontalPodAutoscaler for each standalone clique and each scaling group that
// asks for one (spec controllers 7.1). It is named as its target.
import type { StringMap } from '../../../kubernetes/json.ts';
import { isWithin, patchToward } from '../../../kubernetes/merge.ts';
import type { JsonObject, KubeObject } from '../../../kubernetes/objects.ts';
import { isSameAmounts } from '../../../kubernetes/quantity.ts';
import { sameForAll, type ChildPatch, type ChildType, type Desired } from '../../children/type.ts';
import { childLabels, component, ownedMeta } from '../../objects/labels.ts';
import { cliqueName, groupName, placeOf } from '../../objects/names.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import { isSpecNews, readSpec, type ObservedSpec } from '../../objects/set-children.ts';
import type { Scaling } from '../../objects/template.ts';
import { usualReason, type ReplicaScope } from '../context.ts';

export const autoscaler: ChildType<ObservedSpec<'HorizontalPodAutoscaler'>, ReplicaScope> = {
  kind: 'HorizontalPodAutoscaler',
  read: readSpec('HorizontalPodAutoscaler'),
  place: placeOf,
  hasChanged: isSpecNews,
  desired: ({ set, index }) => [
    ...set.cliques.flatMap(({ name, scaling }) =>
      desired(set, name, { kind: 'PodClique', name: cliqueName(set.name, index, name) }, scaling),
    ),
    ...set.groups.flatMap(({ name, scaling }) => {
      const target = { kind: 'PodCliqueScalingGroup', name: groupName(set.name, index, name) };
      return desired(set, name, target, scaling);
    }),
  ],
  surplus: 'the template does not ask for it',
  errorCode: sameForAll('ERR_SYNC_HPA', 'ERR_DELETE_HPA'),
  eventReason: usualReason,
};

interface Target {
  readonly kind: string;
  readonly name: string;
}

const desired = (
  set: ObservedSet,
  slot: string,
  target: Target,
  scaling: Scaling | undefined,
): readonly Desired<ObservedSpec<'HorizontalPodAutoscaler'>>[] =>
  scaling === undefined
    ? []
    : [
        {
          slot,
          name: target.name,
          reason: `scales ${target.kind} ${target.name}`,
          build: () => build(set, target, scaling),
          patch: (there) => patchOf(set, target, scaling, there),
        },
      ];

/** Only target, bounds and metrics are ours; what users add, e.g. `behavior`, stays. */
function patchOf(
  set: ObservedSet,
  target: Target,
  scaling: Scaling,
  there: ObservedSpec<'HorizontalPodAutoscaler'>,
): ChildPatch | undefined {
  const labels = labelsOf(set, target);
  const { metrics: _, ...spec } = specOf(target, scaling);
  const hasMetrics = hasRightMetrics(scaling, there);
  const isRight = isWithin(labels, there.labels) && isWithin(spec, there.spec);
  if (isRight && hasMetrics) return undefined;
  const metrics = scaling.metrics.length > 0 ? [...scaling.metrics] : null;
  const patch = {
    metadata: { labels: patchToward(there.labels, labels) },
    spec: { ...patchToward(there.spec, spec), ...(hasMetrics ? {} : { metrics }) },
  };
  return { patch, reason: 'differs from the template' };
}

/** The API server writes amounts its own way, and fills in CPU where no metric is given. */
const hasRightMetrics = (
  { metrics }: Scaling,
  { spec }: ObservedSpec<'HorizontalPodAutoscaler'>,
): boolean => isSameAmounts(metrics.length > 0 ? metrics : cpu, spec['metrics'] ?? cpu);

const cpu = [
  {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
  },
];

const build = (set: ObservedSet, target: Target, scaling: Scaling): KubeObject => ({
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: ownedMeta(set, target.name, labelsOf(set, target)),
  spec: specOf(target, scaling),
});

const labelsOf = (set: ObservedSet, { name }: Target): StringMap =>
  childLabels(set.name, name, component.autoscaler);

/** Without metrics the API server scales by CPU. */
const specOf = (
  { kind, name }: Target,
  { minReplicas, maxReplicas, metrics }: Scaling,
): JsonObject => ({
  scaleTargetRef: { apiVersion: 'grove.io/v1alpha1', kind, name },
  minReplicas,
  maxReplicas,
  ...(metrics.length > 0 ? { metrics: [...metrics] } : {}),
});
