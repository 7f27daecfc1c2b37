// Random histories of a table of pods beside the naive model, which is compared after each step,
// and audited: requests that end long after their pod has gone, addresses that get other pods, full
// tables.
// A million steps of each policy: COPPICE_STEPS=1000000 npm test -- activator/table/histories.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { microsOf } from '#machines/activator/time.ts';
import { PodTable } from '#src/activator/table/table.ts';
import { policyNames, type PodTarget, type PolicyName } from '#src/activator/table/types.ts';
import { Model } from './model.ts';

const steps = Number(process.env['COPPICE_STEPS'] ?? 4_000);
/** On average. */
const stepsOfHistory = 200;

const maxSlots = 16;
const limits = [0, 1, 2, 3];

type Step =
  | { readonly do: 'take' }
  | { readonly do: 'complete'; readonly which: number }
  | { readonly do: 'put'; readonly pod: PodTarget }
  | { readonly do: 'remove'; readonly dest: string; readonly id: string | undefined }
  | { readonly do: 'recalculate'; readonly pods: readonly PodTarget[] }
  | { readonly do: 'setLimit'; readonly limit: number }
  | { readonly do: 'removeStale' | 'releaseDrained'; readonly age: number };

/** More addresses than slots. */
const dest = fc.nat({ max: 23 }).map((at) => `10.0.0.${at}:8012`);
const state = fc.constantFrom('ready', 'ready', 'recovering', 'not-ready');
/** Two pods in turn at each address. */
const pod: fc.Arbitrary<PodTarget> = fc
  .tuple(dest, fc.constantFrom('a', 'a', 'a', 'b'), state)
  .map(([dest, id, state]) => ({ dest, id: `${dest}-${id}`, state }));

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 16, arbitrary: fc.constant({ do: 'take' } as const) },
  { weight: 12, arbitrary: fc.nat().map((which) => ({ do: 'complete', which }) as const) },
  { weight: 8, arbitrary: pod.map((pod) => ({ do: 'put', pod }) as const) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(pod, fc.boolean())
      .map(
        ([{ dest, id }, isAny]) => ({ do: 'remove', dest, id: isAny ? undefined : id }) as const,
      ),
  },
  {
    weight: 2,
    arbitrary: fc
      .array(pod, { maxLength: 20 })
      .map((pods) => ({ do: 'recalculate', pods }) as const),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(...limits).map((limit) => ({ do: 'setLimit', limit }) as const),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('removeStale', 'releaseDrained'), fc.nat({ max: 20 }))
      .map(([act, age]) => ({ do: act, age }) as const),
  },
);

interface Setting {
  readonly policy: PolicyName;
  readonly limit: number;
  readonly trimThreshold: number;
  readonly seed: number;
}

class History {
  readonly #setting: Setting;
  readonly #model: Model;
  readonly #released: string[] = [];
  readonly #table: PodTable;
  /** Requests under way: what they remember of their pod. */
  readonly #requests: { readonly index: number; readonly gen: number }[] = [];
  #now = 1_000;

  constructor(setting: Setting) {
    this.#setting = setting;
    const { limit, trimThreshold } = setting;
    this.#model = new Model(limit, maxSlots, trimThreshold);
    this.#table = new PodTable({
      ...setting,
      maxScale: 2,
      maxSlots,
      onReleased: ({ id, cause, detached }) => {
        this.#released.push(`${id} ${cause} ${detached}`);
      },
    });
  }

  run(steps: readonly Step[]): void {
    for (const step of steps) {
      this.#now += 1;
      this.#step(step);
      this.#compare();
    }
  }

  #step(step: Step): void {
    const now = microsOf(this.#now);
    const [table, model] = [this.#table, this.#model];
    switch (step.do) {
      case 'take':
        return this.#take();
      case 'complete': {
        const at = this.#requests.length === 0 ? -1 : step.which % this.#requests.length;
        const [request] = at < 0 ? [] : this.#requests.splice(at, 1);
        if (request === undefined) return;
        table.slots.giveBack(request.index, request.gen);
        return model.giveBack(request.index, request.gen);
      }
      case 'put':
        return same(table.put(step.pod, now), model.put(step.pod, now));
      case 'remove':
        return same(table.remove(step.dest, step.id, now), model.remove(step.dest, step.id, now));
      case 'recalculate':
        table.recalculate(step.pods, this.#now, now);
        return model.recalculate(step.pods, now);
      case 'setLimit':
        table.setLimit(step.limit);
        return model.setLimit(step.limit);
      case 'removeStale':
      case 'releaseDrained': {
        const cutoff = microsOf(this.#now - step.age);
        table[step.do](cutoff);
        return model[step.do](cutoff);
      }
    }
  }

  #take(): void {
    const choices = this.#model.choices(this.#setting.policy);
    const index = this.#table.slots.take();
    if (choices.length === 0) return same(index, -1);
    if (!choices.includes(index)) throw new Error(`took ${index}, not of ${choices.join()}`);
    this.#model.take(index);
    this.#requests.push({ index, gen: this.#table.genOf(index) });
  }

  #compare(): void {
    const [table, model] = [this.#table, this.#model];
    same(table.audit().join(), '');
    const { limit } = model;
    const pods = model.slots.map((pod, index) => ({ pod, index }));
    same(
      table
        .snapshot()
        .map((pod) => Object.values(pod).join(' '))
        .join('\n'),
      pods
        .filter(({ pod }) => pod !== undefined)
        .map(({ pod, index }) =>
          [index, pod?.gen, pod?.dest, pod?.id, pod?.state, pod?.inFlight, limit, pod?.since].join(
            ' ',
          ),
        )
        .join('\n'),
    );
    const { figures } = table;
    same(figures.highWater, model.slots.length);
    same(figures.available, model.candidates.length);
    same(figures.active, this.#requests.length);
    same(figures.active, model.active);
    same(figures.detached, model.detached);
    same(figures.stale, model.stale);
    same(figures.full, model.full);
    same(this.#released.toSorted().join(), model.released.toSorted().join());
  }
}

/** Much faster than `expect`, which the message of a failure does not need here. */
function same(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`is ${String(actual)}, not ${String(expected)}`);
}

describe('A table of pods', () => {
  it.each(policyNames)(
    'with policy %s is like the naive one after each step (P-1, P-2, P-5, P-8 to P-11, P-16, R-1, R-8)',
    (policy) => {
      const setting = fc.record({
        policy: fc.constant(policy),
        limit: fc.constantFrom(...limits),
        trimThreshold: fc.constantFrom(0.25, 0.5, 0.75, 1),
        seed: fc.nat(),
      });
      fc.assert(
        fc.property(
          setting,
          fc.array(step, { maxLength: 2 * stepsOfHistory, size: 'max' }),
          (setting, steps) => new History(setting).run(steps),
        ),
        { numRuns: Math.ceil(steps / stepsOfHistory) },
      );
      expect.assertions(0);
    },
  );
});
