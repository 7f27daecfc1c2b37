// Turns: a burst at once, then one per distance; rest gives the burst back.
import { describe, expect, it } from 'vitest';
import type { Clock } from '#actors/ports.ts';
import { TickThrottle } from '#actors/run/tick-throttle.ts';

function bench() {
  const time = { steady: 0, day: 0 };
  const clock: Clock = {
    now: () => time.day,
    steady: () => time.steady,
    at: () => () => {},
    soon: () => {},
  };
  const throttle = new TickThrottle(clock, {
    tickBurst: 3,
    tickBurstMost: 10,
    tickDistanceMs: 10,
    tickStream: 4,
  });
  const take = (times: number): number[] => Array.from({ length: times }, () => throttle.take());
  return { time, throttle, take };
}

describe('Turns', () => {
  it('of a burst follow at once, the next one after the distance', () => {
    expect(bench().take(4)).toEqual([0, 0, 0, 10]);
  });

  it('that begin when they may keep the distance from then on', () => {
    const { time, take } = bench();
    take(3);
    for (let turn = 0; turn < 5; turn++) {
      expect(take(1)).toEqual([10]);
      time.steady += 10;
    }
  });

  it('come back one by one while nothing happens, never more than a burst', () => {
    const { time, take } = bench();
    take(3);
    time.steady += 20;
    expect(take(3)).toEqual([0, 0, 10]);
    time.steady += 100_000;
    expect(take(4)).toEqual([0, 0, 0, 10]);
  });

  it('of a burst follow at once again where next to nothing came while one waited', () => {
    const { time, take, throttle } = bench();
    take(4);
    time.steady += 10;
    throttle.waited(4);
    expect(take(1)).toEqual([10]);
    time.steady += 10;
    throttle.waited(3);
    expect(take(4)).toEqual([0, 0, 0, 0]);
  });

  it('come in bursts that double, up to a bound, while next to nothing comes', () => {
    const { time, take, throttle } = bench();
    const bursts = Array.from({ length: 4 }, () => {
      let burst = 0;
      while (take(1)[0] === 0) burst++;
      time.steady += 10;
      throttle.waited(1);
      return burst;
    });
    expect(bursts).toEqual([3, 6, 10, 10]);
  });

  it('come in bursts of the usual length again after a wait under load', () => {
    const { time, take, throttle } = bench();
    take(4);
    throttle.waited(0);
    expect(take(7)).toEqual([0, 0, 0, 0, 0, 0, 10]);
    time.steady += 10;
    throttle.waited(4);
    time.steady += 100_000;
    expect(take(4)).toEqual([0, 0, 0, 10]);
  });

  it.each([
    ['for what is left of the distance only', { steady: 7, day: 7 }, 3],
    ['no longer where the time of day was set back', { steady: 10, day: -3_600_000 }, 0],
    ['for one distance at most, whatever the clock says', { steady: -3_600_000, day: 0 }, 10],
  ])('wait %s', (_, passed, waitMs) => {
    const { time, take } = bench();
    take(3);
    time.steady += passed.steady;
    time.day += passed.day;
    expect(take(1)).toEqual([waitMs]);
  });
});
