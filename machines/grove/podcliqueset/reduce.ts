// How a podcliqueset actor takes what happens into its context. Each function returns the next
// context, or the same one where it is no news. A fact about a replica touches that replica only.
import type { ObjectRef } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { isOrphaning } from '../../kubernetes/deletion.ts';
import {
  childOf,
  hasRow,
  kindOf,
  nameOf,
  taken,
  withChildOf,
  withoutErrorsOf,
  type ChildEvent,
} from '../children/reduce.ts';
import type { ObservedChild } from '../children/type.ts';
import { reduceSharing, withFailedWrite, withTouched } from '../claims/reduce.ts';
import {
  isWorthTelling,
  ownSeen,
  recorded,
  resolved,
  withErrors,
} from '../../contract/failure-log.ts';
import type { ErrorEntry, FailedEffect, FailureLog } from '../../contract/failure-log.ts';
import { secretName } from '../objects/names.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { AccessKind } from '../objects/set-children.ts';
import type { DomainNews, SetContext, Several, Token } from './context.ts';
import type { SharingEvent } from '../views/claim-template.ts';
import type { FailuresEvent, GangFailure } from '../views/gang-template.ts';
import type { LevelsEvent } from '../views/topology.ts';
import { accessTable } from './children/access.ts';
import { replicaTable } from './children/table.ts';
import { unwritten } from '../objects/progress.ts';
import { writtenRollout } from './rollout.ts';
import {
  tokenSeen,
  tokenToDelete,
  withForeignAccount,
  withMade,
  withRefusedCreate,
  withResync,
} from './token.ts';

export type SetEvent =
  | CommonEvent
  | SharingEvent
  | { readonly type: 'set.observed'; readonly observed: ObservedSet }
  | { readonly type: 'set.gone'; readonly uid: string }
  | ChildEvent
  | LevelsEvent
  | FailuresEvent;

export function reduce(context: SetContext, event: SetEvent): SetContext {
  switch (event.type) {
    case 'set.observed':
      return withSet(context, event.observed);
    case 'child.observed':
    case 'child.gone':
      return withChild(context, event);
    case 'claim.observed':
    case 'claim.gone':
    case 'claimTemplate.read':
      return reduceSharing(context, event);
    case 'topologyLevels.read':
      return { ...context, levels: event.value };
    case 'gangFailures.read':
      return withGangFailures(context, event.value ?? []);
    case 'effect.failed':
      return withReplicaOf(withFailure(context, event), event.ref);
    case 'effect.done':
      return withReplicaOf(withSuccess(context, event), event.ref);
    case 'effect.retry':
      return withReplicaOf(context, event.ref);
    case 'set.gone':
      return context.set?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      return context;
  }
}

function withSuccess(context: SetContext, event: DoneEffect): SetContext {
  const { op, ref } = event;
  const errors = resolved(context.errors, ref);
  if (isToken(context, ref)) return { ...context, errors, token: withAnswer(context, event) };
  const news = ref.kind === 'ComputeDomain' ? newsOf[op] : undefined;
  if (news === undefined) return { ...context, errors };
  const { [news]: before } = context.domainNews;
  const several: Several = { first: before?.first ?? ref.name, many: (before?.many ?? 0) + 1 };
  return { ...context, errors, domainNews: { ...context.domainNews, [news]: several } };
}

const isToken = ({ key }: SetContext, { kind, name }: ObjectRef): boolean =>
  kind === 'Secret' && name === secretName(key.name);

/** Without a UID it was not answered: the runtime holds the error to be over. */
function withAnswer(context: SetContext, { op, uid }: DoneEffect): Token {
  if (op === 'delete') return { ...context.token, isGone: true };
  return uid === undefined ? context.token : withMade(context, uid);
}

type DoneEffect = Extract<CommonEvent, { readonly type: 'effect.done' }>;

const newsOf: Partial<Record<DoneEffect['op'], keyof DomainNews>> = {
  create: 'made',
  delete: 'gone',
};

/** Something happened that is no fact: the replica that it is about is planned again. */
const withReplicaOf = (context: SetContext, ref: ObjectRef): SetContext =>
  withTouched(replicaTable, context, ref);

function withSet(context: SetContext, observed: ObservedSet): SetContext {
  const seen = ownSeen(context, context.set, observed);
  if (seen === undefined) return context;
  const isChance = context.errors.length > seen.errors.length;
  return {
    ...context,
    ...seen,
    set: observed,
    decided: unwritten(
      context.set?.uid === observed.uid ? context.decided : undefined,
      writtenRollout(observed),
    ),
    token: tokenSeen(context, observed),
    // The new chance is one for any replica.
    ...(isChance ? { errors: context.errors.filter(isOfGang), planned: undefined } : {}),
    isOrphaning: context.isOrphaning || isOrphaning(observed),
  };
}

function withFailure(context: SetContext, event: FailedEffect): SetContext {
  if (isToken(context, event.ref)) return withTokenFailure(context, event);
  if (hasRow(accessTable, event.ref.kind)) return withAccessFailure(context, event);
  return withFailedWrite(replicaTable, context, event, context.set?.replicas ?? 0);
}

function withAccessFailure(before: SetContext, event: FailedEffect): SetContext {
  const { op, ref, code } = event;
  const isTaken = op === 'create' && ref.kind === 'ServiceAccount' && code === 'ALREADY_EXISTS';
  const context = isTaken ? { ...before, token: withForeignAccount(before.token) } : before;
  const child = childAt(context, ref);
  // A write whose answer was an error may have been done all the same, and be seen already.
  if (op === 'create' && child !== undefined) return context;
  const next = { ...context, errors: recorded(context.errors, event) };
  const isRefusal = op === 'delete' && child !== undefined && isWorthTelling(event);
  return isRefusal ? withRefusedAccess(next, child.uid) : next;
}

/** The podgang actor writes for the set, so the set's status tells of it. */
function withGangFailures(context: SetContext, failures: readonly GangFailure[]): SetContext {
  const { namespace } = context.key;
  const failed = new Set(failures.map(({ gang }) => gang));
  const others = context.errors.filter((entry) => !isOfGang(entry) || failed.has(entry.ref.name));
  const errors = failures.reduce<FailureLog>((book, { gang, at: now, ...failure }) => {
    const ref = { kind: 'PodGang', namespace, name: gang } as const;
    return recorded(book, { op: 'patch', ref, ...failure, now });
  }, others);
  return { ...context, errors };
}

/** The set itself patches no PodGang. */
const isOfGang = ({ op, ref }: ErrorEntry): boolean => op === 'patch' && ref.kind === 'PodGang';

/** That the name of the token Secret is taken is no error yet: its owner may be us. */
function withTokenFailure(context: SetContext, event: FailedEffect): SetContext {
  const { op, ref, code } = event;
  const isTaken = op === 'create' && code === 'ALREADY_EXISTS';
  const errors = isTaken ? resolved(context.errors, ref) : recorded(context.errors, event);
  if (op === 'create') return { ...context, errors, token: withRefusedCreate(context, code) };
  const uid = context.set && tokenToDelete(context, context.set);
  const next = { ...context, errors };
  return uid !== undefined && isWorthTelling(event) ? withRefusedAccess(next, uid) : next;
}

const withRefusedAccess = (context: SetContext, uid: string): SetContext => ({
  ...context,
  refusedAccess: new Set([...context.refusedAccess, uid]),
});

function childAt(context: SetContext, ref: ObjectRef): ObservedChild | undefined {
  const { key, access } = context;
  if (!hasRow(accessTable, ref.kind)) return childOf(replicaTable, context, key.name, ref);
  const place = accessTable[ref.kind].place(key.name, ref.name);
  return place && access[ref.kind].get(place.slot);
}

function withChild(context: SetContext, event: ChildEvent): SetContext {
  const kind = kindOf(event);
  const next = hasRow(accessTable, kind)
    ? withAccess(context, kind, event)
    : withChildOf(replicaTable, context, context.key.name, event);
  return withErrors(next, withoutErrorsOf(context.errors, event, context.key.namespace));
}

function withAccess(context: SetContext, kind: AccessKind, event: ChildEvent): SetContext {
  const { slot } = accessTable[kind].place(context.key.name, nameOf(event)) ?? {};
  if (slot === undefined) return context;
  const now = taken(accessTable, kind, { family: context.access, slot }, event);
  if (now === undefined) return context;
  const before = context.access[kind].get(slot);
  const next = now.family[kind].get(slot)?.uid;
  const isOther = before === undefined ? context.token.isForeign : before.uid !== next;
  const token = isOther ? tokenWithout(context, kind) : context.token;
  return { ...context, access: now.family, token };
}

/** Kubernetes deletes the token Secrets of a ServiceAccount that went. */
const tokenWithout = ({ token }: SetContext, kind: AccessKind): Token =>
  kind === 'ServiceAccount' ? { ...withResync(token), isForeign: false } : token;
