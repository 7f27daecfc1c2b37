// When a claim expires (spec agent-sandbox 2.4.3). From then on it gets no Sandbox any more.
import { at } from '../../kubernetes/json.ts';
import { conditionsOf } from '../../kubernetes/conditions.ts';
import { epoch, type EpochMs } from '../../kubernetes/time.ts';
import type { ObservedClaim } from '../objects/claim.ts';

/** The earlier of the two times; undefined: never. */
export function deadlineOf({ lifecycle, status }: ObservedClaim): EpochMs | undefined {
  if (lifecycle === undefined) return undefined;
  const { shutdownTime, ttlSecondsAfterFinished: ttl } = lifecycle;
  const finished = conditionsOf(status).find(({ type }) => type === 'Finished');
  const finishedAt =
    at(finished, 'status') === 'True' ? epoch(at(finished, 'lastTransitionTime')) : undefined;
  const afterFinished =
    ttl === undefined || finishedAt === undefined ? undefined : finishedAt + ttl * 1_000;
  if (shutdownTime === undefined) return afterFinished;
  return afterFinished === undefined ? shutdownTime : Math.min(shutdownTime, afterFinished);
}

/** At the very time it is (R32). */
export const isExpired = (claim: ObservedClaim, now: EpochMs): boolean => {
  const deadline = deadlineOf(claim);
  return deadline !== undefined && now >= deadline;
};
