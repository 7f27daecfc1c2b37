// The claims of a parent that has replicas: those that all replicas share, and those of each.
// PodCliques and groups are created when their claims are there; the claims of a replica that is
// not wanted outlive its PodCliques (spec controllers 8.2, 10.2 gap 12).
import type { Intent } from '../../contract/intents.ts';
import type { Claims } from '../objects/claims.ts';
import type { Problem } from '../objects/set-problem.ts';
import {
  claimsAwaited,
  ensureClaims,
  isShareMissing,
  removeStaleClaims,
  templateProblems,
} from './scope.ts';
import type { ClaimAwaited, ClaimScope } from './scope.ts';

export interface Shared {
  readonly level: ClaimScope;
  /** Of all replicas. */
  readonly common: Claims;
  readonly claimsOf: (index: number) => Claims;
  /** How many replicas there are to be. */
  readonly replicas: number;
  /** Templates of the cluster that are referred to: `namespace/name`. */
  readonly external: readonly string[];
}

export const ensureCommon = ({ level, common }: Shared): readonly Intent[] =>
  ensureClaims(level, common, undefined);

export const ensureOfReplica = ({ level, claimsOf }: Shared, index: number): readonly Intent[] =>
  ensureClaims(level, claimsOf(index), index);

/** Of a replica none of whose PodCliques is left: all its pods are terminating, or gone. */
export const removeOfReplica = ({ level, claimsOf }: Shared, index: number): readonly Intent[] =>
  removeStaleClaims(level, claimsOf(index), () => false);

/** PodCliques are created after the claims that all of them may share. */
export const areCommonThere = ({ level, common }: Shared): boolean =>
  claimsAwaited(level, common, undefined).length === 0;

export const areOfReplicaThere = ({ level, claimsOf }: Shared, index: number): boolean =>
  claimsAwaited(level, claimsOf(index), index).length === 0;

/** What a replica waits for: its own, and those of all replicas. */
export const awaitedBy = (
  { level, common, claimsOf }: Shared,
  index: number,
): readonly ClaimAwaited[] => [
  ...claimsAwaited(level, common, undefined),
  ...claimsAwaited(level, claimsOf(index), index),
];

/** Changes when every replica must be looked at: the common claims are all there or not, or a
 *  template came or went. Empty where nothing is shared. */
export function sharedKey(shared: Shared): string {
  const { level, external } = shared;
  if (level.sharedClaims.length === 0) return '';
  const known = external.map((name) => level.templates.get(name)?.uid ?? '-');
  return `${String(areCommonThere(shared))} ${known.join(' ')}`;
}

/** Templates that claims are to be made from and that are not there. */
export function sharedProblems({ level, common, claimsOf, replicas }: Shared): readonly Problem[] {
  const isThere = (name: string, index: number | undefined): boolean =>
    (index === undefined ? common : claimsOf(index)).has(name);
  return templateProblems(level, isShareMissing(level, isThere, replicas));
}
