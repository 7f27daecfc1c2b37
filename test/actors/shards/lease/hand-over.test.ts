// How a shard goes from a process that stays to another one, on a virtual clock.
import { describe, expect, it } from 'vitest';
import { shared, terms, type World } from './world.ts';

const ownerIn = ({ nodes: [owner] }: World) => {
  if (owner === undefined) throw new Error('nobody owns anything');
  return owner;
};

describe('Processes that share', () => {
  it('hand over one shard after the other while they stay', async () => {
    const place = await shared(1);
    const owner = ownerIn(place);
    owner.drainMs = 300;
    const joiner = place.start('p2');
    await place.until(() => owner.running.size < terms.shards, 5_000, 5);
    await place.pass(290, 5);
    expect(owner.running.size).toBe(terms.shards - 1);
    await place.until(() => joiner.running.size === terms.shards / 2, 1_000);
    expect(place.isShared()).toBe(true);
  });

  it('wait with a hand-over until the last write is answered', async () => {
    const place = await shared(2);
    for (const node of place.nodes) node.drainMs = 3_000;
    const joiner = place.start('p3');
    await place.pass(2_900);
    expect(joiner.running.size).toBe(0);
    await place.until(() => joiner.running.size > 0, 1_000);
  });
});
