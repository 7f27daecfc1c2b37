// Of a replica: a ComputeDomain for each group of its cliques (spec controllers 8.1). What is
// there is never changed. One that nobody wants goes in two steps: our finalizer off, then deleted;
// of one that somebody else deleted the finalizer is taken off at once, and another follows.
import type { Intent } from '../../vocabulary.ts';
import { isHeld, letGo } from '../../grove/finalizer.ts';
import { entries } from '../../radix.ts';
import { buildDomain } from '../children.ts';
import type { DomainFact } from '../childfacts.ts';
import { living, noDomainNews } from '../context.ts';
import type { Replica, Result, SetContext, Several, Step } from '../context.ts';
import type { SetFact } from '../facts.ts';
import { domainName } from '../names.ts';
import { departure } from './surplus.ts';

export interface DomainOptions {
  /** False: the switch is off, so none is created. */
  readonly makesDomains: boolean;
}

export const planDomains = (
  set: SetFact,
  index: number,
  replica: Replica,
  options: DomainOptions,
): readonly Intent[] => [
  ...lettingGo(replica),
  ...surplusDomains(set, replica),
  ...set.domainGroups.flatMap((group) => planDomain(set, index, group, replica, options)),
];

/** Every domain that the switch allows for is there, and stays. */
export const hasDomains = (
  set: SetFact,
  { domains }: Replica,
  { makesDomains }: DomainOptions,
): boolean =>
  !makesDomains || set.domainGroups.every((group) => living(domains.get(group), set) !== undefined);

/** Deleted by whomever, and held by us: nothing comes in its place before it is gone. */
const lettingGo = ({ domains }: Replica): readonly Intent[] =>
  [...domains.values()].filter(({ deleting }) => deleting).flatMap(letGo);

const surplusDomains = (set: SetFact, { domains }: Replica): readonly Intent[] =>
  [...domains]
    .filter(
      ([group, domain]) => !set.domainGroups.includes(group) && living(domain, set) !== undefined,
    )
    .map(([, domain]) => departure(domain, 'no clique is in its group'));

function planDomain(
  set: SetFact,
  index: number,
  group: string,
  { domains }: Replica,
  { makesDomains }: DomainOptions,
): readonly Intent[] {
  if (!makesDomains || domains.has(group)) return [];
  const name = domainName(set.name, index, group);
  const ref = { kind: 'ComputeDomain', namespace: set.namespace, name } as const;
  const body = buildDomain(set, index, group);
  return [{ type: 'createObject', ref, reason: `ComputeDomain of replica ${index}`, body }];
}

/** Domains that we hold on to, of whichever set of this name. */
export function heldDomains({ replicas }: SetContext): readonly DomainFact[] {
  const held: DomainFact[] = [];
  for (const [, { domains }] of entries(replicas)) {
    for (const domain of domains.values()) if (isHeld(domain)) held.push(domain);
  }
  return held;
}

/** Of a set that is not there or cannot be planned: what was deleted must not stay because of
 *  us. */
export const releaseStrays = (context: SetContext): Result => ({
  intents: heldDomains(context)
    .filter(({ deleting }) => deleting)
    .flatMap(letGo),
  changes: {},
});

/**
 * One event for all that were made, and one for all that were deleted, when there is no more to do,
 * or it does not go on.
 */
export function tellDomains(
  { domainNews, errors }: SetContext,
  set: SetFact,
  isDone: boolean,
): Result {
  const { made, gone } = domainNews;
  const isIdle = made === undefined && gone === undefined;
  if (isIdle || (!isDone && errors.length === 0)) return { intents: [], changes: {} };
  const { namespace, name, uid } = set;
  const regarding = { kind: 'PodCliqueSet', namespace, name, uid } as const;
  const base = { type: 'recordEvent', regarding, severity: 'Normal' } as const;
  const intents: Intent[] = [];
  if (made !== undefined) {
    intents.push({ ...base, reason: 'ComputeDomainCreateSuccessful', note: say('created', made) });
  }
  if (gone !== undefined) {
    intents.push({ ...base, reason: 'ComputeDomainDeleteSuccessful', note: say('deleted', gone) });
  }
  return { intents, changes: { domainNews: noDomainNews } };
}

export const announceDomains: Step = (context, set) => tellDomains(context, set, true);

/** While there is more to do, only where it does not go on. */
export const announceDomainsSoFar: Step = (context, set) => tellDomains(context, set, false);

const say = (what: string, { first, many }: Several): string =>
  `${what} ComputeDomain ${first}${many > 1 ? ` and ${many - 1} more` : ''}`;
