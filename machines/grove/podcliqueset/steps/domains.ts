// What a set does about all its ComputeDomains at once: it lets go of those that nobody plans, and
// tells people of those that were made and deleted. Each is planned with its replica.
import type { Intent } from '../../../contract/intents.ts';
import { entries } from '../../children/radix.ts';
import { isHeld, removeFinalizer } from '../../finalizer.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import type { ObservedDomain } from '../../objects/set-children.ts';
import { noDomainNews, type Result, type SetContext, type Several, type Step } from '../context.ts';
import { normal } from '../../../contract/object-intents.ts';
import { idle } from '../../../statechart/step.ts';

/** Domains that we hold on to, of whichever set of this name. */
export function heldDomains({ replicas }: SetContext): readonly ObservedDomain[] {
  const held: ObservedDomain[] = [];
  for (const [, { children }] of entries(replicas)) {
    for (const domain of children.ComputeDomain.values()) if (isHeld(domain)) held.push(domain);
  }
  return held;
}

/** Of a set that is not there or cannot be planned: what was deleted must not stay because of
 *  us. */
export const releaseUnwantedDomains = (context: SetContext): Result => ({
  intents: heldDomains(context)
    .filter(({ deleting }) => deleting)
    .flatMap(removeFinalizer),
  changes: {},
});

/**
 * One event for all that were made, and one for all that were deleted, when there is no more to do,
 * or it does not go on.
 */
export function tellDomains(
  { domainNews, errors }: SetContext,
  set: ObservedSet,
  isDone: boolean,
): Result {
  const { made, gone } = domainNews;
  const isIdle = made === undefined && gone === undefined;
  if (isIdle || (!isDone && errors.length === 0)) return idle;
  const intents: Intent[] = [];
  if (made !== undefined) {
    intents.push(normal(set, 'ComputeDomainCreateSuccessful', say('created', made)));
  }
  if (gone !== undefined) {
    intents.push(normal(set, 'ComputeDomainDeleteSuccessful', say('deleted', gone)));
  }
  return { intents, changes: { domainNews: noDomainNews } };
}

export const announceDomains: Step = (context, set) => tellDomains(context, set, true);

/** While there is more to do, only where it does not go on. */
export const announceDomainsSoFar: Step = (context, set) => tellDomains(context, set, false);

const say = (what: string, { first, many }: Several): string =>
  `${what} ComputeDomain ${first}${many > 1 ? ` and ${many - 1} more` : ''}`;
