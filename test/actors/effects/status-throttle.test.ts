// How long a lazy status waits: until things have come to rest, but not for ever.
import { describe, expect, it } from 'vitest';
import { WritesByObject } from '#actors/effects/object-writes.ts';
import { StatusThrottle } from '#actors/effects/status-throttle.ts';
import { defaultLimits } from '#actors/limits.ts';
import type { Clock } from '#actors/ports.ts';
import { Deadlines } from '#actors/run/deadlines.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { makePod, patch, runner, setActor, status } from '../fixtures/runner.ts';

const other = { rank: 'child', intent: makePod('p') } as const;

function bench() {
  const clock = new VirtualClock();
  // The clock that the process sees: timers are spans, as in Node, whatever the wall clock says.
  const wall = { offsetMs: 0 };
  const seen: Clock = {
    now: () => clock.now() + wall.offsetMs,
    steady: () => clock.steady(),
    at: (at, run) => clock.at(at - wall.offsetMs, run),
    soon: (run) => clock.soon(run),
  };
  const released: string[] = [];
  const writes = new WritesByObject().open({ kind: 'PodClique', namespace: 'default', name: 'a' });
  const statusThrottle = new StatusThrottle({
    clock: seen,
    deadlines: new Deadlines(seen),
    limits: defaultLimits,
    release: ({ key }) => released.push(key),
  });
  const busyFor = async (ms: number): Promise<void> => {
    for (let spent = 0; spent < ms; spent += 500) {
      statusThrottle.wrote(other);
      await clock.advance(500);
    }
  };
  return { clock, wall, released, writes, statusThrottle, busyFor };
}

describe('A lazy status', () => {
  it('is let go after a second in which nothing else was written', async () => {
    const { clock, released, writes, statusThrottle } = bench();
    statusThrottle.hold(writes);
    await clock.advance(999);
    expect(released).toEqual([]);
    await clock.advance(1);
    expect(released).toEqual(['PodClique/default/a']);
  });

  it('that comes after one that was let go waits as long itself', async () => {
    const { clock, released, writes, statusThrottle } = bench();
    statusThrottle.hold(writes);
    await clock.advance(900);
    statusThrottle.letGo(writes);
    await clock.advance(900);
    expect(released).toEqual([]);
    statusThrottle.hold(writes);
    await clock.advance(999);
    expect(released).toEqual([]);
    await clock.advance(1);
    expect(released).toHaveLength(1);
  });

  it('waits while other writes go out, and goes when they have ended', async () => {
    const { clock, released, writes, statusThrottle, busyFor } = bench();
    statusThrottle.hold(writes);
    await busyFor(5_000);
    expect(released).toEqual([]);
    await clock.advance(2_000);
    expect(released).toHaveLength(1);
  });

  it('is sent after the longest wait, however busy it is', async () => {
    const { released, writes, statusThrottle, busyFor } = bench();
    statusThrottle.hold(writes);
    await busyFor(defaultLimits.lazyStatusMaxMs + 1_000);
    expect(released).toHaveLength(1);
  });

  it('takes over the time that its predecessor waited', async () => {
    const { clock, released, writes, statusThrottle } = bench();
    statusThrottle.hold(writes);
    await clock.advance(600);
    statusThrottle.hold(writes);
    await clock.advance(400);
    expect(released).toHaveLength(1);
  });

  it('that was overtaken is not let go any more', async () => {
    const { clock, released, writes, statusThrottle } = bench();
    statusThrottle.hold(writes);
    statusThrottle.letGo(writes);
    await clock.advance(60_000);
    expect(released).toEqual([]);
  });

  it('does not wait longer because the clock was set back', async () => {
    const { clock, wall, released, writes, statusThrottle } = bench();
    statusThrottle.hold(writes);
    wall.offsetMs = -3_600_000;
    statusThrottle.wrote(other);
    await clock.advance(5_000);
    expect(released).toHaveLength(1);
  });
});

describe('An urgent status', () => {
  /** Writes a status and has somebody else undo it, again and again. */
  async function fight(seconds: number) {
    const bench = runner();
    const { clock, cluster, given, submit, effects } = bench;
    const set = given('PodCliqueSet', 'demo');
    const ref = { kind: 'PodCliqueSet', namespace: 'default', name: 'demo' } as const;
    const end = clock.now() + seconds * 1_000;
    for (let ready = 1; clock.now() < end; ready++) {
      submit(setActor(), status(set, 'PodCliqueSet', ready));
      await clock.until(() => effects.isIdle, 60_000);
      cluster.setStatus(ref, { ready: 0 });
      const live = cluster.get(ref);
      if (live !== undefined) bench.cache.see('PodCliqueSet', live);
    }
    return bench;
  }

  it('that is undone each time is written at most about once a second', async () => {
    const { sent } = await fight(60);
    expect(sent().length).toBeGreaterThan(40);
    expect(sent().length).toBeLessThan(90);
  });

  it('and a patch too', async () => {
    const { clock, given, submit, effects, sent } = runner();
    const set = given('PodCliqueSet', 'demo');
    const end = clock.now() + 60_000;
    for (let round = 1; clock.now() < end; round++) {
      submit(setActor(), patch(set, 'PodCliqueSet', { round: String(round) }));
      await clock.until(() => effects.isIdle, 60_000);
    }
    expect(sent().length).toBeGreaterThan(40);
    expect(sent().length).toBeLessThan(90);
  });

  it('waits for a second although others write all the time', async () => {
    const { clock, given, submit, effects, sent } = runner();
    const set = given('PodCliqueSet', 'demo');
    const write = (round: number): void =>
      submit(setActor(), patch(set, 'PodCliqueSet', { round: String(round) }));
    for (let round = 1; round <= defaultLimits.updateBurst; round++) {
      write(round);
      await clock.until(() => effects.isIdle, 60_000);
    }
    const ofDemo = (): number => sent().filter((each) => each.includes('demo')).length;
    const before = ofDemo();
    write(0);
    for (let spent = 0; spent < 1_200; spent += 200) {
      submit(setActor(), makePod(`p${spent}`));
      await clock.advance(200);
    }
    expect(ofDemo()).toBe(before + 1);
  });

  it('for which others wait goes at once more often, but not for ever', async () => {
    const { clock, given, submit, effects, sent } = runner();
    const set = given('PodCliqueSet', 'demo');
    const write = async (round: number): Promise<void> => {
      const intent = patch(set, 'PodCliqueSet', { round: String(round) });
      submit(setActor(), { ...intent, urgency: 'first' });
      await clock.until(() => effects.isIdle, 60_000);
    };
    const { firstBurst } = defaultLimits;
    const begun = clock.now();
    for (let round = 1; round <= firstBurst; round++) await write(round);
    expect(sent()).toHaveLength(firstBurst);
    expect(clock.now() - begun).toBeLessThan(2_000);
    await write(0);
    expect(clock.now() - begun).toBeGreaterThan(defaultLimits.lazyStatusMs);
  });

  it('does not hold back the patch that lets an object go', async () => {
    const { clock, submit, effects, cluster, cache, sent } = await fight(30);
    await clock.until(() => effects.isIdle, 60_000);
    const ref = { kind: 'PodCliqueSet', namespace: 'default', name: 'demo' } as const;
    const live = cluster.get(ref);
    if (live === undefined) throw new Error('gone');
    const { metadata } = live;
    const going = {
      ...live,
      metadata: {
        ...metadata,
        resourceVersion: String(Number(metadata.resourceVersion) + 1),
        deletionTimestamp: '2026-01-01T00:00:00Z',
      },
    };
    cache.see('PodCliqueSet', going);
    const before = sent().length;
    submit(setActor(), patch(going, 'PodCliqueSet', { last: 'one' }));
    await clock.advance(20);
    expect(sent()).toHaveLength(before + 1);
  });

  it('of an object that took the name of another goes at once', async () => {
    const { clock, given, submit, effects, cluster, cache, sent } = await fight(30);
    await clock.until(() => effects.isIdle, 60_000);
    const ref = { kind: 'PodCliqueSet', namespace: 'default', name: 'demo' } as const;
    const old = cluster.get(ref);
    cluster.delete(ref);
    cache.gone(ref, old?.metadata.uid ?? '');
    const namesake = given('PodCliqueSet', 'demo');
    expect(namesake.metadata.uid).not.toBe(old?.metadata.uid);
    const before = sent().length;
    submit(setActor(), patch(namesake, 'PodCliqueSet', { is: 'new' }));
    await clock.advance(20);
    expect(sent()).toHaveLength(before + 1);
  });

  it('goes at once again when the fight is over', async () => {
    const { clock, cluster, given, submit, sent } = await fight(30);
    await clock.advance(20_000);
    submit(setActor('x'), status(given('PodCliqueSet', 'x'), 'PodCliqueSet', 1));
    await clock.advance(10_000);
    const [set] = cluster.list('PodCliqueSet');
    const before = sent().length;
    if (set !== undefined) submit(setActor(), status(set, 'PodCliqueSet', 99));
    await clock.advance(20);
    expect(sent().length).toBe(before + 1);
  });
});
