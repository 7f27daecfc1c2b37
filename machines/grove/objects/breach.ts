// What gang termination reads from the conditions of a PodClique and of a scaling group: since when
// each is below its minimum, where that counts. Only what was good before is ever terminated (spec
// controllers 4.1, 10.1 rule 27). Used by the readers of both, and by those who write the
// conditions.
import { conditionsOf, type Condition } from '../../kubernetes/conditions.ts';
import { text, word } from '../../kubernetes/json.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { epoch, type EpochMs } from '../../kubernetes/time.ts';

/** Types of conditions. */
export const scheduledType = 'PodCliqueScheduled';
export const breachedType = 'MinAvailableBreached';
/** On a scaling group: its replica of the set was terminated, and it was not sound since. */
export const terminatedType = 'GangTerminationInProgress';

/** What turns bad so soon after the object was created was never good. */
const birthMs = 5_000;

const find = (status: JsonObject, type: string): JsonObject | undefined =>
  conditionsOf(status).find((one) => one['type'] === type);

const sinceOf = (condition: JsonObject | undefined): EpochMs | undefined =>
  epoch(condition?.['lastTransitionTime']);

/** A condition turned to what it says later than just after the creation. */
const hasTurned = (condition: JsonObject | undefined, { createdAt }: Pick<Meta, 'createdAt'>) =>
  (sinceOf(condition) ?? 0) > (createdAt ?? Infinity) + birthMs;

/** Status of the condition; absent: nothing is known yet, which is neither breached nor sound (10.2
 *  gap 17). */
export const breachStatus = (status: JsonObject): string | undefined =>
  word(find(status, breachedType)?.['status']);

/** In an update it is Unknown, and not breached. */
export const isSoundStatus = (breach: string | undefined): boolean =>
  breach !== undefined && breach !== 'True';

/** Undefined where it is not breached, or is not sure to have been scheduled before. */
export function breachOfClique(meta: Meta, status: JsonObject): EpochMs | undefined {
  const breach = find(status, breachedType);
  const scheduled = find(status, scheduledType);
  const wasScheduled = scheduled?.['status'] === 'True' || hasTurned(scheduled, meta);
  return breach?.['status'] === 'True' && wasScheduled ? sinceOf(breach) : undefined;
}

/** Undefined also where it was terminated and not sound since. */
export function breachOfGroup(
  meta: Pick<Meta, 'createdAt'>,
  status: JsonObject,
): EpochMs | undefined {
  const breach = find(status, breachedType);
  const isNew = breach?.['status'] === 'True' && hasTurned(breach, meta);
  return isNew && !isTerminated(status) ? sinceOf(breach) : undefined;
}

export const isTerminated = (status: JsonObject): boolean =>
  find(status, terminatedType)?.['status'] === 'True';

/** For people. */
export const messageOfBreach = ({ status }: { readonly status: JsonObject }): string =>
  text(find(status, breachedType)?.['message']);

/**
 * Since when a condition is so: what is bad when it is written for the first time was so from the
 * beginning, however late that is.
 */
export const sinceBirth =
  ({ createdAt }: Pick<Meta, 'createdAt'>, now: EpochMs) =>
  ({ type, status }: Condition, old: JsonObject | undefined): EpochMs => {
    const isBad =
      (type === breachedType && status === 'True') ||
      (type === scheduledType && status === 'False');
    return isBad && old === undefined ? Math.min(now, createdAt ?? now) : now;
  };

/** The same of a scaling group, where an update of one that was never sound changes nothing about
 *  that, also one that runs when its first status is written: no other condition of it tells. */
export const sinceBirthOfGroup =
  (meta: Pick<Meta, 'createdAt'>, now: EpochMs) =>
  (condition: Condition, old: JsonObject | undefined): EpochMs => {
    const isOfBreach = condition.type === breachedType && condition.status !== 'False';
    if (isOfBreach && old === undefined) return Math.min(now, meta.createdAt ?? now);
    const wasNeverSound = old !== undefined && old['status'] !== 'False' && !hasTurned(old, meta);
    const birth = isOfBreach && wasNeverSound ? sinceOf(old) : undefined;
    return birth ?? sinceBirth(meta, now)(condition, old);
  };
