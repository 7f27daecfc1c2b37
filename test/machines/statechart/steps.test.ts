// Steps of a chart that were made before are not asked of xstate again: they lead where it leads.
import fc from 'fast-check';
import { createActor, type AnyMachineSnapshot } from 'xstate';
import { describe, expect, it } from 'vitest';
import { chartOf } from '#machines/statechart/chart.ts';
import { inertScope, reconcileBy } from '#machines/statechart/reconcile.ts';
import { classified, otherwise, protocol } from '#machines/statechart/region.ts';

interface Thing {
  readonly deleting: boolean;
  readonly level: number;
  readonly pulse: number;
}

interface Context {
  readonly thing: Thing | undefined;
  readonly gone: boolean;
}

const own = { of: ({ thing }: Context) => thing, isGone: ({ gone }: Context) => gone };
const empty: Context = { thing: undefined, gone: false };

/** A classified region and a procedure with more than one way out of a state, and of several steps
 *  at once. */
const lively = () =>
  chartOf<Context, Thing>('thing', own, () => empty, {
    active: {
      regions: {
        level: classified({
          low: (_, { level }) => level < 3,
          middle: (_, { level }, now) => level + now < 8,
          high: otherwise,
        }),
        course: protocol(
          {
            first: {
              to: {
                second: (_, { pulse }) => pulse > 2,
                fourth: (_, { pulse }) => pulse === 1,
              },
            },
            second: { to: { third: (_, { pulse }, now) => pulse + now > 5 } },
            third: { to: { fourth: (_, { pulse }) => pulse > 6 } },
            fourth: { to: { first: (_, { pulse }) => pulse === 0 } },
          },
          { restore: () => 'first' },
        ),
      },
    },
  });

type LivelyChart = ReturnType<typeof lively>;

const reconcilerOf = (chart: LivelyChart) =>
  reconcileBy<Context, Thing>({
    kind: 'thing',
    chart,
    ownOf: ({ thing }) => thing,
    steps: [],
    whileAwaited: undefined,
    status: () => undefined,
  });

/** What no object goes through is met too, and restored. */
const impossible = (): void => {};

const small = fc.nat({ max: 9 });
const thing = fc.record({ deleting: fc.boolean(), level: small, pulse: small });
const seen = fc.record({
  thing: fc.option(thing, { nil: undefined, freq: 8 }),
  gone: fc.nat({ max: 30 }).map((dice) => dice === 0),
});

describe('A chart', () => {
  it('goes where xstate alone goes, whatever it has gone through before', () => {
    const chart = lively();
    const reconcile = reconcilerOf(chart);
    const scope = inertScope();
    const places = new Set<string>();
    fc.assert(
      fc.property(fc.array(fc.tuple(seen, fc.nat({ max: 5 })), { maxLength: 40 }), (history) => {
        let at: AnyMachineSnapshot = createActor(chart.machine, { input: {} }).getSnapshot();
        for (const [context, now] of history) {
          const before: AnyMachineSnapshot = { ...at, context };
          const { snapshot } = reconcile(before, now, { impossible });
          const alone = reconcile(before, now, { impossible, scope }).snapshot;
          expect([snapshot.status, snapshot.value]).toEqual([alone.status, alone.value]);
          expect(snapshot.context).toBe(context);
          expect(snapshot.matches(alone.value as never)).toBe(true);
          places.add(JSON.stringify(snapshot.value));
          at = snapshot;
        }
      }),
      { numRuns: 500 },
    );
    // Most of what the chart can be was met.
    expect(places.size).toBeGreaterThan(12);
  });

  it('asks xstate once for each step', () => {
    const chart = lively();
    let asked = 0;
    const { machine } = chart;
    const microstep = machine.microstep.bind(machine);
    machine.microstep = (...args: Parameters<typeof microstep>) => {
      asked++;
      return microstep(...args);
    };
    const reconcile = reconcilerOf(chart);
    const start: AnyMachineSnapshot = createActor(machine, { input: {} }).getSnapshot();
    const context = { thing: { deleting: false, level: 5, pulse: 9 }, gone: false };
    const first = reconcile({ ...start, context }, 0).snapshot;
    expect(first.value).toEqual({ active: { level: 'middle', course: 'fourth' } });
    const steps = asked;
    expect(steps).toBeGreaterThan(1);
    const second = reconcile({ ...start, context: { ...context } }, 0).snapshot;
    expect(second.value).toBe(first.value);
    expect(asked).toBe(steps);
  });

  it('that does not come to rest fails as in xstate', () => {
    const chart = chartOf<Context, Thing>('restless', own, () => empty, {
      active: {
        regions: {
          course: protocol<Context, Thing>(
            { one: { to: { other: () => true } }, other: { to: { one: () => true } } },
            { restore: () => 'one' },
          ),
        },
      },
    });
    const reconcile = reconcilerOf(chart);
    const start: AnyMachineSnapshot = createActor(chart.machine, { input: {} }).getSnapshot();
    const context = { thing: { deleting: false, level: 0, pulse: 0 }, gone: false };
    expect(() => reconcile({ ...start, context }, 0)).toThrow('Infinite loop');
    expect(() => reconcile({ ...start, context }, 0)).toThrow('Infinite loop');
  });

  it('fails so too where only steps that were made apart are a circle', () => {
    const chart = chartOf<Context, Thing>('circling', own, () => empty, {
      active: {
        regions: {
          course: protocol<Context, Thing>(
            {
              one: { to: { other: (_, { level }) => level > 0 } },
              other: { to: { one: (_, { pulse }) => pulse > 0 } },
            },
            { restore: () => 'one' },
          ),
        },
      },
    });
    const reconcile = reconcilerOf(chart);
    const start: AnyMachineSnapshot = createActor(chart.machine, { input: {} }).getSnapshot();
    const at = (before: AnyMachineSnapshot, level: number, pulse: number): AnyMachineSnapshot => {
      const context = { thing: { deleting: false, level, pulse }, gone: false };
      return reconcile({ ...before, context }, 0).snapshot;
    };
    const there = at(start, 1, 0);
    const back = at(there, 0, 1);
    expect([there.value, back.value]).toEqual([
      { active: { course: 'other' } },
      { active: { course: 'one' } },
    ]);
    expect(() => at(back, 1, 1)).toThrow('Infinite loop');
  });
});
