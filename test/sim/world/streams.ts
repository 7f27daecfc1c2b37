// Streams of random numbers by purpose, each from the seed of the run: a change in one does not
// shift the others.
import type { Random } from '#actors/ports.ts';
import { seeded } from '#test/support/virtual-clock.ts';

export function streamOf(seed: number, purpose: string): Random {
  let hash = Math.imul(seed, 0x9e3779b1);
  for (const letter of purpose) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193);
  return seeded(hash);
}
