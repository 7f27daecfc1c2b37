// News of a set's children in one of its replicas: what changes in the replica by an event, or
// nothing where that is no news. Used by reduce.ts alone.
import type { Meta } from '../meta.ts';
import { isNewsToSet as isCliqueNews } from '../podclique/facts.ts';
import type { CliqueFact } from '../podclique/facts.ts';
import { isNewsToSet as isGangNews } from '../podgang/facts.ts';
import type { GangFact } from '../podgang/facts.ts';
import { isNewsToSet as isGroupNews } from '../scalinggroup/facts.ts';
import type { GroupFact } from '../scalinggroup/facts.ts';
import { isDomainNews, isSpecNews } from './childfacts.ts';
import type { AutoscalerFact, DomainFact, ServiceFact } from './childfacts.ts';
import type { Children, Replica } from './context.ts';

/** What is left of an object that is gone. */
export interface Named {
  readonly name: string;
  readonly uid: string;
}

export type ChildEvent =
  | { readonly type: 'clique.observed'; readonly fact: CliqueFact }
  | ({ readonly type: 'clique.gone' } & Named)
  | { readonly type: 'group.observed'; readonly fact: GroupFact }
  | ({ readonly type: 'group.gone' } & Named)
  | { readonly type: 'gang.observed'; readonly fact: GangFact }
  | ({ readonly type: 'gang.gone' } & Named)
  | { readonly type: 'autoscaler.observed'; readonly fact: AutoscalerFact }
  | ({ readonly type: 'autoscaler.gone' } & Named)
  | { readonly type: 'domain.observed'; readonly fact: DomainFact }
  | ({ readonly type: 'domain.gone' } & Named)
  | { readonly type: 'service.observed'; readonly fact: ServiceFact }
  | ({ readonly type: 'service.gone' } & Named);

/** The kind of child that each event is about. */
export const childKinds = {
  'clique.observed': 'PodClique',
  'clique.gone': 'PodClique',
  'group.observed': 'PodCliqueScalingGroup',
  'group.gone': 'PodCliqueScalingGroup',
  'autoscaler.observed': 'HorizontalPodAutoscaler',
  'autoscaler.gone': 'HorizontalPodAutoscaler',
  'gang.observed': 'PodGang',
  'gang.gone': 'PodGang',
  'domain.observed': 'ComputeDomain',
  'domain.gone': 'ComputeDomain',
  'service.observed': 'Service',
  'service.gone': 'Service',
} as const;

/** What changes in its replica, or undefined where it is no news. */
export function changesOf(
  replica: Replica,
  rest: string,
  event: ChildEvent,
): Partial<Replica> | undefined {
  switch (event.type) {
    case 'clique.observed':
    case 'clique.gone': {
      const cliques = next(replica.cliques, rest, event, isCliqueNews);
      return cliques && { cliques };
    }
    case 'group.observed':
    case 'group.gone': {
      const groups = next(replica.groups, rest, event, isGroupNews);
      return groups && { groups };
    }
    case 'gang.observed':
    case 'gang.gone': {
      const gangs = next(replica.gangs, rest, event, isGangNews);
      return gangs && { gangs };
    }
    case 'autoscaler.observed':
    case 'autoscaler.gone': {
      const autoscalers = next(replica.autoscalers, rest, event, isSpecNews);
      return autoscalers && { autoscalers };
    }
    case 'domain.observed':
    case 'domain.gone': {
      const domains = next(replica.domains, rest, event, isDomainNews);
      return domains && { domains };
    }
    case 'service.observed':
      // Another Service of the set's, by whoever: ours has nothing after the number.
      if (rest !== '') return undefined;
      return isSpecNews(replica.service, event.fact) ? { service: event.fact } : undefined;
    case 'service.gone':
      return replica.service?.uid === event.uid ? { service: undefined } : undefined;
  }
}

/** The children with this one as it is now, or undefined where that is no news. */
function next<T extends Meta>(
  children: Children<T>,
  rest: string,
  event: { readonly fact: T } | Named,
  isNewer: (old: T | undefined, now: T) => boolean,
): Children<T> | undefined {
  const old = children.get(rest);
  if ('fact' in event) {
    return isNewer(old, event.fact) ? new Map(children).set(rest, event.fact) : undefined;
  }
  if (old?.uid !== event.uid) return undefined;
  return new Map([...children].filter(([key]) => key !== rest));
}

/** What has another status only asks for no plan, but a patch of its lists has its version. */
export function newerVersion(
  { gangs, domains }: Replica,
  rest: string,
  event: ChildEvent,
): Partial<Replica> | undefined {
  switch (event.type) {
    case 'gang.observed': {
      const newer = next(gangs, rest, event, isNewer);
      return newer && { gangs: newer };
    }
    case 'domain.observed': {
      const newer = next(domains, rest, event, isNewer);
      return newer && { domains: newer };
    }
    default:
      return undefined;
  }
}

/** Of an object that is known. */
const isNewer = (old: Meta | undefined, now: Meta): boolean =>
  old !== undefined && old.resourceVersion !== now.resourceVersion;
