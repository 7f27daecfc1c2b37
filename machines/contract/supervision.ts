// The status of an object whose actor was parked by its supervisor. The runtime writes it in the
// machine's place; the next normal status takes the condition away again.
import { conditionsOf, withCondition, withoutCondition } from '../kubernetes/conditions.ts';
import type { Condition } from '../kubernetes/conditions.ts';
import { object } from '../kubernetes/json.ts';
import type { JsonObject } from '../kubernetes/objects.ts';
import type { EpochMs } from '../kubernetes/time.ts';
import type { ConditionReason } from './condition-reasons.ts';
import { maxTextLength } from './limits.ts';

const parkedType = 'Parked';
export const readyType = 'Ready';
const parkedReason: ConditionReason = 'RestartIntensityExceeded';
/** It was not a crash: the object cannot be read, or somebody asked for it. */
const stoppedReason: ConditionReason = 'Stopped';

/**
 * The whole status to write for a parked object: the observed one with condition `Parked`, and what
 * the CRD asks for in any status (`Behaviour.requiredStatus`). `error`
 * is a text, `restarts` the count within the supervisor's window.
 */
export function parkedStatus(
  required: JsonObject,
  observedStatus: unknown,
  cause: {
    readonly error: string;
    readonly restarts: number;
    readonly now: EpochMs;
    /** Nobody finds out any more whether it is ready. */
    readonly hasReady: boolean;
  },
): JsonObject {
  const hasRestarted = cause.restarts > 0;
  const after = hasRestarted ? ` after ${cause.restarts} restarts` : '';
  const message =
    `Stopped${after}; a change of the spec starts it again. ` +
    `${hasRestarted ? 'Last error' : 'Reason'}: ${cause.error.slice(0, maxTextLength)}`;
  const why = { reason: hasRestarted ? parkedReason : stoppedReason, message };
  const told: readonly Condition[] = [
    { type: parkedType, status: 'True', ...why },
    ...(cause.hasReady ? [{ type: readyType, status: 'Unknown', ...why } as const] : []),
  ];
  const conditions = told.reduce(
    (list, condition) => withCondition(list, condition, cause.now),
    conditionsOf(observedStatus),
  );
  return { ...required, ...object(observedStatus), conditions: [...conditions] };
}

/** Conditions of a status without `Parked`: where every normal status starts from. */
export const unparkedConditions = (status: unknown): readonly JsonObject[] =>
  withoutCondition(conditionsOf(status), parkedType);

/** What conditions are about, and when they change. */
interface Judged {
  /** The generation; absent: what is there keeps its number, and a new number alone is no reason
   *  for a write. */
  readonly generation?: number | undefined;
  /** See `withCondition`. */
  readonly since?: (condition: Condition, old: JsonObject | undefined) => EpochMs;
}

/** The same with these set. */
export const withConditions = (
  status: unknown,
  set: readonly Condition[],
  now: EpochMs,
  { generation, since = () => now }: Judged = {},
): readonly JsonObject[] =>
  set
    .map((condition) =>
      generation === undefined ? condition : { ...condition, observedGeneration: generation },
    )
    .reduce(
      (list, condition) => withCondition(list, condition, now, (old) => since(condition, old)),
      unparkedConditions(status),
    );
