// The ResourceClaims of a set itself: what is special about them, and the step for those that all
// its replicas share. Claims of groups and cliques are their own.
import { replicaAt } from '../../children/replicas.ts';
import { areCommonThere, ensureCommon, sharedProblems } from '../../claims/replicas.ts';
import type { Shared } from '../../claims/replicas.ts';
import { label } from '../../objects/labels.ts';
import type { ObservedSet } from '../../objects/podcliqueset.ts';
import type { Problem } from '../../objects/set-problem.ts';
import type { SetContext, Step } from '../context.ts';

export const sharedIn = (context: SetContext, set: ObservedSet): Shared => ({
  level: {
    owner: set,
    set: set.name,
    sharedClaims: set.sharing.sharedClaims,
    labels: {},
    indexLabel: label.replicaIndex,
    own: set.sharing.own,
    templates: context.templates,
    code: 'ERR_SYNC_PCS_RESOURCE_CLAIM',
    place: 'the set',
  },
  common: context.claims,
  claimsOf: (index) => replicaAt(context, index).claims,
  replicas: set.replicas,
  external: set.sharing.external,
});

/** The claims that all replicas share. */
export const ensureCommonClaims: Step = (context, set) => ({
  intents: ensureCommon(sharedIn(context, set)),
  changes: {},
});

export const areCommonClaimsThere = (context: SetContext, set: ObservedSet): boolean =>
  areCommonThere(sharedIn(context, set));

export const problemsOfClaims = (context: SetContext, set: ObservedSet): readonly Problem[] =>
  sharedProblems(sharedIn(context, set));
