// Where the claims of a pool stand, by how many of them there are.
import { describe, expect, it } from 'vitest';
import { PersistentMap } from '#machines/contract/persistent-map.ts';
import { claims, noAssigning } from '#machines/agentsandbox/warmpool/assigning/assigning.ts';
import { stateIn } from '#machines/statechart/region.ts';

const some = (count: number): PersistentMap<string, never> =>
  Array.from({ length: count }).reduce<PersistentMap<string, never>>(
    (map, _, index) => map.set(`claim-${index}`, {} as never),
    PersistentMap.of(),
  );

describe('The claims of a pool', () => {
  it.each([
    [0, 0, 'served'],
    [0, 1, 'assigning'],
    [0, 2, 'assigning'],
    [1, 0, 'waiting'],
    [1, 1, 'waiting'],
    [2, 3, 'waiting'],
  ])('of which %i wait and %i are being given a Sandbox are %s', (waiting, given, state) => {
    const assigning = { ...noAssigning, waiting: some(waiting), assignments: some(given) };
    expect(stateIn(claims, { assigning } as never, {} as never, 0)).toBe(state);
  });
});
