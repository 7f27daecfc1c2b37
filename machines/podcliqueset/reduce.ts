// How a podcliqueset actor takes what happens into its context. Each function returns the next
// context, or the same one where it is no news. A fact about a replica touches that replica only.
import { reduceSharing } from '../claims/reduce.ts';
import type { SharingEvent } from '../claims/facts.ts';
import { isOrphaning } from '../deletion.ts';
import { isWorthTelling, noted, struck } from '../errorbook.ts';
import type { FailedEffect } from '../errorbook.ts';
import { isOwnNews } from '../meta.ts';
import { isEqual } from '../merge.ts';
import type { ObjectRef } from '../objects.ts';
import { set as setAt } from '../radix.ts';
import type { Level } from '../topologybinding/facts.ts';
import type { CommonEvent } from '../vocabulary.ts';
import { isAccessNews } from './childfacts.ts';
import type { AccessFact, AccessKind } from './childfacts.ts';
import { changesOf, childKinds, newerVersion } from './childnews.ts';
import type { ChildEvent, Named } from './childnews.ts';
import { claimAt, claimShelf } from './claims.ts';
import { accessOf, childrenOf, replicaAt, touch } from './context.ts';
import type { DomainNews, SetContext, Several } from './context.ts';
import type { SetFact } from './facts.ts';
import { placeOf, secretName } from './names.ts';
import type { Place } from './names.ts';
import type { Token } from './token.ts';
import { tokenSeen, tokenToDelete, withDoubt, withMade, withRefusedCreate } from './token.ts';

export type SetEvent =
  | CommonEvent
  | SharingEvent
  | { readonly type: 'set.observed'; readonly fact: SetFact }
  | { readonly type: 'set.gone'; readonly uid: string }
  | ChildEvent
  | { readonly type: 'access.observed'; readonly fact: AccessFact }
  | ({ readonly type: 'access.gone'; readonly kind: AccessKind } & Named)
  /** Of any ClusterTopologyBinding. */
  | ({ readonly type: 'levels.observed'; readonly levels: readonly Level[] } & Named)
  | ({ readonly type: 'levels.gone' } & Named);

export function reduce(context: SetContext, event: SetEvent): SetContext {
  switch (event.type) {
    case 'set.observed':
      return withSet(context, event.fact);
    case 'clique.observed':
    case 'clique.gone':
    case 'group.observed':
    case 'group.gone':
    case 'gang.observed':
    case 'gang.gone':
    case 'autoscaler.observed':
    case 'autoscaler.gone':
    case 'domain.observed':
    case 'domain.gone':
    case 'service.observed':
    case 'service.gone':
      return withoutErrors(withChild(context, event), event);
    case 'claim.observed':
    case 'claim.gone':
    case 'template.observed':
    case 'template.gone':
      return reduceSharing(context, event, claimShelf);
    case 'access.observed':
      return withAccess(context, event.fact);
    case 'access.gone':
      return withoutAccess(context, event);
    case 'levels.observed':
      return withLevels(context, event);
    case 'levels.gone':
      return withoutLevels(context, event);
    case 'effect.failed':
      return withReplicaOf(withFailure(context, event), event.ref);
    case 'effect.done':
      return withReplicaOf(withSuccess(context, event), event.ref);
    case 'effect.retry':
      return withReplicaOf(context, event.ref);
    case 'set.gone':
      return context.set?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      // A message of another version of this program may have come by wire.
      return context;
  }
}

function withSuccess(context: SetContext, event: DoneEffect): SetContext {
  const { op, ref } = event;
  const errors = struck(context.errors, ref);
  if (isToken(context, ref)) return { ...context, errors, token: withAnswer(context, event) };
  const told = ref.kind === 'ComputeDomain' ? newsOf[op] : undefined;
  if (told === undefined) return { ...context, errors };
  const { [told]: before } = context.domainNews;
  const several: Several = { first: before?.first ?? ref.name, many: (before?.many ?? 0) + 1 };
  return { ...context, errors, domainNews: { ...context.domainNews, [told]: several } };
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
function withReplicaOf(context: SetContext, ref: ObjectRef): SetContext {
  const index = replicaOf(context.key.name, ref);
  return index === undefined ? context : touch(context, index, (replica) => replica);
}

const inReplicas: ReadonlySet<string> = new Set([...Object.values(childKinds), 'ResourceClaim']);

/** The replica that a child belongs to, by its name. */
function replicaOf(set: string, ref: ObjectRef): number | undefined {
  return inReplicas.has(ref.kind) ? placeOf(set, ref.name)?.replica : undefined;
}

function withSet(context: SetContext, fact: SetFact): SetContext {
  const old = context.set;
  // One that is back is news, whatever its version.
  if (!context.isGone && !isOwnNews(old, fact)) return context;
  // A new spec is a new chance: what was refused for good may be accepted now.
  return {
    ...context,
    isGone: false,
    set: fact,
    token: tokenSeen(context, fact),
    errors: old?.generation === fact.generation ? context.errors : [],
    isOrphaning: context.isOrphaning || isOrphaning(fact),
  };
}

function withFailure(context: SetContext, event: FailedEffect): SetContext {
  const { op, ref } = event;
  if (isToken(context, ref)) return withTokenFailure(context, event);
  const index = replicaOf(context.key.name, ref);
  const children = index === undefined ? accessOf(context) : childrenOf(replicaAt(context, index));
  const child = children.find(({ kind, name }) => kind === ref.kind && name === ref.name);
  const claim = ref.kind === 'ResourceClaim' ? claimAt(context, ref.name) : undefined;
  // A write whose answer was an error may have been done all the same, and be seen already. And
  // what was asked for before a scale-in is wanted by nobody.
  const isSurplus = index !== undefined && index >= (context.set?.replicas ?? 0);
  if (op === 'create' && (isSurplus || (child ?? claim) !== undefined)) return context;
  const next = { ...context, errors: noted(context.errors, event) };
  const isRefusal = op === 'delete' && child !== undefined && isWorthTelling(event);
  return isRefusal ? withRefused(next, index, child.uid) : next;
}

/** That the name of the token Secret is taken is no error yet: its owner may be us. */
function withTokenFailure(context: SetContext, event: FailedEffect): SetContext {
  const { op, ref, code } = event;
  const isTaken = op === 'create' && code === 'ALREADY_EXISTS';
  const errors = isTaken ? struck(context.errors, ref) : noted(context.errors, event);
  if (op === 'create') return { ...context, errors, token: withRefusedCreate(context, code) };
  const uid = context.set && tokenToDelete(context, context.set);
  const next = { ...context, errors };
  return uid !== undefined && isWorthTelling(event) ? withRefused(next, undefined, uid) : next;
}

/** A refused deletion is remembered by UID: nothing waits for that child any more. */
function withRefused(context: SetContext, index: number | undefined, uid: string): SetContext {
  if (index === undefined) {
    return { ...context, refusedAccess: new Set([...context.refusedAccess, uid]) };
  }
  return touch(context, index, (replica) => ({
    ...replica,
    refused: new Set([...replica.refused, uid]),
  }));
}

/** A child that shows up was created, one that is gone cannot fail any more. */
function withoutErrors(context: SetContext, event: ChildEvent): SetContext {
  if (context.errors.length === 0) return context;
  const kind = childKinds[event.type];
  const { namespace } = context.key;
  const isGone = !('fact' in event);
  const ref = { kind, namespace, name: isGone ? event.name : event.fact.name };
  const errors = struck(context.errors, ref, isGone ? undefined : 'create');
  return errors === context.errors ? context : { ...context, errors };
}

function withChild(context: SetContext, event: ChildEvent): SetContext {
  const name = 'fact' in event ? event.fact.name : event.name;
  const place = placeOf(context.key.name, name);
  if (place === undefined) return context;
  const changes = changesOf(replicaAt(context, place.replica), place.rest, event);
  if (changes === undefined) return withVersion(context, place, event);
  return touch(context, place.replica, (replica) => ({ ...replica, ...changes }));
}

/** No plan is asked for; only the version is taken note of. */
function withVersion(context: SetContext, { replica, rest }: Place, event: ChildEvent): SetContext {
  const before = replicaAt(context, replica);
  const changes = newerVersion(before, rest, event);
  if (changes === undefined) return context;
  return { ...context, replicas: setAt(context.replicas, replica, { ...before, ...changes }) };
}

function withAccess(context: SetContext, fact: AccessFact): SetContext {
  const before = context.access[fact.kind];
  if (!isAccessNews(before, fact)) return context;
  const isOther = before !== undefined && before.uid !== fact.uid;
  return {
    ...context,
    access: { ...context.access, [fact.kind]: fact },
    token: isOther ? tokenWithout(context, fact.kind) : context.token,
    errors: struck(context.errors, fact, 'create'),
  };
}

function withoutAccess(
  context: SetContext,
  { kind, name, uid }: Named & { readonly kind: AccessKind },
): SetContext {
  if (context.access[kind]?.uid !== uid) return context;
  const { [kind]: _, ...access } = context.access;
  const ref = { kind, namespace: context.key.namespace, name } as const;
  const token = tokenWithout(context, kind);
  return { ...context, access, token, errors: struck(context.errors, ref) };
}

/** Kubernetes deletes the token Secrets of a ServiceAccount that went. */
const tokenWithout = ({ token }: SetContext, kind: AccessKind): Token =>
  kind === 'ServiceAccount' ? withDoubt(token) : token;

function withLevels(
  context: SetContext,
  { name, uid, levels }: Named & { readonly levels: readonly Level[] },
): SetContext {
  const old = context.topologies.get(name);
  const isNews = old?.uid !== uid || !isEqual(old.levels, levels);
  if (!context.settings.isTopologyAware || !isNews) return context;
  return { ...context, topologies: new Map(context.topologies).set(name, { uid, levels }) };
}

function withoutLevels(context: SetContext, { name, uid }: Named): SetContext {
  if (context.topologies.get(name)?.uid !== uid) return context;
  const others = [...context.topologies].filter(([other]) => other !== name);
  return { ...context, topologies: new Map(others) };
}
