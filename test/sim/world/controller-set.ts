// How many controllers a run has, and how they share the work: alone, owning everything, or several
// with leases and clocks of their own. Drawn from the seed.
import type { Random } from '#actors/ports.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { between, pick } from '../users/workload.ts';

export interface ControllerSet {
  readonly processes: number;
  /** False: the only one owns every shard, for ever. */
  readonly leases: boolean;
  readonly shards: number;
  /** Of the leases. */
  readonly terms: LeaseTerms;
  /** Rates of clocks; each process has one of them. No two differ by more than a factor of two,
   *  which is what leases allow for. */
  readonly clockRates: readonly number[];
  /** Most that a clock is wrong at the start of its process, either way. */
  readonly skewMs: number;
}

type LeaseTerms = Pick<
  Configuration['leases'],
  'durationSeconds' | 'renewSeconds' | 'retrySeconds'
>;

/** As a configuration may have them: there is more to see in a short day. */
const hasty: LeaseTerms = { durationSeconds: 6, renewSeconds: 4, retrySeconds: 1 };

export const alone: ControllerSet = {
  processes: 1,
  leases: false,
  shards: 16,
  terms: defaultConfiguration.leases,
  clockRates: [1],
  skewMs: 0,
};

/** Deadlines are by the clock of whoever looks, so others cannot tell whether one has passed. */
export const areClocksWrong = ({
  controllerSet: { clockRates, skewMs } = alone,
  rates,
}: {
  readonly controllerSet?: ControllerSet;
  readonly rates: { readonly clockJumpEveryS: number };
}): boolean => skewMs > 0 || rates.clockJumpEveryS > 0 || clockRates.some((rate) => rate !== 1);

/** Shards change hands as often as they can. */
export const rivals: ControllerSet = {
  processes: 2,
  leases: true,
  shards: 2,
  terms: hasty,
  clockRates: [1],
  skewMs: 0,
};

export function drawControllerSet(random: Random): ControllerSet {
  if (random.next() < 0.4) return alone;
  const clockRates = pick(random, [[1], [1], [0.7, 1, 1.4], [0.5, 1], [1, 2]]) ?? [1];
  return {
    processes: random.next() < 0.7 ? 2 : 3,
    leases: true,
    shards: between(random, 1, 4),
    terms: random.next() < 0.5 ? hasty : defaultConfiguration.leases,
    clockRates,
    skewMs: pick(random, [0, 1_000, 3_600_000]) ?? 0,
  };
}
