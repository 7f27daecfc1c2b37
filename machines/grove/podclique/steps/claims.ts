// The ResourceClaims that all pods of a PodClique share, and those of each index. A pod is
// created when its claims are there, and the claim of an index stays as long as a pod has it,
// whatever spec.replicas says (spec controllers 8.2, 10.2 gap 12).
import { idle } from '../../../statechart/step.ts';
import {
  claimsAwaited,
  ensureClaims as ensureAt,
  isShareMissing,
  removeStaleClaims,
  templateProblems,
} from '../../claims/scope.ts';
import type { ClaimAwaited } from '../../claims/scope.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import type { Problem } from '../../objects/set-problem.ts';
import { livePods, ownPods } from '../context.ts';
import type { CliqueContext, Step } from '../context.ts';
import { soundSharing } from '../sharing.ts';
import type { CliqueSharing } from '../sharing.ts';

export const ensureClaims: Step = (context, clique) => {
  const sharing = soundSharing(context, clique);
  if (sharing === undefined || sharing.level.sharedClaims.length === 0) return idle;
  const { level } = sharing;
  const wanted = wantedIndices(context, clique);
  const used = new Set(ownPods(context, clique).map(({ index }) => index));
  return {
    intents: [
      ...ensureAt(level, context.claims, undefined),
      ...wanted.flatMap((index) => ensureAt(level, context.claims, index)),
      ...removeStaleClaims(
        level,
        context.claims,
        (index) => index < clique.replicas || used.has(index),
      ),
    ],
    changes: {},
  };
};

/** Those below spec.replicas, and those that pods have which live. */
function wantedIndices(context: CliqueContext, clique: ObservedClique): readonly number[] {
  const below = Array.from({ length: clique.replicas }, (_, index) => index);
  const above = livePods(context, clique)
    .map(({ index }) => index)
    .filter((index) => index !== undefined && index >= clique.replicas);
  return [...below, ...new Set(above.filter((index) => index !== undefined))];
}

/** Claims of the PodClique that the pod with this index waits for before it is created. Those of
 *  its set and its group were there before the PodClique was. */
export const awaitedClaims = (
  { level }: CliqueSharing,
  { claims }: CliqueContext,
  index: number,
): readonly ClaimAwaited[] => [
  ...claimsAwaited(level, claims, undefined),
  ...claimsAwaited(level, claims, index),
];

/** Templates that claims are to be made from and that are not there. */
export function problemsOfClaims(
  context: CliqueContext,
  clique: ObservedClique,
): readonly Problem[] {
  const sharing = soundSharing(context, clique);
  if (sharing === undefined) return [];
  const isThere = (name: string): boolean => context.claims.has(name);
  return templateProblems(sharing.level, isShareMissing(sharing.level, isThere, clique.replicas));
}
