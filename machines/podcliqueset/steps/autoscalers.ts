// Of a replica: a HorizontalPodAutoscaler for each standalone clique and each scaling group
// that asks for one (spec controllers 7.1). One that nobody asks for goes, before others come.
import type { StringMap } from '../../json.ts';
import { isWithin, patchToward } from '../../merge.ts';
import type { JsonObject } from '../../objects.ts';
import { isSameAmounts } from '../../quantity.ts';
import type { Intent } from '../../vocabulary.ts';
import { autoscalerLabels, autoscalerSpec, buildAutoscaler } from '../children.ts';
import type { ScaleTarget } from '../children.ts';
import type { AutoscalerFact } from '../childfacts.ts';
import { living } from '../context.ts';
import type { Replica } from '../context.ts';
import type { SetFact } from '../facts.ts';
import { cliqueName, groupName } from '../names.ts';
import type { Scaling } from '../template.ts';
import { removal } from './surplus.ts';

interface Wanted {
  readonly rest: string;
  readonly target: ScaleTarget;
  readonly scaling: Scaling;
}

export function planAutoscalers(set: SetFact, index: number, replica: Replica): readonly Intent[] {
  const wanted = [...wantedAutoscalers(set, index)];
  if (wanted.length === 0 && replica.autoscalers.size === 0) return [];
  const kept = new Set(wanted.map(({ rest }) => rest));
  const surplus = [...replica.autoscalers]
    .filter(([rest, autoscaler]) => !kept.has(rest) && living(autoscaler, set) !== undefined)
    .map(([, autoscaler]) => removal(autoscaler, 'the template does not ask for it'));
  return [...surplus, ...wanted.flatMap((one) => planAutoscaler(set, replica, one))];
}

function* wantedAutoscalers(set: SetFact, index: number): Iterable<Wanted> {
  for (const { name, scaling } of set.cliques) {
    if (scaling === undefined) continue;
    const target = { kind: 'PodClique', name: cliqueName(set.name, index, name) } as const;
    yield { rest: name, target, scaling };
  }
  for (const { name, scaling } of set.groups) {
    if (scaling === undefined) continue;
    const kind = 'PodCliqueScalingGroup';
    yield { rest: name, target: { kind, name: groupName(set.name, index, name) }, scaling };
  }
}

function planAutoscaler(
  set: SetFact,
  replica: Replica,
  { rest, target, scaling }: Wanted,
): readonly Intent[] {
  const { namespace } = set;
  const ref = { kind: 'HorizontalPodAutoscaler', namespace, name: target.name } as const;
  const there = replica.autoscalers.get(rest);
  if (there === undefined) {
    const body = buildAutoscaler(set, target, scaling);
    return [{ type: 'createObject', ref, reason: `scales ${target.kind} ${target.name}`, body }];
  }
  const autoscaler = living(there, set);
  const patch = autoscaler && patchOf(set, target, scaling, autoscaler);
  if (autoscaler === undefined || patch === undefined) return [];
  const { uid } = autoscaler;
  return [{ type: 'patchObject', ref, reason: 'differs from the template', patch, uid }];
}

/** Only target, bounds and metrics are ours; what users add, e.g. `behavior`, stays. */
function patchOf(
  set: SetFact,
  target: ScaleTarget,
  scaling: Scaling,
  autoscaler: AutoscalerFact,
): JsonObject | undefined {
  const labels: StringMap = autoscalerLabels(set, target);
  const { metrics: _, ...spec } = autoscalerSpec(target, scaling);
  const hasMetrics = hasRightMetrics(scaling, autoscaler);
  const isRight = isWithin(labels, autoscaler.labels) && isWithin(spec, autoscaler.spec);
  if (isRight && hasMetrics) return undefined;
  const metrics = scaling.metrics.length > 0 ? [...scaling.metrics] : null;
  return {
    metadata: { labels: patchToward(autoscaler.labels, labels) },
    spec: { ...patchToward(autoscaler.spec, spec), ...(hasMetrics ? {} : { metrics }) },
  };
}

/** The API server writes amounts its own way, and fills in CPU where no metric is given. */
const hasRightMetrics = ({ metrics }: Scaling, { spec }: AutoscalerFact): boolean =>
  isSameAmounts(metrics.length > 0 ? metrics : cpu, spec['metrics'] ?? cpu);

const cpu = [
  {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
  },
];
