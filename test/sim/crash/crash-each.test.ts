// The controller is killed before and after every single one of its writes, for each kind of work:
// it always comes to the end that the specification asks for (expected.ts), by the creations and
// deletions that are written down for that work by hand (works.ts).
import { describe, expect, it } from 'vitest';
import { crashAtEach } from './crash-each.ts';
import { works } from './works.ts';

describe.each(Object.entries(works))('A controller that dies once during work: %s', (_, work) => {
  it('leaves no trace of that, at whichever write it was', { timeout: 180_000 }, async () => {
    const { writes, problems } = await crashAtEach(work);
    expect(problems).toEqual([]);
    expect(writes).toBeGreaterThan(1);
  });
});
