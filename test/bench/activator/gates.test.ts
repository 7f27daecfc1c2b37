// The gates of the benchmark of the activator: what they are computed from, when one is missed, and
// that each cell that they name is there.
import { describe, expect, it } from 'vitest';
import type { Cell } from './body.ts';
import { cells } from './cells/all.ts';
import { Figures, type Measured } from './figures.ts';
import { claims, judge } from './gates.ts';

/** Every cell as fast as the others, in two runs. */
const even = (change: (name: string) => Partial<Measured> = () => ({})): Figures => {
  const runs = cells.map(({ name }) => {
    const run = { ns: 10, reference_ns: 2, bytes: 0, ...change(name) } as Measured;
    return [name, [run, run]] as const;
  });
  return new Figures(cells, new Map(runs));
};

const counted = (name: string): Partial<Measured> => ({
  ...(name.startsWith('old') ? { ns: 100 } : {}),
  ...(name.startsWith('wait and') ? { bytes_per_waiter: 70 } : {}),
  ...(name.startsWith('wake') ? { longest_block_ms: 1 } : {}),
  ...(name.startsWith('1,000 pods') ? { visits_per_release: 1.5 } : {}),
});

const missed = (figures: Figures): readonly string[] =>
  judge(figures).flatMap(({ what, isMet }) => (isMet ? [] : [what]));

describe('The gates of the activator', () => {
  it('name cells that are there, each once', () => {
    expect(new Set(cells.map(({ name }) => name)).size).toBe(cells.length);
    const gates = judge(even(counted));
    expect(gates.map(({ what }) => what)).toEqual([...new Set(gates.map(({ what }) => what))]);
    expect(gates).toHaveLength(36);
    expect(claims(even(counted))).toHaveLength(7);
  });

  it('are met where all is well, and left out where nothing was measured', () => {
    expect(missed(even(counted))).toEqual([]);
    expect(judge(new Figures(cells, new Map()))).toEqual([]);
  });

  it.each([
    ['round-robin 5000', { ns: 16 }, 'round-robin: 5,000 pods to 10'],
    ['old design 100', { ns: 49 }, 'old design to two choices, 100 pods'],
    ['random 500', { bytes: 1 }, 'bytes of an acquisition'],
    ['admission by random 100', { ns: 17 }, 'admission by random to the reference loop'],
    ['limit 3, 100 % taken', { ns: 17 }, 'limit 3, 100 % taken to the reference loop'],
    ['wait and cancel, 10000 waiting', { ns: 16 }, 'wait and cancel: 10,000 waiting to 1'],
    ['wake 10,000 by 256', { longest_block_ms: 6 }, 'longest block by 256, ms'],
  ])('are missed where %s has %j', (slow, figures, gate) => {
    const change = (name: string): Partial<Measured> => ({
      ...counted(name),
      ...(name === slow ? figures : {}),
    });
    expect(missed(even(change))).toEqual([gate]);
  });

  it('take the median of the ratios of each run, and of bytes those that are known', () => {
    const one: Cell = { part: 'B-1', name: 'one', make: () => ({}) as never };
    const other: Cell = { part: 'B-1', name: 'other', make: () => ({}) as never };
    const runs = new Map<string, readonly Measured[]>([
      ['one', [10, 20, 90].map((ns) => ({ ns, reference_ns: 10 }))],
      ['other', [10, 10, 30].map((ns, run) => ({ ns, reference_ns: 5, bytes: run }))],
    ]);
    const figures = new Figures([one, other], runs);
    expect(figures.ratio('one', 'other')).toBe(2);
    expect(figures.toReference('other')).toBe(2);
    expect([figures.of('one', 'bytes'), figures.of('other', 'bytes')]).toEqual([undefined, 1]);
    expect(figures.spread('one', 'ns')).toEqual([10, 90]);
  });
});
