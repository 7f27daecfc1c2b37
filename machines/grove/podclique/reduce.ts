// How a podclique actor takes what happens into its context: observations, what it reads, results
// of writes. Each function returns the next context, or the same one where it is no news.
import { withRead } from '../../contract/view.ts';
import { withClaimGone, withClaimSeen } from '../objects/claims.ts';
import type { ObjectRef } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { isOrphaning } from '../../kubernetes/deletion.ts';
import {
  isWorthTelling,
  ownSeen,
  recorded,
  resolved,
  withErrors,
} from '../../contract/failure-log.ts';
import type { FailedEffect } from '../../contract/failure-log.ts';
import { isPodNews, type ObservedPod } from '../objects/pod.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import { isMetaNews } from '../objects/meta.ts';
import { unwritten } from '../objects/progress.ts';
import { isNewsToClique, withPodGroup } from '../objects/podgang.ts';
import type { ObservedGang, PodGroupEvent } from '../objects/podgang.ts';
import type { SetEvent, SharingEvent } from '../views/claim-template.ts';
import type { SchedulingEvent } from '../views/gang-scheduling.ts';
import { withRollout, type RolloutEvent } from '../views/rollout.ts';
import { livePods, namesBy, type CliqueContext } from './context.ts';

export type CliqueEvent =
  | CommonEvent
  | SharingEvent
  | RolloutEvent
  /** Of a set that shares claims. */
  | SetEvent
  | { readonly type: 'clique.observed'; readonly observed: ObservedClique }
  | { readonly type: 'clique.gone'; readonly uid: string }
  | { readonly type: 'gang.observed'; readonly observed: ObservedGang }
  | { readonly type: 'gang.gone'; readonly uid: string }
  | { readonly type: 'pod.observed'; readonly observed: ObservedPod }
  | { readonly type: 'pod.gone'; readonly uid: string; readonly name: string }
  | PodGroupEvent
  /** Of the base PodGang. */
  | SchedulingEvent;

const maxForeign = 100;

export function reduce(context: CliqueContext, event: CliqueEvent): CliqueContext {
  switch (event.type) {
    case 'clique.observed':
      return withClique(context, event.observed);
    case 'gang.observed':
      return withGang(context, event.observed);
    case 'gang.gone':
      return withoutGang(context, event.uid);
    case 'pod.observed':
      return withPod(context, event.observed);
    case 'pod.gone':
      return withoutPod(context, event);
    case 'podGroup.observed':
    case 'podGroup.gone': {
      const podGroups = withPodGroup(context.podGroups, event, isMetaNews);
      return podGroups === context.podGroups ? context : { ...context, podGroups };
    }
    case 'sharingTemplate.read':
      return { ...context, set: event.value };
    case 'claim.observed':
    case 'claim.gone':
    case 'claimTemplate.read':
      return withSharing(context, event);
    case 'gangScheduling.read':
      return { ...context, base: event.value };
    case 'rollout.read':
    case 'rolloutTurn.read':
      return withRollout(context, event);
    case 'effect.failed':
      return withFailure(context, event);
    case 'effect.done':
      return withAnswer(withoutAsked(context, event.ref), event);
    case 'effect.retry':
      return withoutAsked(context, event.ref);
    case 'clique.gone':
      return context.clique?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      return context;
  }
}

function withAnswer(
  context: CliqueContext,
  { op, ref }: Extract<CommonEvent, { type: 'effect.done' }>,
): CliqueContext {
  const known = op === 'create' ? withoutRequested(context, ref) : context;
  const next = withErrors(known, resolved(context.errors, ref));
  const pod = op === 'delete' && ref.kind === 'Pod' ? context.pods.get(ref.name) : undefined;
  if (pod === undefined || !context.forcing.has(pod.uid)) return next;
  return { ...next, forced: new Set([...context.forced, pod.uid]) };
}

/** What was created was seen before its answer is told: it is there, or has gone again. */
function withoutRequested(context: CliqueContext, { kind, name }: ObjectRef): CliqueContext {
  if (kind !== 'Pod') return context;
  const left = [...context.requested].filter(([, one]) => one !== name);
  return left.length === context.requested.size
    ? context
    : { ...context, requested: namesBy(left) };
}

/** Nothing that was asked for is on its way to this object. */
function withoutAsked(context: CliqueContext, { kind, name }: ObjectRef): CliqueContext {
  const uid = kind === 'Pod' ? context.pods.get(name)?.uid : undefined;
  if (uid === undefined || !context.asked.has(uid)) return context;
  return { ...context, asked: new Set([...context.asked].filter((one) => one !== uid)) };
}

function withGang(context: CliqueContext, observed: ObservedGang): CliqueContext {
  const { gangs } = context;
  if (!isNewsToClique(gangs.get(observed.name), observed)) return context;
  return { ...context, gangs: new Map(gangs).set(observed.name, observed) };
}

function withoutGang(context: CliqueContext, uid: string): CliqueContext {
  const left = [...context.gangs].filter(([, gang]) => gang.uid !== uid);
  return left.length === context.gangs.size ? context : { ...context, gangs: new Map(left) };
}

function withSharing(context: CliqueContext, event: SharingEvent): CliqueContext {
  if (event.type === 'claimTemplate.read') {
    return { ...context, templates: withRead(context.templates, event.key, event.value) };
  }
  const isSeen = event.type === 'claim.observed';
  const { name } = isSeen ? event.observed : event;
  const claims = isSeen
    ? withClaimSeen(context.claims, event.observed)
    : withClaimGone(context.claims, event);
  const ref = { kind: 'ResourceClaim', namespace: context.key.namespace, name } as const;
  const errors = resolved(context.errors, ref, isSeen ? 'create' : undefined);
  const isSame = claims === context.claims && errors === context.errors;
  return isSame ? context : { ...context, claims, errors };
}

function withClique(context: CliqueContext, observed: ObservedClique): CliqueContext {
  const seen = ownSeen(context, context.clique, observed);
  if (seen === undefined) return context;
  const isKept = context.isOrphaning || isOrphaning(observed);
  const decided = context.clique?.uid === observed.uid ? context.decided : undefined;
  return {
    ...context,
    ...seen,
    clique: observed,
    decided: unwritten(decided, { progress: observed.observed.progress }),
    isOrphaning: isKept,
  };
}

function withPod(context: CliqueContext, observed: ObservedPod): CliqueContext {
  if (!isPodNews(context.pods.get(observed.name), observed)) return context;
  return {
    ...context,
    pods: new Map(context.pods).set(observed.name, observed),
    errors: resolved(context.errors, observed, 'create'),
  };
}

function withoutPod(
  context: CliqueContext,
  { uid, name }: { readonly uid: string; readonly name: string },
): CliqueContext {
  if (context.pods.get(name)?.uid !== uid) return context;
  const pods = new Map(context.pods);
  pods.delete(name);
  const ref = { kind: 'Pod', namespace: context.key.namespace, name } as const;
  return { ...context, pods, errors: resolved(context.errors, ref) };
}

function withFailure(context: CliqueContext, event: FailedEffect): CliqueContext {
  const { op, code, ref } = event;
  // A write whose answer was an error may have been done all the same, and be seen already. And
  // what was asked for before a scale-in is wanted by nobody.
  if (op === 'create' && (isThere(context, ref) || isSurplus(context, ref))) return context;
  if (op === 'create' && ref.kind === 'Pod' && code === 'ALREADY_EXISTS') {
    const foreign = new Set([...[...context.foreign].slice(1 - maxForeign), ref.name]);
    return { ...context, foreign };
  }
  return {
    ...context,
    errors: recorded(context.errors, event),
    refused: withRefused(context, event),
  };
}

const isThere = ({ pods, claims }: CliqueContext, { kind, name }: ObjectRef): boolean =>
  (kind === 'Pod' && pods.has(name)) || (kind === 'ResourceClaim' && claims.has(name));

const isSurplus = (context: CliqueContext, { kind }: ObjectRef): boolean =>
  kind === 'Pod' &&
  context.clique !== undefined &&
  livePods(context, context.clique).length >= context.clique.replicas;

function withRefused({ refused, pods }: CliqueContext, event: FailedEffect): ReadonlySet<string> {
  const isDeletion = event.op === 'delete' && event.ref.kind === 'Pod';
  const pod = isDeletion && isWorthTelling(event) ? pods.get(event.ref.name) : undefined;
  return pod === undefined || refused.has(pod.uid) ? refused : new Set([...refused, pod.uid]);
}
