// Which HorizontalPodAutoscalers a replica of a set must have (spec controllers 7.1). Part of
// expected.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { at, listAt, textAt } from '../fields.ts';
import { type Complaints, nameOf } from '../oracles/complaints.ts';

export function expectAutoscalers(complaints: Complaints, set: Stored, index: number): void {
  const template = at(set, 'spec', 'template');
  const wanted = [
    ...listAt(template, 'cliques').map((clique) => ({
      kind: 'PodClique',
      of: textAt(clique, 'name'),
      scaling: at(clique, 'spec', 'autoScalingConfig'),
    })),
    ...listAt(template, 'podCliqueScalingGroups').map((group) => ({
      kind: 'PodCliqueScalingGroup',
      of: textAt(group, 'name'),
      scaling: at(group, 'scaleConfig'),
    })),
  ];
  for (const { kind, of, scaling } of wanted) {
    if (scaling === undefined) continue;
    const name = `${nameOf(set)}-${index}-${of}`;
    const resource = 'autoscaling/horizontalpodautoscalers';
    const autoscaler = complaints.child(resource, name, set, 'pcs-hpa');
    if (autoscaler === undefined) continue;
    const target = { apiVersion: 'grove.io/v1alpha1', kind, name };
    complaints.same(`target of ${name}`, at(autoscaler, 'spec', 'scaleTargetRef'), target);
    for (const bound of ['minReplicas', 'maxReplicas']) {
      complaints.same(`${bound} of ${name}`, at(autoscaler, 'spec', bound), at(scaling, bound));
    }
  }
}
