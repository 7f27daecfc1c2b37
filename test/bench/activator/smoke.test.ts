// The benchmark of the activator small: that a cell of each kind runs in its process, and that all
// of them can be made. What the figures are says the benchmark itself.
import { describe, expect, it } from 'vitest';
import { cells } from './cells/all.ts';
import { measureCell, withCells } from './run.ts';

describe('The benchmark of the activator', () => {
  it.each(cells.map(({ name, make }) => ({ name, make })))(
    'prepares and runs: $name',
    ({ make }) => {
      const { run, empty } = make();
      expect([run(3), empty(3)].every(Number.isFinite)).toBe(true);
    },
  );

  it.each(['random-choice-2 10', 'wait and grant, 1 waiting', 'snapshot of 100, 1 % new'])(
    'measures in a process of its own: %s',
    async (name) => {
      const { ns, reference_ns } = await withCells((cell) => measureCell(cell, name, 1));
      expect(ns).toBeGreaterThan(0);
      expect(reference_ns).toBeGreaterThan(0);
    },
  );

  it('says which cell is not there', async () => {
    const measured = withCells((cell) => measureCell(cell, 'random 7', 1));
    await expect(measured).rejects.toThrow('there is no cell "random 7"');
  });
});
