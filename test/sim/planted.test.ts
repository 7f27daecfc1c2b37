// The simulator finds the planted bugs: each patch still applies, and the seeds by which it was
// found first in three ranges (planted/found.json) still find it, and fail of nothing else. A
// search anew is `npm run sim -- --planted`.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { kinds } from './kinds.ts';
import { findersOf, medianOf, type Found } from './planted.ts';
import { plantedBugs } from './planted/bugs.ts';
import foundSeeds from './planted/found.json' with { type: 'json' };
import { simulate } from './run.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = fileURLToPath(new URL('planted/', import.meta.url));
const found: Found = foundSeeds;

const seedsOf = (id: string): readonly number[] =>
  (found[id] ?? []).filter((seed) => seed !== null);

/** Those whose first seeds are kept. */
const kept = plantedBugs.filter(({ id }) => id in found);

describe('A planted bug', () => {
  it.each(plantedBugs)('can still be planted: $id', ({ id, file }) => {
    const patch = `${folder}${id}.patch`;
    expect(readFileSync(patch, 'utf8')).toContain(`--- a/${file}`);
    execFileSync('git', ['apply', '--check', patch], { cwd: root, stdio: 'pipe' });
  });

  it('is in the table, and there are nineteen', () => {
    const patches = readdirSync(folder).filter((name) => name.endsWith('.patch'));
    const ids = plantedBugs.map(({ id }) => id).toSorted();
    expect(patches.toSorted()).toEqual(ids.map((id) => `${id}.patch`));
    expect(ids).toEqual(expect.arrayContaining(Object.keys(found)));
    expect(ids).toHaveLength(19);
  });

  it.each(kept)('is found within 200 seeds at the median: $id', ({ id }) => {
    expect(medianOf(found[id] ?? [])).toBeLessThanOrEqual(200);
  });

  it.each(kept)(
    'is found by the seeds of the table, which pass without it: $id',
    { timeout: 120_000 },
    async (bug) => {
      const seeds = seedsOf(bug.id);
      expect(await findersOf(bug, seeds)).toEqual(seeds);
      for (const seed of seeds) {
        const { violations } = await simulate(seed, kinds[bug.world ?? 'plain']);
        expect(violations, `seed ${seed} without ${bug.id}`).toEqual([]);
      }
    },
  );
});
