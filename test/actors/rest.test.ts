// What is left of actors that are gone: nothing but what is kept on purpose, all of which has a
// bound.
import { describe, expect, it } from 'vitest';
import { lives } from './fixtures/life.ts';

describe('A system', () => {
  it.each(['direct', 'nats'] as const)(
    'holds as much after a third life of its actors as after the second one (%s)',
    async (delivery) => {
      const { live, held, world } = lives(delivery);
      await live('a');
      await live('b');
      const before = held();
      await live('c');
      const after = held();
      expect(world.cluster.list()).toEqual([]);
      const grown = [...after].filter(([path, value]) => before.get(path) !== value);
      expect(grown).toEqual([]);
      expect([...before.keys()].filter((path) => !after.has(path))).toEqual([]);
    },
  );
});
