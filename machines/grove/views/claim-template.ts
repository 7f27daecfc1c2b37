// The ResourceClaimTemplates that sets refer to, as the actors of a set, its scaling groups and its
// PodCliques read them; and what these hear of shared claims.
import { entry, keyIn, single, type Entry, type Read, type Reading } from '../../contract/view.ts';
import type { ObservedClaim, ObservedClaimTemplate } from '../objects/claims.ts';
import { isEqual } from '../../kubernetes/json.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';

type TemplateEvent = Read<'claimTemplate', ObservedClaimTemplate>;

/** By `namespace/name` of the ResourceClaimTemplate. A template never changes. */
export const claimTemplate = single<ObservedClaimTemplate>({
  name: 'claimTemplate',
  isSame: (one, other) => one.uid === other.uid,
  say: ({ uid }) => uid,
});

/** Any set may refer to it at any level, from any namespace. */
export const templateIn = (observed: ObservedClaimTemplate): readonly Entry[] => [
  entry(claimTemplate, keyIn(observed, observed.name), observed),
];

/** What an actor of this set reads. */
export const readingsOfTemplates = (
  set: { readonly sharing: { readonly external: readonly string[] } } | undefined,
): readonly Reading[] => (set?.sharing.external ?? []).map((key) => ({ view: claimTemplate, key }));

/** News of what is shared, for the actor of a set, a scaling group or a PodClique. */
export type SharingEvent = ClaimEvent | TemplateEvent;

/** What an owner hears of its claims. */
export type ClaimEvent =
  | { readonly type: 'claim.observed'; readonly observed: ObservedClaim }
  | { readonly type: 'claim.gone'; readonly uid: string; readonly name: string };

export type SetEvent = Read<'setTemplate' | 'sharingTemplate', ObservedSet>;

const ofSets = (name: string) =>
  single<ObservedSet>({
    name,
    isSame: (one, other) =>
      one.uid === other.uid && one.planKey === other.planKey && isEqual(one.problem, other.problem),
    say: ({ generation }) => `generation ${generation}`,
  });

/** By key of the PodCliqueSet. */
export const setTemplate = ofSets('setTemplate');

/** The same of those alone whose PodCliques need it: that share claims, or delete pods by force. */
export const sharingTemplate = ofSets('sharingTemplate');

export const templateOfSet = (set: ObservedSet): readonly Entry[] => {
  const key = keyIn(set, set.name);
  return [
    entry(setTemplate, key, set),
    ...(set.sharing.isUsed || set.forceDelete !== undefined
      ? [entry(sharingTemplate, key, set)]
      : []),
  ];
};
