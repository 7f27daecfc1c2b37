// Random histories of an admission beside a list of requests: who comes, cancels, ends, pods that
// come and go, turns of the event loop in between, and a close at last. Each request is answered
// once, in order, and nobody waits in vain.
// A million steps of each policy: COPPICE_STEPS=1000000 npm test -- activator/admission/histories.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Admission } from '#src/activator/admission/admission.ts';
import { policyNames, type PolicyName } from '#src/activator/table/types.ts';
import { now, podAt, podsAt } from '../table/support.ts';
import { admissionOf, newWorld, Request } from './support.ts';

const steps = Number(process.env['COPPICE_STEPS'] ?? 4_000);
/** On average. */
const stepsOfHistory = 200;

const podCount = 6;
const maxWaiting = 12;

type Step =
  | { readonly do: 'come' | 'turn' | 'force' | 'repair' }
  | { readonly do: 'complete' | 'cancel'; readonly which: number }
  | { readonly do: 'setState'; readonly place: number; readonly state: 'ready' | 'not-ready' }
  | { readonly do: 'remove'; readonly place: number }
  | { readonly do: 'flap' | 'setLimit'; readonly count: number };

const place = fc.nat({ max: podCount - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 20, arbitrary: fc.constant({ do: 'come' } as const) },
  { weight: 12, arbitrary: fc.nat().map((which) => ({ do: 'complete', which }) as const) },
  { weight: 6, arbitrary: fc.constant({ do: 'turn' } as const) },
  { weight: 4, arbitrary: fc.nat().map((which) => ({ do: 'cancel', which }) as const) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(place, fc.constantFrom('ready', 'ready', 'not-ready'))
      .map(([place, state]) => ({ do: 'setState', place, state }) as const),
  },
  { weight: 3, arbitrary: place.map((place) => ({ do: 'remove', place }) as const) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(0, 0, podCount).map((count) => ({ do: 'flap', count }) as const),
  },
  { weight: 1, arbitrary: fc.nat({ max: 3 }).map((count) => ({ do: 'setLimit', count }) as const) },
  { weight: 1, arbitrary: fc.constantFrom({ do: 'force' } as const, { do: 'repair' } as const) },
);

class History {
  readonly #world = newWorld(undefined, 3);
  readonly #admission: Admission;
  /** All that came, by age; what they were told is theirs. */
  readonly #all: Request[] = [];
  readonly #running = new Set<Request>();
  /** In the order in which they came. */
  #queue: Request[] = [];
  #version = 0;

  constructor(policy: PolicyName, limit: number) {
    const world = this.#world;
    this.#admission = admissionOf({ world, policy, limit, maxWaiting, pods: 2 });
  }

  run(steps: readonly Step[]): void {
    for (const step of steps) {
      this.#step(step);
      this.#check();
    }
    this.#quiet();
    this.#end();
  }

  #step(step: Step): void {
    const admission = this.#admission;
    switch (step.do) {
      case 'come':
        return this.#come();
      case 'turn':
        return this.#world.loop.turn();
      case 'complete': {
        const request = this.#nth([...this.#running], step.which);
        if (request === undefined) return;
        this.#running.delete(request);
        return request.complete();
      }
      case 'cancel': {
        const request = this.#nth(this.#queue, step.which);
        this.#queue = this.#queue.filter((one) => one !== request);
        if (request?.cancel() === false) throw new Error('a request waits and does not cancel');
        return;
      }
      case 'setState':
        return void admission.change((table) => table.put(podAt(step.place, step.state), now));
      case 'remove':
        return void admission.change((table) =>
          table.remove(podAt(step.place).dest, undefined, now),
        );
      case 'flap':
        this.#version += 1;
        return void admission.change((table) =>
          table.recalculate(podsAt(step.count), this.#version, now),
        );
      case 'setLimit':
        return admission.change((table) => table.setLimit(step.count));
      case 'force':
        return void admission.change((table) => table.releaseDrained(now));
      case 'repair':
        if (admission.change((table) => table.repair()).length > 0) throw new Error('repaired');
    }
  }

  #nth(requests: readonly Request[], which: number): Request | undefined {
    return requests[which % Math.max(1, requests.length)];
  }

  #come(): void {
    const { waiting } = this.#admission.figures;
    const request = new Request(this.#admission);
    this.#all.push(request);
    request.onGranted = () => {
      this.#running.add(request);
      if (this.#queue.length === 0) return;
      // Those who wait are answered in the order in which they came, whoever comes meanwhile.
      if (this.#queue.shift() !== request) throw new Error('a request overtook another one');
    };
    request.come(7);
    if (request.isAdmitted) return;
    if (request.ticket === 'queue-full') {
      if (waiting < maxWaiting) throw new Error('the queue is not full');
      this.#all.pop();
      return;
    }
    this.#queue.push(request);
  }

  #check(): void {
    const { table, figures } = this.#admission;
    same(table.audit().join(), '');
    same(figures.waiting, this.#queue.length);
    same(this.#world.backlog.waiting, this.#queue.length);
    same(table.figures.active, this.#running.size);
    // I-10: who waits waits for a permit, or for the next turn.
    if (figures.waiting > 0 && table.figures.available > 0) same(figures.isWaking, true);
    for (const { told } of this.#all) if (told.length > 1) throw new Error('told twice');
  }

  /** No wake-up is lost. */
  #quiet(): void {
    this.#world.loop.untilIdle();
    const { table, figures } = this.#admission;
    if (figures.waiting > 0) same(table.figures.available, 0);
  }

  /** Whatever was under way, nothing is left. */
  #end(): void {
    this.#admission.close();
    this.#world.loop.untilIdle();
    for (const request of this.#queue) same(request.told.join(), 'closed');
    for (const request of this.#running) request.complete();
    const { figures } = this.#admission.table;
    same([figures.live, figures.active, figures.detached].join(), '0,0,0');
    same(this.#world.backlog.waiting, 0);
    same(this.#world.backlog.bodyBytes, 0);
  }
}

function same(actual: unknown, expected: unknown): void {
  if (actual !== expected) throw new Error(`is ${String(actual)}, not ${String(expected)}`);
}

describe('Admission', () => {
  it.each(policyNames)(
    'by %s answers each request once, in order, and lets none wait in vain (P-11 to P-16, P-18, P-21)',
    (policy) => {
      fc.assert(
        fc.property(
          fc.nat({ max: 3 }),
          fc.array(step, { maxLength: 2 * stepsOfHistory, size: 'max' }),
          (limit, steps) => new History(policy, limit).run(steps),
        ),
        { numRuns: Math.ceil(steps / stepsOfHistory) },
      );
      expect.assertions(0);
    },
  );
});
