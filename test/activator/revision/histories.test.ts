// Random histories of the actor of a revision with crashes at every step. `COPPICE_SEED=<n>`
// repeats one, `COPPICE_SEEDS=<n>` runs more of them.
import { describe, it, expect } from 'vitest';
import { History, type Judged } from './history.ts';

const usual = 200;
const only = process.env['COPPICE_SEED'];
const count = Number(process.env['COPPICE_SEEDS'] ?? usual);
const seeds = only === undefined ? Array.from({ length: count }, (_, n) => n + 1) : [Number(only)];

/** In the usual histories: about half of what was counted. */
const leastJudged: Judged = {
  crashes: 450,
  granted: 2_000,
  waited: 1_600,
  impostors: 70,
  forced: 120,
};

async function pass(seed: number): Promise<Judged> {
  const history = new History(seed);
  try {
    await history.run(20 + (seed % 40));
    await history.heal();
    return history.judged;
  } catch (error) {
    const how = `COPPICE_SEED=${seed} npm test -- test/activator/revision/histories.test.ts`;
    throw new Error(`${String(error)}\n${how}\n${history.log.join('\n')}`, { cause: error });
  }
}

describe('The actor of a revision, crashing at any step', () => {
  it(`leaves no request hanging, answers none twice and leaks no slot (I-13, I-14, R-3, R-14, R-15, R-17, P-15, P-17, P-18; ${seeds.length} histories)`, async () => {
    const sums: Judged = { crashes: 0, granted: 0, waited: 0, impostors: 0, forced: 0 };
    for (const seed of seeds) {
      const judged = await pass(seed);
      sums.crashes += judged.crashes;
      sums.granted += judged.granted;
      sums.waited += judged.waited;
      sums.impostors += judged.impostors;
      sums.forced += judged.forced;
    }
    if (seeds.length < usual) return;
    for (const [what, least] of Object.entries(leastJudged)) {
      expect(Object.entries(sums)).toContainEqual([what, expect.toSatisfy((sum) => sum >= least)]);
    }
  }, 3_600_000);
});
