// What happens to an actor whose machine throws, as data: the strategy says when it is restarted,
// after which pause, and when it is parked. Pure; actors/supervision/supervisor.ts carries the
// verdicts out.
import { backoff } from '#machines/contract/backoff.ts';
import type { Random } from '../ports.ts';

/** A pause that doubles: `minMs`, twice that, ... up to `maxMs`, less a random part of it. */
export interface Backoff {
  readonly minMs: number;
  readonly maxMs: number;
  /** 0 to 1: the share of the pause that chance may take off. */
  readonly jitter: number;
}

/**
 * One for one: only the actor that threw is concerned; no other one, not its parent, not its
 * children, notices. A throw is anything that leaves a transition, a plan, a guard or a decoder.
 *
 * - **Restart.** The snapshot is thrown away. After the back-off the machine starts anew and every
 *   object that the cache holds for the actor is delivered again, the own object first; then it
 *   reconciles, with all that it reads.
 * - **Back-off.** Doubles with each crash within `windowMs`, jittered.
 * - **Reset.** Crashes older than `windowMs` are forgotten, so an actor that ran that long without
 *   one starts again with the shortest pause and its full number of restarts.
 * - **Mail meanwhile.** Observations go to the cache only (the replay brings them); results of
 *   writes are dropped, for the replayed objects show what the writes did; questions are given up;
 *   what it has published stands; the deadline goes, and the new plan sets another.
 * - **Park.** After `intensity` restarts within `windowMs` the next crash parks: a fact, a metric,
 *   a Warning Event and a condition on the object say so, and nothing is planned for the object.
 *   Mail is dropped, what it has published is withdrawn, the cache keeps the truth. A new
 *   generation of the own object, its end where others are left, or the ask `unpark` starts the
 *   machine anew with a clean history; a new UID is another actor altogether.
 */
export interface SupervisionStrategy {
  readonly intensity: number;
  readonly windowMs: number;
  readonly backoff: Backoff;
}

export const defaultStrategy: SupervisionStrategy = {
  intensity: 5,
  windowMs: 60_000,
  backoff: { minMs: 200, maxMs: 10_000, jitter: 0.5 },
};

export type Verdict =
  | { readonly act: 'restart'; readonly pauseMs: number; readonly crashes: readonly number[] }
  | { readonly act: 'park'; readonly crashes: readonly number[] };

/** The pause before attempt `attempt` (1 is the first), in milliseconds. */
export function pauseMs(
  { minMs, maxMs, jitter }: Backoff,
  attempt: number,
  random: Random,
): number {
  return Math.round(backoff(attempt, minMs, maxMs) * (1 - jitter * random.next()));
}

/** What a crash at `now` leads to, given the earlier ones, all on the steady clock. */
export function onCrash(
  strategy: SupervisionStrategy,
  earlier: readonly number[],
  now: number,
  random: Random,
): Verdict {
  const recent = earlier.filter((at) => now - at < strategy.windowMs);
  const crashes = [...recent, now];
  if (recent.length >= strategy.intensity) return { act: 'park', crashes };
  return { act: 'restart', pauseMs: pauseMs(strategy.backoff, crashes.length, random), crashes };
}
