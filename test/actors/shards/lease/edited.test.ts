// Leases that somebody deletes or edits under processes that share shards, on a virtual clock.
import { describe, expect, it } from 'vitest';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { terms, World } from './world.ts';

const world = (seed = 1): World => new World(new VirtualClock(), seeded(seed));
const shards = Array.from({ length: terms.shards }, (_, shard) => shard);

async function shared(count: number): Promise<World> {
  const place = world();
  for (let n = 1; n <= count; n++) place.start(`p${n}`);
  await place.until(
    () => place.isShared() && place.nodes.every(({ running }) => running.size > 0),
    5_000,
  );
  return place;
}

const first = <T>([value]: readonly T[]): T => {
  if (value === undefined) throw new Error('empty');
  return value;
};

describe('Leases that somebody deletes', () => {
  it('take no shard from two: its holder loses it at once, the others wait', async () => {
    const place = await shared(3);
    for (const [key, { uid }] of place.server.leases) place.server.remove(key, { uid });
    await place.pass(30_000);
    await place.until(() => place.isShared(), 10_000);
    for (const shard of shards)
      expect(first(place.holders(shard)).keeper.epoch(shard)).toBeGreaterThan(1);
  });

  it('stay gone where the answer to the last write on one comes after its end', async () => {
    const place = await shared(1);
    const { server } = place;
    server.faults.answerDelayMs = 500;
    const { keeper } = place.start('p2');
    const given = () =>
      [...server.leases.values()].find(
        (each) => each.type === 'shard' && each.holder === keeper.state().member,
      );
    await place.until(() => given() !== undefined, 5_000, 5);
    const record = given();
    if (record?.type !== 'shard') throw new Error('no shard was given');
    server.remove(`shard ${record.shard}`, record);
    server.faults.answerDelayMs = 0;
    await place.pass(1_000);
    expect(place.nodes.map((node) => node.keeper.holder(record.shard))).toEqual(['', '']);
    await place.until(() => place.isShared(), 30_000);
    expect(first(place.holders(record.shard)).keeper.epoch(record.shard)).toBeGreaterThan(
      record.epoch,
    );
  });
});

describe('A lease of a shard that somebody edits', () => {
  it.each([
    ['the same epoch', 0],
    ['an earlier epoch', -1],
  ])('is held again in an epoch that nobody had, and never in %s', async (_, step) => {
    const place = await shared(2);
    const [one, other] = place.nodes;
    const record = [...place.server.leases.values()].find(
      (each) => each.type === 'shard' && each.holder === one?.keeper.state().member,
    );
    if (record?.type !== 'shard' || other === undefined) throw new Error('no shard to take');
    const { shard, epoch } = record;
    const { member } = other.keeper.state();
    const edited = { ...record, holder: member, epoch: epoch + step };
    await Promise.all([place.server.store(other.clock).update(edited, record), place.pass(100)]);
    await place.pass(10_000);
    expect(place.isShared()).toBe(true);
    expect(first(place.holders(shard)).keeper.epoch(shard)).toBeGreaterThan(epoch);
  });

  it('into a later epoch of the same holder is begun anew in that', async () => {
    const place = await shared(1);
    const { keeper, clock, running } = first(place.nodes);
    const record = [...place.server.leases.values()].find((each) => each.type === 'shard');
    if (record?.type !== 'shard') throw new Error('no shard to edit');
    const { changes } = keeper.state();
    const edited = { ...record, epoch: record.epoch + 5 };
    await Promise.all([place.server.store(clock).update(edited, record), place.pass(100)]);
    expect([keeper.epoch(record.shard), running.size]).toEqual([record.epoch + 5, terms.shards]);
    expect(keeper.state().changes).toBe(changes + 2);
  });
});
