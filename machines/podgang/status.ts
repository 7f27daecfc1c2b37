// The status of a PodGang: condition Initialized and the phase (spec controllers 2.4, 3.3). One
// write, True, when everything is there: no False before it (write budget). What a scheduler wrote
// there is kept, conditions by type (10.2 gap 15).
import { placeOf } from '../children/place.ts';
import { withCondition } from '../conditions.ts';
import type { Condition } from '../conditions.ts';
import { text } from '../json.ts';
import type { ConditionRows } from '../statechart/define.ts';
import { unparkedConditions } from '../supervision.ts';
import type { EpochMs, WriteStatus } from '../vocabulary.ts';
import type { GangContext } from './context.ts';
import type { GangFact } from './facts.ts';
import { refOf } from './steps.ts';

/** Nothing is said while it collects, and what was said stays as it is. */
export const initialized: ConditionRows<GangContext, GangFact> = {
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
const isScaled = ({ set, name }: GangFact): boolean => (placeOf(set, name)?.slot ?? '') !== '';

/** The whole status, or undefined while there is nothing to say. */
export function writeStatus(
  _: GangContext,
  gang: GangFact,
  said: readonly Condition[],
  now: EpochMs,
): WriteStatus | undefined {
  const isSaid = said.length > 0 || gang.isInitialized || gang.status['phase'] !== undefined;
  if (!isSaid) return undefined;
  const kept = unparkedConditions(gang.status);
  const conditions = said.reduce((list, condition) => withCondition(list, condition, now), kept);
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
