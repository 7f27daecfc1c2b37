// The status of a PodGang: condition Initialized and the phase (spec controllers 2.4, 3.3). One
// write, True, when everything is there: no False before it (write budget). What a scheduler wrote
// there is kept, conditions by type (10.2 gap 15).
import { withCondition } from '../conditions.ts';
import { text } from '../json.ts';
import type { JsonObject } from '../objects.ts';
import { unparkedConditions } from '../supervision.ts';
import type { EpochMs } from '../vocabulary.ts';
import { isComplete } from './context.ts';
import type { GangContext } from './context.ts';
import type { GangFact } from './facts.ts';

const initialized = {
  type: 'Initialized',
  status: 'True',
  reason: 'PodGangPodsCreated',
  message: 'PodGang is fully initialized',
} as const;

/**
 * The whole status, or undefined while there is nothing to say. Initialized never goes back to
 * False: the scheduler acts on it once.
 */
export function statusOf(
  context: GangContext,
  gang: GangFact,
  now: EpochMs,
): JsonObject | undefined {
  const kept = unparkedConditions(gang.status);
  const isDone = gang.isInitialized || isComplete(context);
  if (!isDone && gang.status['phase'] === undefined) return undefined;
  const conditions = isDone && !gang.isInitialized ? withCondition(kept, initialized, now) : kept;
  const { conditions: _, ...others } = gang.status;
  return {
    ...others,
    phase: text(gang.status['phase']) || 'Pending',
    ...(conditions.length > 0 ? { conditions: [...conditions] } : {}),
  };
}
