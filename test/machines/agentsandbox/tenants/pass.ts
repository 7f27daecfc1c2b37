// Runs seeds of tenants for the tests beside it, and counts what was judged.
import { expect } from 'vitest';
import { Tenants } from './tenants.ts';

/** Of one seed. */
const claims = 20;

export interface Counted {
  claims: number;
  warm: number;
  cold: number;
}

/** Throws with the seed of the first in which a Sandbox crossed to another tenant. */
export function passTenants(seeds: readonly number[]): Counted {
  const counted: Counted = { claims: 0, warm: 0, cold: 0 };
  for (const seed of seeds) {
    const tenants = new Tenants({ seed, claims });
    tenants.run();
    expect({ seed, wrong: tenants.judge.wrong }).toEqual({ seed, wrong: [] });
    counted.claims += claims;
    counted.warm += tenants.judge.warm.size;
    counted.cold += tenants.judge.cold.size;
  }
  return counted;
}
