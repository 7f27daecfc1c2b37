// The status of a ClusterTopologyBinding: what each backend has of it, and the condition that says
// whether one drifted (spec controllers 1.5). Pure.
import type { WriteStatus } from '../../contract/intents.ts';
import { unparkedConditions } from '../../contract/supervision.ts';
import {
  conditionStatus,
  conditionsOf,
  withCondition,
  withoutCondition,
} from '../../kubernetes/conditions.ts';
import type { Condition } from '../../kubernetes/conditions.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { ConditionRows } from '../../statechart/define.ts';
import type { ObservedBinding } from '../objects/topologybinding.ts';
import { findingsOf } from './backends.ts';
import type { Finding } from './backends.ts';
import { refOf } from './context.ts';
import type { BindingContext } from './context.ts';

export const driftType = 'SchedulerTopologyDrift';

export const drift: ConditionRows<BindingContext, ObservedBinding> = {
  region: 'sync',
  rows: {
    unmanaged: undefined,
    unavailable: {
      status: 'Unknown',
      reason: 'TopologyNotFound',
      message: () =>
        'One or more referenced scheduler backends are unavailable for topology management',
    },
    inSync: {
      status: 'False',
      reason: 'InSync',
      message: () => 'All scheduler backend topologies are in sync',
    },
    drifted: {
      status: 'True',
      reason: 'Drift',
      message: () => 'One or more scheduler backend topologies have drifted',
    },
  },
};

/** The value of the drift condition as it was written; undefined where there is none. */
export const writtenDrift = (binding: ObservedBinding): string | undefined =>
  conditionStatus(conditionsOf(binding.status), driftType);

/** Undefined while a topology is being written. */
export function writeStatus(
  context: BindingContext,
  binding: ObservedBinding,
  fromStates: readonly Condition[],
  now: EpochMs,
): WriteStatus | undefined {
  const findings = findingsOf(context, binding);
  if (findings.some(({ inSync }) => inSync === undefined)) return undefined;
  const kept = unparkedConditions(binding.status);
  const [condition] = fromStates;
  const conditions =
    condition === undefined
      ? withoutCondition(kept, driftType)
      : withCondition(kept, condition, now);
  const { conditions: _, schedulerTopologyStatuses: __, ...others } = binding.status;
  const isWhole = findings.every(({ isFailure }) => isFailure !== true);
  return {
    type: 'writeStatus',
    ref: refOf(binding),
    reason: `topology ${condition?.reason ?? 'is looked after by nobody'}`,
    uid: binding.uid,
    status: {
      ...others,
      ...(isWhole ? { observedGeneration: binding.generation } : {}),
      ...(conditions.length > 0 ? { conditions: [...conditions] } : {}),
      ...(findings.length > 0 ? { schedulerTopologyStatuses: findings.map(entryOf) } : {}),
    },
    urgency: 'now',
  };
}

const entryOf = ({ scheduler, reference, inSync, message, generation }: Finding): JsonObject => ({
  schedulerName: scheduler,
  topologyReference: reference,
  inSync: inSync === true,
  ...(generation === undefined ? {} : { schedulerBackendTopologyObservedGeneration: generation }),
  ...(message === undefined ? {} : { message }),
});
