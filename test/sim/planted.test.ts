// The planted bugs do not rot: each patch still applies to the sources as they are, and changes the
// file that the table names. That the simulator finds them is shown by `npm run sim -- --planted`.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { plantedBugs } from './planted/bugs.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const folder = fileURLToPath(new URL('planted/', import.meta.url));

describe('A planted bug', () => {
  it.each(plantedBugs)('can still be planted: $id', ({ id, file }) => {
    const patch = `${folder}${id}.patch`;
    expect(readFileSync(patch, 'utf8')).toContain(`--- a/${file}`);
    execFileSync('git', ['apply', '--check', patch], { cwd: root, stdio: 'pipe' });
  });

  it('is in the table, and there are fifteen', () => {
    const patches = readdirSync(folder).filter((name) => name.endsWith('.patch'));
    expect(patches.toSorted()).toEqual(plantedBugs.map(({ id }) => `${id}.patch`).toSorted());
    expect(plantedBugs).toHaveLength(15);
  });
});
