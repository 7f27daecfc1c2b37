// The same as in crash-each.test.ts, for sets with shared claims and ComputeDomains
// (works-of-devices.ts). A file of its own, so that all cores of a machine work.
import { describe, expect, it } from 'vitest';
import { crashAtEach } from './crash-each.ts';
import { worksOfClaims, worksOfDomains } from './works-of-devices.ts';

const works = { ...worksOfClaims, ...worksOfDomains };

describe.each(Object.entries(works))('A controller that dies once during work: %s', (_, work) => {
  it('leaves no trace of that, at whichever write it was', { timeout: 180_000 }, async () => {
    const { writes, problems } = await crashAtEach(work);
    expect(problems).toEqual([]);
    expect(writes).toBeGreaterThan(1);
  });
});
