// What can go wrong between two members of a memory network, decided by a seeded policy. Used by
// simulations: one seed is one history of losses, delays and repeats.
import type { Random } from '#actors/ports.ts';

export interface FaultPolicy {
  /** Probability in [0, 1] that a message is lost. */
  readonly drop: number;
  /** Probability that a message arrives a second time. */
  readonly duplicate: number;
  /** Every message is late by a uniform time between these, in milliseconds; equal ends keep the
   *  order, different ends reorder. */
  readonly delayMs: readonly [least: number, most: number];
  /** Probability that a message is held back behind those sent in the next `reorderMs`. */
  readonly reorder: number;
  readonly reorderMs: number;
}

/** Every message arrives once, in order, at the end of the turn. */
export const faultless: FaultPolicy = {
  drop: 0,
  duplicate: 0,
  delayMs: [0, 0],
  reorder: 0,
  reorderMs: 10,
};

/** Delays after which one message arrives: none where it is lost, two where it is doubled. */
export function arrivals(policy: FaultPolicy, random: Random): readonly number[] {
  if (policy.drop > 0 && random.next() < policy.drop) return [];
  const first = delayOf(policy, random);
  if (policy.duplicate === 0 || random.next() >= policy.duplicate) return [first];
  return [first, delayOf(policy, random)];
}

function delayOf(policy: FaultPolicy, random: Random): number {
  const [least, most] = policy.delayMs;
  const late = most > least ? least + random.next() * (most - least) : least;
  const isHeld = policy.reorder > 0 && random.next() < policy.reorder;
  return isHeld ? late + random.next() * policy.reorderMs : late;
}
