// Processes whose loop is blocked, or whose clock is slower or faster than that of the others: when
// they are taken for dead they hold nothing any more. The world looks at each instant whether a
// shard has two holders.
import { describe, expect, it } from 'vitest';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { type Node, terms, World } from './world.ts';

const shards = Array.from({ length: terms.shards }, (_, shard) => shard);

/** Two whose clocks run at the one rate, and one of the other. */
async function among(rate: number, ofOthers: number): Promise<{ place: World; one: Node }> {
  const place = new World(new VirtualClock(), seeded(1));
  const one = place.start('odd', rate);
  for (const name of ['p1', 'p2']) place.start(name, ofOthers);
  await place.until(() => place.isShared() && one.running.size > 0, 10_000);
  return { place, one };
}

/** Others hold what was its. */
const isReplaced = (place: World, one: Node): boolean =>
  shards.every((shard) => place.holders(shard).some((holder) => holder !== one));

const held = ({ keeper }: Node): readonly number[] => shards.filter((shard) => keeper.holds(shard));

describe('A process that its peers take for dead', () => {
  it('holds nothing when its loop, blocked for 20 s, goes on', async () => {
    const { place, one } = await among(1, 1);
    one.clock.isPaused = true;
    await place.pass(20_000);
    expect(isReplaced(place, one)).toBe(true);
    one.clock.resume();
    // Before any event or timer of it.
    expect(held(one)).toEqual([]);
    place.check();
    await place.until(() => place.isShared() && one.running.size > 0, 10_000);
  });

  it.each([
    { what: 'its clock runs at half the rate', rate: 0.5, ofOthers: 1 },
    { what: 'their clocks run at double rate', rate: 1, ofOthers: 2 },
  ])('holds nothing before they take over where $what', async ({ rate, ofOthers }) => {
    const { place, one } = await among(rate, ofOthers);
    place.server.cutOff.add(one.clock);
    await place.until(() => isReplaced(place, one), 20_000);
    expect(held(one)).toEqual([]);
    await place.pass(20_000);
    place.server.cutOff.clear();
    await place.until(() => place.isShared() && one.running.size > 0, 40_000);
  });
});
