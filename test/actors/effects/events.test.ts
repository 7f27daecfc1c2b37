// Events: one per reason and note, counted, allowed in bounded number.
import { queryObjects } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { EventRecorder, eventName } from '#actors/effects/events.ts';
import { Precedence } from '#actors/effects/precedence.ts';
import { defaultLimits } from '#actors/limits.ts';
import type { Limits } from '#actors/limits.ts';
import { Actor } from '#actors/run/actor.ts';
import { Deadlines } from '#actors/run/deadlines.ts';
import { soleOwner } from '#actors/shards/shard.ts';
import type { RecordEvent } from '#machines/contract/intents.ts';
import { FakeCluster } from '#test/support/fake-cluster.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { setActor } from '../fixtures/runner.ts';

const event = (note: string, uid = 'u', name = 'demo') =>
  ({
    type: 'recordEvent',
    regarding: { kind: 'PodCliqueSet', namespace: 'default', name, uid },
    severity: 'Normal',
    reason: 'PodCliqueSetAvailable',
    note,
  }) as const;
const object = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: 'demo' },
};

function bench(limits: Partial<Limits> = {}) {
  const clock = new VirtualClock();
  const cluster = new FakeCluster(clock);
  const lease = { ...soleOwner(1), held: true, holds: () => lease.held };
  const deadlines = new Deadlines(clock);
  const precedence = new Precedence({ clock, deadlines, limits: defaultLimits });
  const recorder = new EventRecorder({
    ports: { cluster, clock, lease },
    limits: { ...defaultLimits, ...limits },
    deadlines,
    precedence,
  });
  const record = (...events: RecordEvent[]) => {
    for (const each of events) recorder.record(setActor(), each, object);
  };
  return { clock, cluster, recorder, record, lease, precedence };
}

describe('An Event', () => {
  it('that repeats is written under the same name with a growing count, now and then', async () => {
    const { clock, cluster, record } = bench();
    for (let n = 0; n < 50; n++) {
      record(event('again'));
      await clock.advance(1_000);
    }
    await clock.advance(20_000);
    const counts = cluster.events.map(({ count }) => count);
    expect(counts.length).toBeLessThanOrEqual(7);
    expect(counts.at(-1)).toBe(50);
    expect(new Set(cluster.events.map(({ name }) => name)).size).toBe(1);
    expect(cluster.events.map(({ isWritten }) => isWritten)).toEqual(
      counts.map((_, index) => index > 0),
    );
    expect(cluster.events[0]).toMatchObject({
      regarding: { apiVersion: object.apiVersion },
      controller: 'podcliqueset-controller',
    });
  });

  it('that waits for its turn keeps the recorder from being idle', async () => {
    const { clock, cluster, recorder, record, precedence } = bench();
    precedence.sent('first');
    record(event('goes'), event('waits'));
    await clock.advance(100);
    expect([cluster.events.length, recorder.isIdle]).toEqual([1, false]);
    precedence.landed('first');
    await clock.advance(5_000);
    expect([cluster.events.length, recorder.isIdle]).toEqual([2, true]);
  });

  it('does not hold its actor, which may have ended long ago', () => {
    const { recorder, record } = bench();
    const before = queryObjects(Actor);
    record(event('told'));
    expect(recorder.isIdle).toBe(false);
    expect(queryObjects(Actor)).toBe(before);
  });

  it('of an owner in another epoch is another one', () => {
    const names = [1, 2, 3].map((epoch) => eventName(event('a'), epoch));
    expect(new Set(names).size).toBe(3);
  });

  it('of another note, reason or object is another one', () => {
    const names = [
      event('a'),
      event('b'),
      event('a', 'v'),
      { ...event('a'), reason: 'TopologyInSync' } as const,
    ];
    expect(new Set(names.map((each) => eventName(each, 1))).size).toBe(4);
    expect(eventName(event('a', 'u', 'n'.repeat(300)), 1).length).toBeLessThanOrEqual(253);
  });

  it('beyond the allowance of its object is dropped and counted; another object has its own', async () => {
    const { clock, cluster, recorder, record } = bench({ eventBurst: 3 });
    record(...['a', 'b', 'c', 'd', 'e'].map((note) => event(note)), event('x', 'other'));
    await clock.advance(1_000);
    expect(cluster.events.map(({ note }) => note)).toEqual(['a', 'b', 'c', 'x']);
    expect(recorder.dropped).toBe(2);
    await clock.advance(120_000);
    record(event('f'), event('g'), event('h'));
    await clock.advance(1_000);
    expect(cluster.events.map(({ note }) => note).slice(4)).toEqual(['f', 'g']);
  });

  it('is written in bounded parallel, and not without the lease or after the end', async () => {
    const { clock, cluster, recorder, record, lease } = bench();
    let most = 0;
    let now = 0;
    const write = cluster.event.bind(cluster);
    cluster.event = async (each) => {
      most = Math.max(most, ++now);
      const outcome = await write(each);
      now--;
      return outcome;
    };
    record(...Array.from({ length: 20 }, (_, at) => event(`n${at}`)));
    await clock.advance(100);
    expect(cluster.events).toHaveLength(20);
    expect(most).toBe(defaultLimits.eventsInFlight);
    lease.held = false;
    record(event('late'));
    await clock.advance(5_000);
    expect(cluster.events).toHaveLength(20);
    lease.held = true;
    await clock.advance(6_000);
    expect(cluster.events.at(-1)).toMatchObject({ note: 'late' });
    recorder.stop();
    record(event('later'));
    await clock.advance(60_000);
    expect(cluster.events).toHaveLength(21);
  });

  it('that gives way to writes is not written after the end', async () => {
    const { clock, cluster, recorder, record, precedence } = bench();
    precedence.sent('first');
    precedence.sent('last');
    record(event('late'));
    expect(recorder.isIdle).toBe(false);
    recorder.stop();
    expect(recorder.isIdle).toBe(true);
    precedence.landed('first');
    precedence.landed('last');
    await clock.advance(60_000);
    expect(cluster.events).toEqual([]);
  });

  it('that repeats before the cluster has it is still a new one', async () => {
    const { clock, cluster, record, lease } = bench();
    lease.held = false;
    record(event('late'), event('late'));
    await clock.advance(1_000);
    lease.held = true;
    await clock.advance(2 * defaultLimits.eventRepeatMs);
    expect(cluster.events).toMatchObject([{ count: 2, isWritten: false }]);
    record(event('late'));
    await clock.advance(2 * defaultLimits.eventRepeatMs);
    expect(cluster.events[1]).toMatchObject({ count: 3, isWritten: true });
  });

  it('of a shard that is lost for good is let go, and leaves no timer', async () => {
    const { clock, cluster, recorder, record, lease } = bench();
    lease.held = false;
    record(event('late'));
    await clock.advance(10 * defaultLimits.eventRepeatMs);
    expect(cluster.events).toEqual([]);
    expect(recorder.dropped).toBe(1);
    expect(clock.pending).toBe(0);
  });

  it('that fails is tried three times and then let go', async () => {
    const { clock, cluster, recorder, record } = bench();
    let tries = 0;
    cluster.event = () => {
      tries++;
      return tries % 2 === 0
        ? Promise.reject(new Error('broken port'))
        : Promise.resolve({ ok: false, code: 'SERVER_ERROR', message: 'm' });
    };
    record(event('a'));
    await clock.advance(200_000);
    expect(tries).toBe(3);
    expect(recorder).toMatchObject({ dropped: 1, isIdle: true });
    record(event('a'));
    await clock.advance(200_000);
    expect(tries).toBe(6);
    expect(recorder).toMatchObject({ dropped: 2, isIdle: true });
  });

  it('that fails twice each time it repeats is told each time', async () => {
    const { clock, cluster, recorder, record } = bench();
    const told: number[] = [];
    let tries = 0;
    cluster.event = ({ count }) => {
      if (++tries % 3 !== 0) {
        return Promise.resolve({ ok: false, code: 'SERVER_ERROR', message: 'm' });
      }
      told.push(count);
      return Promise.resolve({ ok: true, observations: [] });
    };
    for (let n = 0; n < 3; n++) {
      record(event('a'));
      await clock.advance(200_000);
    }
    expect(told).toEqual([1, 2, 3]);
    expect(recorder.dropped).toBe(0);
  });
});
