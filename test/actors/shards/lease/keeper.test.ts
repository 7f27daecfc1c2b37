// Processes that share shards, on a virtual clock: who owns what, how long hand-overs take, what
// happens to those who are stopped, killed or cut off. The storm is in storm.test.ts.
import { describe, expect, it } from 'vitest';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { shared, terms, World } from './world.ts';

const world = (seed = 1): World => new World(new VirtualClock(), seeded(seed));
const shards = Array.from({ length: terms.shards }, (_, shard) => shard);

const first = <T>([value]: readonly T[]): T => {
  if (value === undefined) throw new Error('empty');
  return value;
};

describe('A process that is alone', () => {
  it('owns every shard within a second, in the first epoch', async () => {
    const place = world();
    const node = place.start('p1');
    expect(await place.until(() => place.isShared(), 5_000)).toBeLessThan(1_000);
    expect(shards.map((shard) => node.keeper.epoch(shard))).toEqual(shards.map(() => 1));
  });

  it('writes one renewal each two seconds and nothing else', async () => {
    const place = await shared(1);
    const before = place.server.writes.ok;
    await place.pass(60_000);
    expect(place.server.writes.ok - before).toBeGreaterThanOrEqual(28);
    expect(place.server.writes.ok - before).toBeLessThanOrEqual(30);
  });

  it('gives its shards back when it leaves, so that the next one need not wait (R66)', async () => {
    const place = await shared(1);
    const left = first(place.nodes).keeper.leave();
    await place.pass(1_000);
    await left;
    place.kill(first(place.nodes));
    expect([...place.server.leases.values()].map(({ type }) => type)).not.toContain('member');
    place.start('p2');
    expect(await place.until(() => place.isShared(), 5_000)).toBeLessThan(1_500);
  });

  it('is unsure while it cannot renew, and then goes on with the same actors', async () => {
    const place = await shared(1);
    const node = first(place.nodes);
    const { changes } = node.keeper.state();
    await place.until(() => (node.keeper.state().sinceRenewalMs ?? 0) < 100, 3_000);
    place.server.faults.isDown = true;
    await place.pass(7_200);
    expect([node.keeper.holds(0), node.keeper.runs(0)]).toEqual([false, true]);
    place.server.faults.isDown = false;
    await place.until(() => node.keeper.holds(0), 3_000);
    expect(node.keeper.state().changes).toBe(changes);
  });

  it('tries no more often than it renews where nobody listens', async () => {
    const place = await shared(1);
    place.server.faults.isRefusing = true;
    const before = place.server.calls;
    await place.pass(60_000);
    expect(place.server.calls - before).toBeLessThanOrEqual(31);
    place.server.faults.isRefusing = false;
    await place.until(() => place.isShared(), 4_000);
  });

  it('ends its actors when it could not renew for longer, and starts them anew', async () => {
    const place = await shared(1);
    const node = first(place.nodes);
    place.server.faults.isDown = true;
    await place.pass(60_000);
    expect(node.running.size).toBe(0);
    // Its Leases name it still.
    expect(node.keeper.holder(0)).toBe('');
    place.server.faults.isDown = false;
    await place.until(() => place.isShared(), 4_000);
    expect(node.keeper.epoch(0)).toBe(1);
  });
});

describe('A process that stands still before it hears that it has joined', () => {
  it('joins under another name, so that all agree who is a member', async () => {
    const place = await shared(2);
    const isThere = (): boolean =>
      [...place.server.leases.values()].some(
        (lease) => lease.type === 'member' && lease.member === 'p3-1',
      );
    // Longer than it waits for an answer.
    place.server.faults.answerDelayMs = 3_000;
    const late = place.start('p3');
    await place.until(isThere, 5_000);
    late.clock.isPaused = true;
    place.server.faults.answerDelayMs = 0;
    await place.until(() => !isThere(), 60_000);
    late.clock.resume();
    await place.until(() => place.isShared() && late.running.size > 0, 10_000);
    const { changes } = late.keeper.state();
    await place.pass(60_000);
    expect(late.keeper.state().changes).toBe(changes);
    expect(late.keeper.state().member).toBe('p3-2');
  });
});

describe('A process whose first request to join has no answer', () => {
  /** The server goes away while the request is under way. */
  async function unanswered(delayMs: number) {
    const place = world();
    const node = place.start('p1');
    await place.until(() => place.server.calls > 0, 1_000, 1);
    place.server.faults.isDown = true;
    node.clock.isPaused = true;
    await place.pass(delayMs);
    place.server.faults.isDown = false;
    node.clock.resume();
    await place.until(() => place.isShared(), 10_000);
    return node.keeper.state().member;
  }

  it('keeps its name while no clock can say that it was silent for too long', async () => {
    expect(await unanswered(6_500)).toBe('p1-1');
    expect(await unanswered(7_200)).toBe('p1-2');
  });

  it('removes the lease where the server makes it after all, under the name given up', async () => {
    const place = world(4);
    const { faults, leases } = place.server;
    const isThere = (): boolean => leases.has('member p1-1');
    const node = place.start('p1');
    await place.until(() => place.server.calls > 0, 1_000, 1);
    faults.isDown = true;
    await place.pass(1_000);
    faults.isDown = false;
    faults.delayMs = 60_000;
    await place.pass(6_000);
    faults.delayMs = 5;
    await place.until(() => node.keeper.state().member === 'p1-2', 5_000);
    expect(isThere()).toBe(false);
    await place.until(isThere, 60_000);
    await place.until(() => !isThere(), 60_000);
  });
});

describe('Processes that share', () => {
  it('have their part each, and no write is ever refused', async () => {
    const place = await shared(3);
    await place.pass(60_000);
    expect(place.nodes.map(({ running }) => running.size).toSorted((a, b) => a - b)).toEqual([
      1, 1, 2,
    ]);
    expect(place.server.writes).toMatchObject({ changed: 0, gone: 0 });
  });

  it('give a joiner its part at once, in a new epoch and one at a time', async () => {
    const place = await shared(2);
    const joiner = place.start('p3');
    expect(
      await place.until(() => joiner.running.size > 0 && place.isShared(), 5_000),
    ).toBeLessThan(500);
    for (const shard of joiner.running) expect(joiner.keeper.epoch(shard)).toBeGreaterThan(1);
    expect(place.server.writes).toMatchObject({ changed: 0, gone: 0 });
  });

  it('take over from one that leaves within a moment', async () => {
    const place = await shared(3);
    const leaver = first(place.nodes);
    const left = leaver.keeper.leave();
    expect(await place.until(() => leaver.running.size === 0, 1_000, 5)).toBeLessThan(50);
    expect(
      await place.until(() => shards.every((shard) => place.holders(shard).length === 1), 1_000, 5),
    ).toBeLessThan(100);
    await place.pass(1_000);
    await left;
    expect(place.server.leases.has('member p1-1')).toBe(false);
    expect(place.server.writes).toMatchObject({ changed: 0, gone: 0 });
  });

  it('take over from one that leaves when its note of that is slow, and nothing comes back', async () => {
    for (let seed = 1; seed <= 20; seed++) {
      const place = world(seed);
      for (let n = 1; n <= 3; n++) place.start(`p${n}`);
      await place.until(
        () => place.isShared() && place.nodes.every(({ running }) => running.size > 0),
        5_000,
      );
      place.server.faults.delayMs = 400;
      const leaver = first(place.nodes);
      const left = leaver.keeper.leave();
      await place.pass(5_000);
      await left;
      place.kill(leaver);
      expect(place.isShared()).toBe(true);
      expect(
        Math.max(...shards.map((shard) => first(place.holders(shard)).keeper.epoch(shard))),
      ).toBe(2);
    }
  });

  it('are not joined by one that leaves while it joins', async () => {
    const place = await shared(2);
    const brief = place.start('p3');
    await place.pass(8, 4);
    const left = brief.keeper.leave();
    await place.pass(3_000);
    await left;
    expect(place.server.leases.has('member p3-1')).toBe(false);
    place.kill(brief);
    expect(place.isShared()).toBe(true);
  });

  it('take over from one that was killed within twenty seconds (R66)', async () => {
    const place = await shared(3);
    place.kill(first(place.nodes));
    expect(await place.until(() => place.isShared(), 30_000)).toBeLessThan(16_500);
    expect(place.server.writes).toMatchObject({ changed: 0, gone: 0 });
  });

  it('judge nobody while the server is away, and all keep what they had', async () => {
    const place = await shared(3);
    const before = place.nodes.map(({ running }) => [...running].toSorted((a, b) => a - b));
    place.server.faults.isDown = true;
    await place.pass(60_000);
    place.server.faults.isDown = false;
    // Who notices its return later than the others is not dead for that.
    const late = first(place.nodes);
    late.clock.isPaused = true;
    await place.pass(5_000);
    late.clock.resume();
    await place.pass(10_000);
    expect(place.nodes.map(({ running }) => [...running].toSorted((a, b) => a - b))).toEqual(
      before,
    );
    expect(
      shards.every((shard) => place.nodes.some(({ keeper }) => keeper.epoch(shard) === 1)),
    ).toBe(true);
  });
});

describe('A process that was stopped for 45 seconds', () => {
  it('holds nothing at the first look after it goes on, and joins anew', async () => {
    const place = await shared(3);
    const stopped = first(place.nodes);
    const held = [...stopped.running];
    stopped.clock.isPaused = true;
    await place.pass(45_000);
    expect(held.map((shard) => place.holders(shard).length)).toEqual(held.map(() => 1));
    stopped.clock.resume();
    expect(shards.map((shard) => stopped.keeper.holds(shard))).toEqual(shards.map(() => false));
    await place.until(() => stopped.keeper.state().member === 'p1-2', 5_000);
    await place.until(() => place.isShared() && stopped.running.size > 0, 5_000);
  });

  it('holds nothing either when nobody was there to take over, until it has renewed', async () => {
    const place = await shared(1);
    const node = first(place.nodes);
    node.clock.isPaused = true;
    await place.pass(45_000);
    node.clock.resume();
    expect(node.keeper.holds(0)).toBe(false);
    await place.until(() => place.isShared(), 3_000);
    expect(node.keeper.epoch(0)).toBe(1);
  });
});

describe('A process that has lost its lease', () => {
  it('says so once, as what it has read may be of another history', async () => {
    const place = world();
    let lost = 0;
    const node = place.start('p1', 1, { lost: () => lost++ });
    place.start('p2');
    await place.until(() => place.isShared(), 5_000);
    expect(lost).toBe(0);
    node.clock.isPaused = true;
    await place.pass(45_000);
    node.clock.resume();
    await place.until(() => node.keeper.state().member === 'p1-2', 5_000);
    await place.pass(10_000);
    expect(lost).toBe(1);
  });
});

describe('A process that answers questions', () => {
  it('tells the others where, as soon as it does and for as long', async () => {
    const place = world();
    const here: { address?: string } = {};
    const one = place.start('p1', 1, { address: () => here.address });
    const two = place.start('p2');
    await place.until(() => place.isShared(), 5_000);
    const ofOne = shards.filter((shard) => one.keeper.holds(shard));
    const ofTwo = shards.filter((shard) => two.keeper.holds(shard));
    const told = (): unknown => shards.map((shard) => two.keeper.address(shard));
    expect(told()).toEqual(shards.map(() => undefined));
    here.address = 'https://10.0.0.1:2754';
    const writes = place.server.writes.ok;
    await place.until(() => two.keeper.address(first(ofOne)) !== undefined, 2_500);
    expect(ofOne.map((shard) => two.keeper.address(shard))).toEqual(ofOne.map(() => here.address));
    expect(ofTwo.map((shard) => two.keeper.address(shard))).toEqual(ofTwo.map(() => undefined));
    expect(place.server.writes.ok - writes).toBeLessThanOrEqual(4);
    delete here.address;
    await place.pass(2_500);
    expect(told()).toEqual(shards.map(() => undefined));
  });
});
