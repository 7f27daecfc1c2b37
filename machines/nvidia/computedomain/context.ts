// The memory of a computedomain actor: its object, what it reads under its UID, the status that was
// asked for last, and what failed.
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { ownSeen, recorded, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import type { Reading } from '../../contract/view.ts';
import { isEqual } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedChild } from '../objects/children.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';
import type { ObservedDomain } from '../objects/domain.ts';
import type { NvidiaInput, NvidiaSettings } from '../settings.ts';
import { childrenOfDomain, nodesOfDomain } from '../views/children.ts';
import type { ChildrenEvent, NodesEvent } from '../views/children.ts';
import { cliquesOfDomain } from '../views/cliques.ts';
import type { CliqueRows, CliquesEvent } from '../views/cliques.ts';
import { daemonsOfDomain } from '../views/daemons.ts';
import type { DaemonsEvent } from '../views/daemons.ts';

export type Size = 'small' | 'large' | 'excessive';

/** A status that was asked for. */
export interface Asked {
  readonly at: EpochMs;
  readonly status: JsonObject;
  /** It is neither written nor refused yet, so it is asked for at every reconcile. */
  readonly isOpen: boolean;
}

/** What the newest list of nodes is like, besides what it says. */
export interface Listing {
  /** Nodes that daemons have listed in the status and no clique has. */
  readonly unlisted: number;
  /** Nodes that cliques have. */
  readonly listed: number;
  /** Since when some daemons are of the one kind and some of the other; undefined: they are not. */
  readonly mixedSince: EpochMs | undefined;
  readonly bytes: number;
  readonly size: Size;
}

export interface DomainContext {
  readonly key: ActorKey;
  readonly settings: NvidiaSettings;
  readonly domain: ObservedDomain | undefined;
  readonly isGone: boolean;
  readonly cliques: readonly CliqueRows[];
  readonly daemons: readonly ObservedDaemon[];
  readonly children: readonly ObservedChild[];
  /** Known only while the domain is being deleted. */
  readonly nodes: readonly ObservedChild[];
  /** The list of nodes was not made since something of it changed. */
  readonly isStale: boolean;
  readonly asked: Asked | undefined;
  readonly listing: Listing;
  /** What people were told of the listing. */
  readonly told: { readonly isMixed: boolean; readonly size: Size };
  readonly errors: FailureLog;
}

export type DomainEvent =
  | CommonEvent
  | CliquesEvent
  | DaemonsEvent
  | ChildrenEvent
  | NodesEvent
  | { readonly type: 'domain.observed'; readonly observed: ObservedDomain }
  | { readonly type: 'domain.gone'; readonly uid: string };

export type Result = StepResult<DomainContext>;
export type Step = Rule<DomainContext, ObservedDomain, Result>;

export const startContext = ({ key, settings }: NvidiaInput): DomainContext => ({
  key,
  settings,
  domain: undefined,
  isGone: false,
  cliques: [],
  daemons: [],
  children: [],
  nodes: [],
  isStale: true,
  asked: undefined,
  listing: { unlisted: 0, listed: 0, mixedSince: undefined, bytes: 0, size: 'small' },
  told: { isMixed: false, size: 'small' },
  errors: [],
});

/** Daemons of the host are nobody's pods. */
export function domainReads(
  { settings }: DomainContext,
  { uid, deleting }: ObservedDomain,
): readonly Reading[] {
  const children: Reading = { view: childrenOfDomain, key: uid };
  if (settings.mode === 'hostManaged') return [children];
  if (deleting) return [children, { view: nodesOfDomain, key: uid }];
  return [children, { view: cliquesOfDomain, key: uid }, { view: daemonsOfDomain, key: uid }];
}

/** The next context, or the same one where the event is no news. */
export function reduce(context: DomainContext, event: DomainEvent): DomainContext {
  switch (event.type) {
    case 'domain.observed':
      return withDomain(context, event.observed);
    case 'cliques.read':
      return { ...context, cliques: event.cliques, isStale: true };
    case 'daemons.read':
      return { ...context, daemons: event.daemons, isStale: true };
    case 'children.read':
      return { ...context, children: event.children };
    case 'nodes.read':
      return { ...context, nodes: event.nodes };
    case 'effect.done':
      return withErrors(
        event.op === 'status' ? written(context) : context,
        resolved(context.errors, event.ref),
      );
    case 'effect.failed':
      return withErrors(askedAnew(context, event.ref), recorded(context.errors, event));
    case 'effect.retry':
      return askedAnew(context, event.ref);
    case 'domain.gone':
      return context.domain?.uid === event.uid ? { ...context, isGone: true } : context;
    default:
      return context;
  }
}

const closed = (context: DomainContext): DomainContext =>
  context.asked?.isOpen === true
    ? { ...context, asked: { ...context.asked, isOpen: false } }
    : context;

/** The answer may be to an older status: the object that came with it was seen before, and another
 *  one may have been asked for since, which the runtime drops while the first is under way. */
function written(context: DomainContext): DomainContext {
  const { asked, domain } = context;
  const isDone = asked === undefined || isEqual(domain?.status, asked.status);
  return { ...closed(context), isStale: context.isStale || !isDone };
}

/** The status was not written, as the object was busy or another by then: it is made anew of what
 *  is known now, without a pause, as none was written. */
const askedAnew = (context: DomainContext, { kind }: { readonly kind: string }): DomainContext =>
  kind === 'ComputeDomain' && context.asked?.isOpen === true
    ? { ...context, asked: undefined, isStale: true }
    : context;

function withDomain(context: DomainContext, observed: ObservedDomain): DomainContext {
  const old = context.domain;
  const seen = ownSeen(context, old, observed);
  if (seen === undefined) return context;
  if (old?.uid !== observed.uid) {
    const { key, settings } = context;
    return { ...startContext({ key, root: key, settings }), domain: observed };
  }
  const next = { ...context, ...seen, domain: observed };
  if (isEqual(old.status, observed.status)) return next;
  // What somebody else wrote there meanwhile must not be overwritten by what is older.
  const { asked } = context;
  // One that is closed may be an older one, whose write was long under way: what is wanted by now
  // may be another.
  const isOurs = asked?.isOpen === true && isEqual(observed.status, asked.status);
  return { ...(isOurs ? next : closed(next)), isStale: !isOurs || context.isStale };
}
