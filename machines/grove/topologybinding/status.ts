// The status of a ClusterTopologyBinding: what each backend has of it, and the condition that says
// whether one drifted (spec controllers 1.5); and its steps: topologies of the backends as its
// levels say, and an Event when they drift or are in sync again.
import type { Intent, WriteStatus } from '../../contract/intents.ts';
import { unparkedConditions } from '../../contract/supervision.ts';
import {
  conditionsOf,
  conditionStatus,
  withCondition,
  withoutCondition,
  type Condition,
} from '../../kubernetes/conditions.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { ConditionRows } from '../../statechart/define.ts';
import type { ObservedBinding } from '../objects/topologybinding.ts';
import { findingsOf, planTopologies, type Finding } from './backends.ts';
import type { BindingContext } from './context.ts';
import type { Rule } from '../../statechart/region.ts';
import { idle, type StepResult } from '../../statechart/step.ts';
import { normal, statusOf, warning } from '../../contract/object-intents.ts';

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
  const status = {
    ...others,
    ...(isWhole ? { observedGeneration: binding.generation } : {}),
    ...(conditions.length > 0 ? { conditions: [...conditions] } : {}),
    ...(findings.length > 0 ? { schedulerTopologyStatuses: findings.map(entryOf) } : {}),
  };
  const reason = `topology ${condition?.reason ?? 'is looked after by nobody'}`;
  return statusOf(binding, reason, status, 'now');
}

const entryOf = ({ scheduler, reference, inSync, message, generation }: Finding): JsonObject => ({
  schedulerName: scheduler,
  topologyReference: reference,
  inSync: inSync === true,
  ...(generation === undefined ? {} : { schedulerBackendTopologyObservedGeneration: generation }),
  ...(message === undefined ? {} : { message }),
});

type Step = Rule<BindingContext, ObservedBinding, StepResult<BindingContext>>;

export const ensureTopologies: Step = (context, binding) => ({
  intents: planTopologies(context, binding),
  changes: {},
});

export const announceDrift: Step = (context, binding) => {
  const notes = findingsOf(context, binding).flatMap(({ message, scheduler }) =>
    message === undefined ? [] : [`${scheduler}: ${message}`],
  );
  const event = warning(binding, 'TopologyDriftDetected', notes.join('; '));
  return tell(context, binding, 'True', event);
};

export const announceInSync: Step = (context, binding) => {
  const note = 'The topologies of all scheduler backends are in sync';
  return tell(context, binding, 'False', normal(binding, 'TopologyInSync', note));
};

/** On a change only; after a start what the condition says counts as told. */
function tell(
  { lastReported }: BindingContext,
  { status }: ObservedBinding,
  drift: 'True' | 'False',
  event: Intent,
): StepResult<BindingContext> {
  const told = lastReported ?? conditionStatus(conditionsOf(status), driftType);
  return {
    intents: told === drift ? [] : [event],
    changes: drift === lastReported ? {} : { lastReported: drift },
  };
}

/** Nobody can say whether it drifted: what comes next is news. */
export const forgetDrift: Step = ({ lastReported }) =>
  lastReported === 'Unknown' ? idle : { intents: [], changes: { lastReported: 'Unknown' } };
