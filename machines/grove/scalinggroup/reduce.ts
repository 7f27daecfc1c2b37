// How a scalinggroup actor takes what happens into its context. Each function returns the next
// context, or the same one where it is no news.
import type { ObjectRef } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { isOrphaning } from '../../kubernetes/deletion.ts';
import { withChildOf, withoutErrorsOf, type ChildEvent } from '../children/reduce.ts';
import { reduceSharing, withFailedWrite, withTouched } from '../claims/reduce.ts';
import { ownSeen, resolved, withErrors, type FailedEffect } from '../failure-log.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import type { SetEvent, SharingEvent } from '../views/claim-template.ts';
import { memberTable } from './children/member.ts';
import type { GroupContext } from './context.ts';

export type GroupEvent =
  | CommonEvent
  | SharingEvent
  | { readonly type: 'group.observed'; readonly observed: ObservedGroup }
  | { readonly type: 'group.gone'; readonly uid: string }
  | SetEvent
  | ChildEvent;

export function reduce(context: GroupContext, event: GroupEvent): GroupContext {
  switch (event.type) {
    case 'group.observed':
      return withGroup(context, event.observed);
    case 'set.read':
      return { ...context, set: event.set };
    case 'child.observed':
    case 'child.gone':
      return withChild(context, event);
    case 'claim.observed':
    case 'claim.gone':
    case 'claimTemplate.read':
      return reduceSharing(context, event);
    case 'effect.failed':
      return withReplicaOf(withFailed(context, event), event.ref);
    case 'effect.done':
      return withReplicaOf(withErrors(context, resolved(context.errors, event.ref)), event.ref);
    case 'effect.retry':
      return withReplicaOf(context, event.ref);
    case 'group.gone':
      return context.group?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      return context;
  }
}

function withGroup(context: GroupContext, observed: ObservedGroup): GroupContext {
  const seen = ownSeen(context, context.group, observed);
  if (seen === undefined) return context;
  return {
    ...context,
    ...seen,
    group: observed,
    // The new chance is one for any replica.
    ...(context.errors.length > seen.errors.length ? { planned: undefined } : {}),
    isOrphaning: context.isOrphaning || isOrphaning(observed),
  };
}

function withChild(context: GroupContext, event: ChildEvent): GroupContext {
  const next = withChildOf(memberTable, context, context.key.name, event);
  return withErrors(next, withoutErrorsOf(context.errors, event, context.key.namespace));
}

const withFailed = (context: GroupContext, event: FailedEffect): GroupContext =>
  withFailedWrite(memberTable, context, event, context.group?.replicas ?? 0);

/** Something happened that is no fact: the replica that it is about is planned again. */
const withReplicaOf = (context: GroupContext, ref: ObjectRef): GroupContext =>
  withTouched(memberTable, context, ref);
