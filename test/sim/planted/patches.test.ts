// The planted bugs can be planted: each patch applies to the sources as they are, and the tables
// of bugs and of the seeds that found them (planted.test.ts) name the same ones.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { plantedBugs } from './bugs.ts';
import { medianOf, type Found } from './search.ts';
import foundSeeds from './found.json' with { type: 'json' };

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = fileURLToPath(new URL('.', import.meta.url));
const found: Found = foundSeeds;

describe('A planted bug', () => {
  it.each(plantedBugs)('can still be planted: $id', ({ id, file }) => {
    const patch = `${folder}${id}.patch`;
    expect(readFileSync(patch, 'utf8')).toContain(`--- a/${file}`);
    execFileSync('git', ['apply', '--check', patch], { cwd: root, stdio: 'pipe' });
  });

  it('is in the table, and there are forty', () => {
    const patches = readdirSync(folder).filter((name) => name.endsWith('.patch'));
    const ids = plantedBugs.map(({ id }) => id).toSorted();
    expect(patches.toSorted()).toEqual(ids.map((id) => `${id}.patch`));
    expect(Object.keys(found)).toEqual(ids);
    expect(ids).toHaveLength(40);
  });

  it.each(plantedBugs)('is found within 200 seeds at the median: $id', ({ id }) => {
    expect(medianOf(found[id] ?? [])).toBeLessThanOrEqual(200);
  });
});
