// How a sandboxwarmpool actor takes what happens into its context. Each function returns the next
// context, or the same one where it is no news.
import type { ObjectRef } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import {
  isWorthTelling,
  ownSeen,
  recorded,
  resolved,
  withErrors,
} from '../../contract/failure-log.ts';
import { isRetryable } from '../../contract/errors.ts';
import { compareVersions } from '../../kubernetes/versions.ts';
import type { FailedEffect } from '../../contract/failure-log.ts';
import { annotation } from '../objects/labels.ts';
import { memberName } from '../objects/member.ts';
import type { ObservedPool } from '../objects/pool.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { Orphans } from '../views/orphans.ts';
import { isAssigned } from './assigning/assigning.ts';
import { reducerBy } from './assigning/reduce.ts';
import type { PoolContext, PoolEvent } from './context.ts';
import { countedAnew, withMember } from './members.ts';
import { failedBy, noRefill, slowStart, succeeded, type Refill } from './refill.ts';
import { unsent, withoutChosen } from './removal.ts';

const assigning = reducerBy<PoolContext>(withMember);

export const reduce = (context: PoolContext, event: PoolEvent): PoolContext =>
  assigning.reduce(reducePool(context, event), event);

function reducePool(context: PoolContext, event: PoolEvent): PoolContext {
  switch (event.type) {
    case 'pool.observed':
      return withPool(context, event.observed);
    case 'pool.gone':
      return context.pool?.uid === event.uid ? { ...context, isGone: true } : context;
    case 'member.observed':
      return withSeen(context, event.observed);
    case 'member.left':
      return withLeft(context, event.observed);
    case 'templateByName.read':
      return { ...context, template: event.value, refill: readied(context.refill) };
    case 'orphansOfPool.read':
      return { ...context, orphans: ownOrphans(context, event.value) };
    case 'ordinalsOfPool.read':
      return { ...context, ordinals: event.value ?? new Set() };
    case 'startErrors.read':
      return { ...context, startErrors: event.value };
    case 'effect.done':
      return withDone(withAnswer(context, event.ref), event);
    case 'effect.failed':
      return withFailure(withAnswer(context, event.ref), event);
    case 'effect.retry':
      return withRetry(withAnswer(context, event.ref), event.ref);
    default:
      return context;
  }
}

function withPool(context: PoolContext, pool: ObservedPool): PoolContext {
  const seen = ownSeen(context, context.pool, pool);
  if (seen === undefined) return context;
  if (context.pool?.uid !== pool.uid) {
    return countedAnew(context, { ...seen, pool, refill: noRefill });
  }
  const isNew = context.pool.generation !== pool.generation;
  const { refill, removal } = context;
  const lifted = isNew ? { refill: readied(refill), removal: { ...removal, ...slowStart } } : {};
  return { ...context, ...seen, pool, ...lifted };
}

/** What was refused may be accepted of another spec. A number that was only ever refused for good
 *  was given to nobody; the runtime would pause for its name. */
function readied(refill: Refill): Refill {
  const { failure, spare, unsure } = refill;
  const isFinal = failure !== undefined && !isRetryable(failure.code);
  const kept = isFinal ? { spare: spare.filter((one) => unsure.includes(one)) } : {};
  return { ...refill, ...slowStart, ...kept };
}

function withSeen(context: PoolContext, observed: ObservedSandbox): PoolContext {
  const { members } = context;
  const { name } = observed;
  const before = members.get(name);
  if (before?.uid === observed.uid && before.resourceVersion === observed.resourceVersion) {
    return context;
  }
  const isOther = before !== undefined && before.uid !== observed.uid;
  const isOver = isOther || observed.deleting;
  const next = withMember(context, name, {
    members: members.set(name, observed),
    ...(isOver && { removal: withoutChosen(context.removal, name) }),
    refill: answered(context, observed),
  });
  return withErrors(next, resolved(next.errors, observed, 'create'));
}

/** A member of this name is there. */
function answered({ refill, pool }: PoolContext, { name, annotations }: ObservedSandbox): Refill {
  const { creating, unanswered, repeated, spare } = refill;
  const asked = creating.get(name);
  const number = asked ?? Number(annotations[annotation.ordinal]);
  // Members of an earlier pool of this name had the same numbers.
  const isOurs = pool !== undefined && memberName(pool, number) === name;
  const isSpare = isOurs && spare.includes(number);
  if (asked === undefined && !isSpare) return refill;
  const isOnItsWay = asked !== undefined && !repeated.has(name);
  return {
    ...refill,
    creating: creating.delete(name),
    unanswered: isOnItsWay ? unanswered.set(name, asked) : unanswered,
    repeated: repeated.delete(name),
    spare: isSpare ? spare.filter((one) => one !== number) : spare,
  };
}

function withLeft(context: PoolContext, left: ObservedSandbox): PoolContext {
  const { members, removal } = context;
  const { name, uid } = left;
  if (members.get(name)?.uid !== uid) return context;
  return withMember(context, name, {
    members: members.delete(name),
    removal: withoutChosen(removal, name),
    refill: awaited(context, left),
  });
}

/** It is asked for again, in so far as our create of it has no answer yet, or had none: what is
 *  gone may have been another controller's, and ours have taken its name. */
function awaited(context: PoolContext, { name, annotations }: ObservedSandbox): Refill {
  const { refill, pool } = context;
  const { creating, unanswered, spare, unsure } = refill;
  const asked = unanswered.get(name);
  if (asked !== undefined) {
    const others = unanswered.delete(name);
    return { ...refill, creating: creating.set(name, asked), unanswered: others };
  }
  const number = Number(annotations[annotation.ordinal]);
  const isUnsure = unsure.includes(number);
  if (!isUnsure || pool === undefined || memberName(pool, number) !== name) return refill;
  return isAssigned(context, name)
    ? { ...refill, unsure: unsure.filter((one) => one !== number) }
    : { ...refill, spare: [...spare, number] };
}

/** No create of it is on its way any more: an object has one write in flight. */
function withAnswer(context: PoolContext, { kind, name }: ObjectRef): PoolContext {
  const { refill } = context;
  if (kind !== 'Sandbox' || !refill.unanswered.has(name)) return context;
  return { ...context, refill: { ...refill, unanswered: refill.unanswered.delete(name) } };
}

function withDone(
  context: PoolContext,
  { op, ref }: Extract<CommonEvent, { type: 'effect.done' }>,
): PoolContext {
  const { refill, removal, members, settings, pool } = context;
  const { maxBatchSize } = settings.warmPool;
  const next = withErrors(context, resolved(context.errors, ref));
  if (op === 'status' && ref.kind === 'SandboxWarmPool') {
    // The reply was observed before this: what it lacks the server has dropped.
    const isPruned = pool !== undefined && pool.status['conditions'] === undefined;
    return isPruned === context.isPruned ? next : { ...next, isPruned };
  }
  if (ref.kind !== 'Sandbox') return next;
  // What the reply shows was observed before this: one that is gone or going is no choice any more.
  const isGoing = members.get(ref.name)?.deleting !== false;
  if (op === 'delete' && isGoing) {
    const sent = removal.sent.delete(ref.name);
    return { ...next, removal: { ...removal, ...succeeded(removal, maxBatchSize), sent } };
  }
  // An earlier one of that name is gone.
  if (op === 'delete') return { ...next, removal: unsent(removal, ref.name) };
  const isMade = members.has(ref.name) || refill.creating.has(ref.name);
  if (op !== 'create' || !isMade) return next;
  const well = { ...refill, ...succeeded(refill, maxBatchSize), failure: undefined };
  // It was there and is gone again, or nobody wanted it any more: its number is free.
  return { ...next, refill: spared(well, ref.name) };
}

/** A number that nobody is known to have is asked for again before any other. */
function spared(refill: Refill, name: string): Refill {
  const ordinal = refill.creating.get(name);
  if (ordinal === undefined) return refill;
  return {
    ...refill,
    creating: refill.creating.delete(name),
    repeated: refill.repeated.delete(name),
    spare: [ordinal, ...refill.spare],
  };
}

function withFailure(context: PoolContext, event: FailedEffect): PoolContext {
  const { op, ref, code, message, now, retryAt } = event;
  const { refill, removal } = context;
  if (ref.kind !== 'Sandbox' || (op === 'create' && !refill.creating.has(ref.name))) {
    return context;
  }
  const isTold = isWorthTelling(event);
  if (op === 'delete' && removal.sent.has(ref.name)) {
    const slow = isTold ? failedBy(removal, now, retryAt) : {};
    const next = { ...context, removal: { ...unsent(removal, ref.name), ...slow } };
    return withErrors(next, recorded(next.errors, event));
  }
  if (op !== 'create') {
    const isOurs = isTended(context, ref.name);
    return isOurs ? withErrors(context, recorded(context.errors, event)) : context;
  }
  // Somebody else has the name, which is no failure of the refill: the next number has another.
  if (code === 'ALREADY_EXISTS') {
    const number = refill.creating.get(ref.name);
    const creating = refill.creating.delete(ref.name);
    const unsure = refill.unsure.filter((one) => one !== number);
    return { ...context, refill: { ...refill, creating, unsure } };
  }
  const slow = failedBy(refill, now, retryAt);
  const failure = isTold ? { code, message } : refill.failure;
  const number = refill.creating.get(ref.name);
  const isUnsure = number !== undefined && isRetryable(code) && !refill.unsure.includes(number);
  const unsure = isUnsure ? [...refill.unsure, number] : refill.unsure;
  return { ...context, refill: { ...spared(refill, ref.name), ...slow, failure, unsure } };
}

function withRetry(context: PoolContext, { kind, name }: ObjectRef): PoolContext {
  const { refill, removal } = context;
  if (kind !== 'Sandbox') return context;
  if (refill.creating.has(name)) {
    return { ...context, refill: { ...refill, repeated: refill.repeated.set(name, true) } };
  }
  return removal.sent.has(name) ? { ...context, removal: unsent(removal, name) } : context;
}

/** Claims have failures of their own on other members. */
const isTended = ({ orphans, unlabelled }: PoolContext, name: string): boolean =>
  orphans.has(name) || unlabelled.has(name);

/** Of pools whose names have the same hash each knows its own, where we have made them (H1). Those
 *  that were known keep their places. Of the others who has been without an owner for longest comes
 *  first: another controller may have sent its adoption. */
function ownOrphans(
  { key, orphans: before }: PoolContext,
  orphans: Orphans = new Map(),
): PoolContext['orphans'] {
  const own = [...orphans].filter(
    ([, { annotations }]) => (annotations[annotation.pool] ?? key.name) === key.name,
  );
  const places = new Map([...before.keys()].map((name, place) => [name, place]));
  const placeOf = (name: string): number => places.get(name) ?? places.size;
  return new Map(
    own.toSorted(
      ([one, a], [other, b]) =>
        placeOf(one) - placeOf(other) ||
        (compareVersions(a.resourceVersion, b.resourceVersion) ?? 0),
    ),
  );
}
