// The status of a ClusterTopologyBinding: what each backend has of it, and the condition that says
// whether one drifted (spec controllers 1.5). Pure.
import { conditionStatus, conditionsOf, withCondition, withoutCondition } from '../conditions.ts';
import type { Condition } from '../conditions.ts';
import type { JsonObject } from '../objects.ts';
import { unparkedConditions } from '../supervision.ts';
import type { EpochMs } from '../vocabulary.ts';
import { awareBackends } from './backends.ts';
import type { Finding } from './backends.ts';
import type { BindingContext } from './context.ts';
import type { BindingFact } from './facts.ts';

export const driftType = 'SchedulerTopologyDrift';

/** The drift condition; undefined where no backend has anything to say. */
export function driftOf(
  context: BindingContext,
  findings: readonly Finding[],
): Condition | undefined {
  if (findings.length === 0) return undefined;
  const known: readonly string[] = awareBackends(context);
  if (findings.some(({ scheduler }) => !known.includes(scheduler))) {
    return {
      type: driftType,
      status: 'Unknown',
      reason: 'TopologyNotFound',
      message: 'One or more referenced scheduler backends are unavailable for topology management',
    };
  }
  if (findings.every(({ inSync }) => inSync === true)) {
    return {
      type: driftType,
      status: 'False',
      reason: 'InSync',
      message: 'All scheduler backend topologies are in sync',
    };
  }
  return {
    type: driftType,
    status: 'True',
    reason: 'Drift',
    message: 'One or more scheduler backend topologies have drifted',
  };
}

/** The value of the drift condition as it was written; undefined where there is none. */
export const writtenDrift = (binding: BindingFact): string | undefined =>
  conditionStatus(conditionsOf(binding.status), driftType);

/** The whole status. `findings`: none of them open. */
export function statusOf(
  context: BindingContext,
  binding: BindingFact,
  findings: readonly Finding[],
  now: EpochMs,
): JsonObject {
  const drift = driftOf(context, findings);
  const kept = unparkedConditions(binding.status);
  const conditions =
    drift === undefined ? withoutCondition(kept, driftType) : withCondition(kept, drift, now);
  const { conditions: _, schedulerTopologyStatuses: __, ...others } = binding.status;
  const isWhole = findings.every(({ isFailure }) => isFailure !== true);
  return {
    ...others,
    ...(isWhole ? { observedGeneration: binding.generation } : {}),
    ...(conditions.length > 0 ? { conditions: [...conditions] } : {}),
    ...(findings.length > 0 ? { schedulerTopologyStatuses: findings.map(entryOf) } : {}),
  };
}

const entryOf = ({ scheduler, reference, inSync, message, generation }: Finding): JsonObject => ({
  schedulerName: scheduler,
  topologyReference: reference,
  inSync: inSync === true,
  ...(generation === undefined ? {} : { schedulerBackendTopologyObservedGeneration: generation }),
  ...(message === undefined ? {} : { message }),
});
