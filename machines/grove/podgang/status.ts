// The status of a PodGang: condition Initialized and the phase (spec controllers 2.4, 3.3). One
// write, True, when everything is there: no False before it (write budget). What a scheduler wrote
// there is kept, conditions by type (10.2 gap 15).
import type { WriteStatus } from '../../contract/intents.ts';
import { unparkedConditions } from '../../contract/supervision.ts';
import { withCondition } from '../../kubernetes/conditions.ts';
import type { Condition } from '../../kubernetes/conditions.ts';
import { text } from '../../kubernetes/json.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { ConditionRows } from '../../statechart/define.ts';
import { placeOf } from '../objects/place.ts';
import type { ObservedGang } from '../objects/podgang.ts';
import type { GangContext } from './context.ts';
import { refOf } from './steps.ts';

/** Nothing is said while it collects, and what was said stays as it is. */
export const initialized: ConditionRows<GangContext, ObservedGang> = {
  region: 'initialization',
  rows: {
    complete: {
      status: 'True',
      reason: 'PodGangPodsCreated',
      message: () => 'PodGang is fully initialized',
    },
  },
};

/** Its pods carry our gate until it is initialized and its base gang is scheduled. */
const isScaled = ({ set, name }: ObservedGang): boolean => (placeOf(set, name)?.slot ?? '') !== '';

/** The whole status, or undefined while there is nothing to say. */
export function writeStatus(
  _: GangContext,
  gang: ObservedGang,
  fromStates: readonly Condition[],
  now: EpochMs,
): WriteStatus | undefined {
  const isNeeded =
    fromStates.length > 0 || gang.isInitialized || gang.status['phase'] !== undefined;
  if (!isNeeded) return undefined;
  const kept = unparkedConditions(gang.status);
  const conditions = fromStates.reduce(
    (list, condition) => withCondition(list, condition, now),
    kept,
  );
  const { conditions: __, ...others } = gang.status;
  return {
    type: 'writeStatus',
    ref: refOf(gang),
    reason: 'all pods of the gang exist',
    uid: gang.uid,
    status: {
      ...others,
      phase: text(gang.status['phase']) || 'Pending',
      ...(conditions.length > 0 ? { conditions: [...conditions] } : {}),
    },
    urgency: isScaled(gang) ? 'first' : 'now',
  };
}
