// The decision of the autoscaler: averages in, replicas out.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decide,
  type Load,
  type Panic,
  type Scaled,
  type ScaleSettings,
} from '#machines/activator/autoscaler/decide.ts';

const settings: ScaleSettings = {
  target: 7,
  least: 0,
  most: 0,
  windowMs: 60_000,
  panicThreshold: 0,
  maxRise: 1_000,
  graceMs: 30_000,
};
const load = (average: number, more: Partial<Load> = {}): Load => ({
  average,
  recent: 0,
  idleMs: 0,
  ...more,
});
const pods = (count: number): Scaled => ({ wanted: count, ready: count });

const replicas = (...args: Parameters<typeof decide>): number => decide(...args).replicas;

describe('The autoscaler', () => {
  it('gives each pod its target of requests, and never a part of a pod (H-115)', () => {
    const averages = [0.1, 7, 7.1, 70, 70.5];
    const wanted = averages.map((average) => replicas(settings, load(average), pods(3), undefined));
    expect(wanted).toEqual([1, 1, 2, 10, 11]);
  });

  it('starts the first pod for a request that has no average yet (H-112)', () => {
    expect(replicas(settings, load(0), pods(0), undefined)).toBe(1);
  });

  it('keeps the last pod for the grace, and no other', () => {
    const after = (idleMs: number) => replicas(settings, load(0, { idleMs }), pods(5), undefined);
    expect([1, 29_999, 30_000].map(after)).toEqual([1, 1, 0]);
    const atZero = load(0, { idleMs: 1 });
    expect(replicas(settings, atZero, pods(0), undefined)).toBe(0);
  });

  it('stays between the fewest and the most pods', () => {
    const bounded = { ...settings, least: 2, most: 5 };
    expect(replicas(bounded, load(1_000), pods(2), undefined)).toBe(5);
    expect(replicas(bounded, load(0, { idleMs: 1e9 }), pods(2), undefined)).toBe(2);
  });

  it('rises by no more than its factor at one decision', () => {
    const careful = { ...settings, maxRise: 2 };
    expect(replicas(careful, load(1_000), pods(3), undefined)).toBe(6);
    expect(replicas(careful, load(1_000), pods(0), undefined)).toBe(2);
  });

  it('takes no pod away from a sudden rise until it is quiet for a window', () => {
    const nervous = { ...settings, panicThreshold: 2 };
    const sudden = decide(nervous, load(7, { recent: 70 }), pods(2), undefined);
    expect(sudden).toEqual({ replicas: 10, panic: { quietMs: 0 } });
    const kept = decide(nervous, load(7, { recent: 7 }), pods(10), { quietMs: 59_999 });
    expect(kept).toEqual({ replicas: 10, panic: { quietMs: 59_999 } });
    const over = decide(nervous, load(7, { recent: 7 }), pods(10), { quietMs: 60_000 });
    expect(over).toEqual({ replicas: 1, panic: undefined });
  });

  it('knows no sudden rise where that is off, as it is by default', () => {
    const decision = decide(settings, load(7, { recent: 7_000 }), pods(1), undefined);
    expect(decision).toEqual({ replicas: 1, panic: undefined });
  });
});

const arbitrary = {
  settings: fc
    .record({
      target: fc.double({ min: 0.01, max: 1_000, noNaN: true }),
      least: fc.integer({ min: 0, max: 20 }),
      room: fc.integer({ min: 0, max: 100 }),
      windowMs: fc.integer({ min: 1_000, max: 600_000 }),
      panicThreshold: fc.constantFrom(0, 1, 2, 10),
      maxRise: fc.integer({ min: 1, max: 1_000 }),
      graceMs: fc.integer({ min: 0, max: 100_000 }),
    })
    .map(({ room, ...each }) => ({ ...each, most: room === 0 ? 0 : each.least + room })),
  load: fc.record({
    average: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1e6, noNaN: true })),
    recent: fc.double({ min: 0, max: 1e6, noNaN: true }),
    idleMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 200_000 })),
  }),
  scaled: fc.record({
    wanted: fc.integer({ min: 0, max: 1_000 }),
    ready: fc.integer({ min: 0, max: 1_000 }),
  }),
  panic: fc.option(fc.record({ quietMs: fc.integer({ min: 0, max: 700_000 }) }), {
    nil: undefined,
  }),
};

type Case = readonly [ScaleSettings, Load, Scaled, Panic | undefined];
const cases = fc.tuple(
  arbitrary.settings,
  arbitrary.load,
  arbitrary.scaled,
  arbitrary.panic,
) satisfies fc.Arbitrary<Case>;

describe('Every decision of the autoscaler', () => {
  it('is a whole number of pods between the bounds', () => {
    fc.assert(
      fc.property(cases, (each) => {
        const count = replicas(...each);
        const [{ least, most }] = each;
        expect(Number.isInteger(count) && count >= least).toBe(true);
        expect(most === 0 || count <= most).toBe(true);
      }),
    );
  });

  it('has a pod while somebody is here, and none after the grace without anybody', () => {
    fc.assert(
      fc.property(cases, ([own, now, scaled]) => {
        const free = { ...own, least: 0, most: 0 };
        const here = replicas(free, { ...now, idleMs: 0 }, scaled, undefined);
        expect(here).toBeGreaterThan(0);
        const gone = { average: 0, recent: 0, idleMs: free.graceMs };
        if (free.graceMs > 0) expect(replicas(free, gone, scaled, undefined)).toBe(0);
      }),
    );
  });

  it('asks for no fewer pods where there are more requests', () => {
    fc.assert(
      fc.property(cases, fc.double({ min: 0, max: 1e6, noNaN: true }), (each, more) => {
        const [own, now, scaled, panic] = each;
        const busier = { ...now, average: now.average + more };
        expect(replicas(own, busier, scaled, panic)).toBeGreaterThanOrEqual(replicas(...each));
      }),
    );
  });

  it('takes nothing away in a panic, and rises by no more than its factor', () => {
    fc.assert(
      fc.property(cases, (each) => {
        const [own, now, scaled] = each;
        const { replicas: count, panic } = decide(...each);
        const most = Math.ceil(own.maxRise * Math.max(1, scaled.ready));
        const floor =
          panic === undefined ? Math.max(1, own.least) : Math.max(own.least, scaled.wanted);
        expect(count).toBeLessThanOrEqual(Math.max(most, floor));
        if (panic === undefined || own.most > 0) return;
        expect(count).toBeGreaterThanOrEqual(scaled.wanted);
        expect(now.average).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
