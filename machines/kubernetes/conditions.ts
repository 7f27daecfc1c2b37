// Conditions in a status: set by type with a transition time that moves only when the status value
// does, everything else on the list kept (spec controllers 2). Used by every status.ts.
import { at, isObject, list, text } from './json.ts';
import type { JsonObject } from './objects.ts';
import { rfc3339, type EpochMs } from './time.ts';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  /** Generation of the object that was judged, where the type says it. */
  readonly observedGeneration?: number;
}

/** The conditions of a status as they are, unknown fields and all. */
export const conditionsOf = (status: unknown): readonly JsonObject[] =>
  list(at(status, 'conditions')).filter(isObject);

/** Status value of one condition, or undefined when it is not there. */
export const conditionStatus = (
  conditions: readonly JsonObject[],
  type: string,
): string | undefined => {
  const found = conditions.find((condition) => condition['type'] === type);
  return found === undefined ? undefined : text(found['status']);
};

/** The list with this condition set; the same list where it already says so. `since`: what
 *  the time of the change is, by what was there before. */
export function withCondition(
  conditions: readonly JsonObject[],
  condition: Condition,
  now: EpochMs,
  since: (old: JsonObject | undefined) => EpochMs = () => now,
): readonly JsonObject[] {
  const old = conditions.find((other) => other['type'] === condition.type);
  if (old !== undefined && saysTheSame(old, condition)) return conditions;
  const isSame = old !== undefined && old['status'] === condition.status;
  const next: JsonObject = {
    ...old,
    ...condition,
    lastTransitionTime: isSame ? text(old['lastTransitionTime']) : rfc3339(since(old)),
  };
  if (old === undefined) return [...conditions, next];
  return conditions.map((other) => (other === old ? next : other));
}

export const withoutCondition = (
  conditions: readonly JsonObject[],
  type: string,
): readonly JsonObject[] => conditions.filter((condition) => condition['type'] !== type);

const saysTheSame = (old: JsonObject, condition: Condition): boolean =>
  old['status'] === condition.status &&
  old['reason'] === condition.reason &&
  old['message'] === condition.message &&
  (condition.observedGeneration === undefined ||
    old['observedGeneration'] === condition.observedGeneration);
