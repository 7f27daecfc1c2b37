// Steps of a PodCliqueSet: the ResourceClaims that all its replicas share, and those of each
// replica. PodCliques and groups are created when their claims are there; the claims of a replica
// that is not wanted outlive its PodCliques (spec controllers 8.2, 10.2 gap 12).
import {
  claimsAwaited,
  ensureClaims,
  isShareMissing,
  removeStaleClaims,
  templateProblems,
} from '../../claims/level.ts';
import type { ClaimAwaited, Level } from '../../claims/level.ts';
import type { Problem } from '../../errorbook.ts';
import { label } from '../../grove/labels.ts';
import type { Intent } from '../../vocabulary.ts';
import { replicaAt } from '../context.ts';
import type { Replica, SetContext, Step } from '../context.ts';
import type { SetFact } from '../facts.ts';

/** The claims of the set itself; those of groups and cliques are their own. */
export const levelOf = ({ templates }: SetContext, set: SetFact): Level => ({
  owner: set,
  set: set.name,
  shares: set.sharing.shares,
  labels: {},
  indexLabel: label.replicaIndex,
  own: set.sharing.own,
  templates,
  code: 'ERR_SYNC_PCS_RESOURCE_CLAIM',
  place: 'the set',
});

/** The claims that all replicas share. */
export const ensureCommonClaims: Step = (context, set) => ({
  intents: ensureClaims(levelOf(context, set), context.claims, undefined),
  changes: {},
});

/** The claims that the pods of a replica share. */
export const planReplicaClaims = (
  level: Level,
  index: number,
  { claims }: Replica,
): readonly Intent[] => ensureClaims(level, claims, index);

/** Once no PodClique is left every pod of the replica is terminating, or gone. */
export const removeReplicaClaims = (level: Level, replica: Replica): readonly Intent[] =>
  replica.cliques.size + replica.groups.size > 0
    ? []
    : removeStaleClaims(level, replica.claims, () => false);

/** PodCliques are created after the claims that all of them may share. */
export const areCommonClaimsThere = (context: SetContext, set: SetFact): boolean =>
  claimsAwaited(levelOf(context, set), context.claims, undefined).length === 0;

/** Claims that a replica waits for, by name: its own, and those of all replicas. */
export function awaitedClaims(
  context: SetContext,
  set: SetFact,
  index: number,
): readonly ClaimAwaited[] {
  const level = levelOf(context, set);
  const { claims } = replicaAt(context, index);
  return [
    ...claimsAwaited(level, context.claims, undefined),
    ...claimsAwaited(level, claims, index),
  ];
}

/** Changes when every replica must be looked at: the common claims are all there or not, or a
 *  template came or went. Empty where nothing is shared. */
export function claimsKey(context: SetContext, set: SetFact): string {
  if (set.sharing.shares.length === 0) return '';
  const areThere = areCommonClaimsThere(context, set);
  const known = set.sharing.external.map((name) => context.templates.get(name)?.uid ?? '-');
  return `${String(areThere)} ${known.join(' ')}`;
}

/** Templates that claims are to be made from and that are not there. */
export function problemsOfClaims(context: SetContext, set: SetFact): readonly Problem[] {
  const isThere = (name: string, index: number | undefined): boolean =>
    (index === undefined ? context.claims : replicaAt(context, index).claims).has(name);
  const level = levelOf(context, set);
  return templateProblems(level, isShareMissing(level, isThere, set.replicas));
}
