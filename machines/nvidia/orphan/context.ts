// The memory of the actor of a child of a ComputeDomain: the child, what is known of its domain,
// and how far the question has come whether there really is none.
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { ownSeen, recorded, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import type { Reading } from '../../contract/view.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedChild } from '../objects/children.ts';
import { isOfDriver } from '../settings.ts';
import type { NvidiaInput, NvidiaSettings } from '../settings.ts';
import { domainByUid } from '../views/domain.ts';
import type { DomainEvent, DomainFacts } from '../views/domain.ts';

/** A live list of all ComputeDomains, by which a UID that no view has is looked for. */
export interface Search {
  /** Another one for each loss of the domain: what a list from before a loss shows may be older
   *  than what was known since, and is no news then. */
  readonly loss: number;
  readonly isDone: boolean;
  /** Of the last list, which failed. */
  readonly error?: string;
}

export interface OrphanContext {
  readonly key: ActorKey;
  readonly settings: NvidiaSettings;
  readonly child: ObservedChild | undefined;
  readonly isGone: boolean;
  /** Undefined: none with its UID is known. */
  readonly domain: DomainFacts | undefined;
  readonly search: Search;
  readonly errors: FailureLog;
}

export type OrphanEvent =
  | CommonEvent
  | DomainEvent
  | { readonly type: 'child.observed'; readonly observed: ObservedChild }
  | { readonly type: 'child.gone'; readonly uid: string };

export type Step = Rule<OrphanContext, ObservedChild, StepResult<OrphanContext>>;

const nextSearch = ({ loss }: Search): Search => ({ loss: loss + 1, isDone: false });

export const startContext = ({ key, settings }: NvidiaInput): OrphanContext => ({
  key,
  settings,
  child: undefined,
  isGone: false,
  domain: undefined,
  search: { loss: 0, isDone: false },
  errors: [],
});

export const orphanReads = (_: OrphanContext, { domain }: ObservedChild): readonly Reading[] => [
  { view: domainByUid, key: domain },
];

/** What daemons need is ours in the driver's namespaces alone; anywhere else somebody made it. */
export function isOurs({ settings }: OrphanContext, child: ObservedChild): boolean {
  if (child.kind === 'DomainNode') return true;
  if (child.kind === 'DomainClaimTemplate' && child.target !== 'Daemon') {
    return child.target === 'Workload';
  }
  return isOfDriver(settings, child.namespace);
}

/** The same for as long as the answer is wanted, so that asking again is not asking for another. */
export const searchId = ({ loss }: Search): string => `domain ${loss}`;

/** The next context, or the same one where the event is no news. */
export function reduce(context: OrphanContext, event: OrphanEvent): OrphanContext {
  const { child, search, errors } = context;
  switch (event.type) {
    case 'child.observed':
      return withChild(context, event.observed);
    case 'domain.read':
      return withDomain(context, event.domain);
    case 'objects.listed': {
      if (event.id !== searchId(search)) return context;
      const { loss } = search;
      const { error } = event;
      const isDone = error === undefined;
      return { ...context, search: isDone ? { loss, isDone } : { loss, isDone, error } };
    }
    case 'effect.failed':
      return withErrors(context, recorded(errors, event));
    case 'effect.done':
      return withErrors(context, resolved(errors, event.ref));
    case 'child.gone':
      return child?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      return context;
  }
}

/** Where it is known again, what a list has said is over. */
const withDomain = (context: OrphanContext, domain: DomainFacts | undefined): OrphanContext =>
  domain === undefined
    ? { ...context, domain }
    : { ...context, domain, search: nextSearch(context.search) };

function withChild(context: OrphanContext, observed: ObservedChild): OrphanContext {
  const old = context.child;
  const seen = ownSeen(context, old, observed);
  if (seen === undefined) return context;
  const next = { ...context, ...seen, child: observed };
  const isSame = old?.uid === observed.uid && old.domain === observed.domain;
  return isSame ? next : { ...next, domain: undefined, search: nextSearch(context.search) };
}
