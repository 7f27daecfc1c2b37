// What a seed draws: when each hardship comes, whom it strikes and for how long.
import { describe, expect, test } from 'vitest';
import { drawSchedule, hardships, lineOf } from './schedule.ts';

describe('The schedule of a day of chaos', () => {
  test('is the same for the same seed, and another one for another', () => {
    expect(drawSchedule(7, 120)).toEqual(drawSchedule(7, 120));
    expect(drawSchedule(7, 120)).not.toEqual(drawSchedule(8, 120));
  });

  test('has every hardship in twenty minutes, and exactly one restore', () => {
    const acts = drawSchedule(3, 1200);
    expect(new Set(acts.map(({ what }) => what))).toEqual(new Set(hardships));
    expect(acts.filter(({ what }) => what === 'restore')).toHaveLength(1);
  });

  test('has no restore where the day is too short to come to itself after it', () => {
    const acts = drawSchedule(3, 119);
    expect(acts.filter(({ what }) => what === 'restore')).toHaveLength(0);
  });

  test('is in the order of time, and leaves the begin and the end of the day alone', () => {
    const times = drawSchedule(5, 300).map(({ atS }) => atS);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times.at(0)).toBeGreaterThanOrEqual(6);
    expect(times.at(-1)).toBeLessThan(294);
  });

  test('pauses for longer than the lease, and kills the first replica alone', () => {
    const acts = drawSchedule(11, 1200);
    const pauses = acts.filter(({ what }) => what === 'pause');
    expect(Math.min(...pauses.map(({ forMs }) => forMs))).toBeGreaterThan(8_000);
    const killed = acts.filter(({ what }) => what === 'kill').map(({ target }) => target);
    expect(new Set(killed)).toEqual(new Set(['first']));
  });

  test('is told by a line for each act', () => {
    const act = { atS: 34.12, what: 'pause', target: 'second', forMs: 12_000, draw: 0.5 } as const;
    expect(lineOf(act)).toBe('34.120 s pause (second) for 12000 ms');
    expect(lineOf({ ...act, what: 'eviction', forMs: 0 })).toBe('34.120 s eviction (second)');
  });
});
