// How a scalinggroup actor takes what happens into its context. Each function returns the next
// context, or the same one where it is no news.
import { reduceSharing } from '../claims/reduce.ts';
import type { SharingEvent } from '../claims/facts.ts';
import { isOrphaning } from '../deletion.ts';
import { isWorthTelling, noted, struck } from '../errorbook.ts';
import type { ErrorBook, FailedEffect } from '../errorbook.ts';
import { isOwnNews } from '../meta.ts';
import type { CliqueFact } from '../podclique/facts.ts';
import type { SetFact } from '../podcliqueset/facts.ts';
import type { CommonEvent } from '../vocabulary.ts';
import { claimAt, claimShelf } from './claims.ts';
import { replicaAt, withReplica } from './context.ts';
import type { GroupContext } from './context.ts';
import type { GroupFact } from './facts.ts';
import { isMemberNews } from './member.ts';
import { placeOfMember } from './names.ts';

export type GroupEvent =
  | CommonEvent
  | SharingEvent
  | { readonly type: 'group.observed'; readonly fact: GroupFact }
  | { readonly type: 'group.gone'; readonly uid: string }
  | { readonly type: 'set.observed'; readonly fact: SetFact }
  | { readonly type: 'set.gone'; readonly uid: string }
  | { readonly type: 'clique.observed'; readonly fact: CliqueFact }
  | { readonly type: 'clique.gone'; readonly uid: string; readonly name: string };

export function reduce(context: GroupContext, event: GroupEvent): GroupContext {
  switch (event.type) {
    case 'group.observed':
      return withGroup(context, event.fact);
    case 'set.observed':
      return isSetNews(context.set, event.fact) ? { ...context, set: event.fact } : context;
    case 'set.gone':
      return context.set?.uid === event.uid ? { ...context, set: undefined } : context;
    case 'clique.observed':
      return withMember(context, event.fact);
    case 'clique.gone':
      return withoutMember(context, event);
    case 'claim.observed':
    case 'claim.gone':
    case 'template.observed':
    case 'template.gone':
      return reduceSharing(context, event, claimShelf);
    case 'effect.failed':
      return withFailure(context, event);
    case 'effect.done':
      return withErrors(context, struck(context.errors, event.ref));
    case 'group.gone':
      return context.group?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      // A message of another version of this program may have come by wire.
      return context;
  }
}

const withErrors = (context: GroupContext, errors: ErrorBook): GroupContext =>
  errors === context.errors ? context : { ...context, errors };

/** Only what members are made from is news of the set: not its status, which changes often. */
const isSetNews = (old: SetFact | undefined, now: SetFact): boolean =>
  old?.uid !== now.uid || old.planKey !== now.planKey;

function withGroup(context: GroupContext, fact: GroupFact): GroupContext {
  const old = context.group;
  // One that is back is news, whatever its version.
  if (!context.isGone && !isOwnNews(old, fact)) return context;
  // A new spec is a new chance: what was refused for good may be accepted now.
  const errors = old?.generation === fact.generation ? context.errors : [];
  return {
    ...context,
    isGone: false,
    group: fact,
    errors,
    isOrphaning: context.isOrphaning || isOrphaning(fact),
  };
}

function withMember(context: GroupContext, fact: CliqueFact): GroupContext {
  const at = placeOfMember(context.key.name, fact.name);
  if (at === undefined) return context;
  const replica = replicaAt(context, at.replica);
  if (!isMemberNews(replica.members.get(at.clique), fact)) return context;
  const members = new Map(replica.members).set(at.clique, fact);
  const ref = { kind: 'PodClique', namespace: fact.namespace, name: fact.name } as const;
  const errors = struck(context.errors, ref, 'create');
  return withReplica({ ...context, errors }, at.replica, { ...replica, members });
}

function withoutMember(
  context: GroupContext,
  { uid, name }: { readonly uid: string; readonly name: string },
): GroupContext {
  const at = placeOfMember(context.key.name, name);
  if (at === undefined) return context;
  const replica = replicaAt(context, at.replica);
  if (replica.members.get(at.clique)?.uid !== uid) return context;
  const members = new Map([...replica.members].filter(([clique]) => clique !== at.clique));
  const refused = new Set([...replica.refused].filter((other) => other !== uid));
  const ref = { kind: 'PodClique', namespace: context.key.namespace, name } as const;
  const errors = struck(context.errors, ref);
  return withReplica({ ...context, errors }, at.replica, { ...replica, members, refused });
}

function withFailure(context: GroupContext, event: FailedEffect): GroupContext {
  const { op, ref } = event;
  const at = ref.kind === 'PodClique' ? placeOfMember(context.key.name, ref.name) : undefined;
  const replica = at === undefined ? undefined : replicaAt(context, at.replica);
  const member = at === undefined ? undefined : replica?.members.get(at.clique);
  const claim = ref.kind === 'ResourceClaim' ? claimAt(context, ref.name) : undefined;
  // A write whose answer was an error may have been done all the same, and be seen already. And
  // what was asked for before a scale-in is wanted by nobody.
  const isSurplus = at !== undefined && at.replica >= (context.group?.replicas ?? 0);
  if (op === 'create' && (isSurplus || (member ?? claim) !== undefined)) return context;
  const next = { ...context, errors: noted(context.errors, event) };
  const isRefusal = op === 'delete' && isWorthTelling(event);
  if (!isRefusal || at === undefined || replica === undefined || member === undefined) return next;
  const refused = new Set([...replica.refused, member.uid]);
  return withReplica(next, at.replica, { ...replica, refused });
}
