// Admission of requests to the pods of a revision: who gets a permit, who waits, in which order and
// for how long. The cases of Knative's breaker are among them.
import { describe, expect, it } from 'vitest';
import { Admission } from '#src/activator/admission/admission.ts';
import { Backlog } from '#src/activator/admission/backlog.ts';
import { admissionDefaults } from '#src/activator/admission/limits.ts';
import { Turns } from '#src/activator/admission/turns.ts';
import { mustWait } from '#src/activator/admission/types.ts';
import { now, podAt } from '../table/support.ts';
import {
  addPods,
  admissionOf,
  admittedOf,
  Loop,
  newWorld,
  Request,
  requestsOf,
} from './support.ts';

describe('A request', () => {
  it('is admitted while there are permits, and waits for one then (1.7)', () => {
    const admission = admissionOf({ pods: 1, maxWaiting: 1 });
    const requests = requestsOf(admission, 3);
    expect(admittedOf(requests)).toEqual([0]);
    expect(requests[2]?.ticket).toBe('queue-full');
    requests[0]?.complete();
    expect(admittedOf(requests)).toEqual([0, 1]);
    expect(new Request(admission).come().ticket).toMatchObject({ isWaiting: true });
    expect(admission.figures).toMatchObject({ waiting: 1, overflowed: 1 });
  });

  it('waits for the first pod, and takes nothing meanwhile (H-1)', () => {
    const admission = admissionOf();
    const requests = requestsOf(admission, 2);
    expect(admission.table.figures.active).toBe(0);
    addPods(admission, 1);
    expect(admittedOf(requests)).toEqual([0]);
    requests[0]?.complete();
    expect(requests[1]?.told).toEqual([[0, 1]]);
  });

  it('does not overtake those who wait, even where there is a permit', () => {
    const world = newWorld(undefined, 1);
    const admission = admissionOf({ world });
    const requests = requestsOf(admission, 3);
    addPods(admission, 5);
    expect(admittedOf(requests)).toEqual([0]);
    expect(admission.table.figures.available).toBe(4);
    expect(admission.admit()).toBe(mustWait);
    world.loop.untilIdle();
    expect(admittedOf(requests)).toEqual([0, 1, 2]);
    expect(admission.admit()).toBeGreaterThanOrEqual(0);
  });

  it('that waits though there is a permit gets it in the next turn (P-12)', () => {
    const world = newWorld();
    const admission = admissionOf({ world, pods: 1 });
    const request = new Request(admission);
    request.ticket = admission.wait(request);
    expect(request.told).toEqual([]);
    world.loop.turn();
    expect(request.told).toEqual([[0, 1]]);
  });

  it('that cancels leaves its place at once, time and again (1.7)', () => {
    const admission = admissionOf({ pods: 1, maxWaiting: 1 });
    const [first] = requestsOf(admission, 1);
    for (let time = 0; time < 2; time++) {
      const request = new Request(admission).come();
      expect(new Request(admission).come().ticket).toBe('queue-full');
      expect([request.cancel(), request.cancel()]).toEqual([true, false]);
      expect(request.told).toEqual([]);
    }
    const [last] = requestsOf(admission, 1);
    first?.complete();
    expect(last?.isAdmitted).toBe(true);
    expect(last?.cancel()).toBe(false);
    expect(admission.figures).toMatchObject({ waiting: 0, cancelled: 2 });
  });

  it('is not cancelled by another revision, or with what is no place in a queue', () => {
    const world = newWorld();
    const [admission, other] = [admissionOf({ world }), admissionOf({ world })];
    const [request] = requestsOf(admission, 1);
    const { ticket } = request ?? {};
    expect(typeof ticket === 'object' && other.cancel(ticket)).toBe(false);
    expect(other.cancel({ isWaiting: true })).toBe(false);
    expect([admission, other].map(({ figures }) => figures.waiting)).toEqual([1, 0]);
  });

  it('that ends after its pod has gone is no matter of the pod in its slot (P-16, R-1)', () => {
    const admission = admissionOf({ pods: 1 });
    const [first] = requestsOf(admission, 1);
    admission.change((table) => table.remove(podAt(0).dest, 'pod-0', now));
    admission.change((table) => table.releaseDrained(now));
    admission.change((table) => table.put(podAt(1), now));
    const [second, third] = requestsOf(admission, 2);
    expect(second?.told).toEqual([[0, 3]]);
    first?.complete();
    expect(third?.told).toEqual([]);
    expect(admission.table.figures).toMatchObject({ active: 1, detached: 0, stale: 1 });
    second?.complete();
    expect(third?.told).toEqual([[0, 3]]);
  });
});

describe('Capacity that comes', () => {
  it('wakes as many as there are permits, in the order in which they came (P-13)', () => {
    const admission = admissionOf({ limit: 3 });
    const requests = requestsOf(admission, 8);
    requests[1]?.cancel();
    requests[4]?.cancel();
    addPods(admission, 1);
    expect(admittedOf(requests)).toEqual([0, 2, 3]);
    addPods(admission, 2);
    expect(admittedOf(requests)).toEqual([0, 2, 3, 5, 6, 7]);
  });

  it('without limit wakes everybody (1.6, H-26)', () => {
    const admission = admissionOf({ limit: 0 });
    const requests = requestsOf(admission, 100);
    addPods(admission, 1);
    expect(admittedOf(requests)).toHaveLength(100);
  });

  it('wakes a large queue in chunks, with the event loop in between (B-5)', () => {
    const world = newWorld();
    const admission = admissionOf({ world, limit: 0 });
    const requests = requestsOf(admission, 1_000);
    addPods(admission, 1);
    const counts = [admittedOf(requests).length];
    while (!world.loop.isIdle) {
      expect(admission.figures.isWaking).toBe(true);
      world.loop.turn();
      counts.push(admittedOf(requests).length);
    }
    expect(counts).toEqual([256, 512, 768, 1_000]);
    expect(admission.figures.isWaking).toBe(false);
  });

  it('of several revisions shares a turn between them (5.7)', () => {
    const world = newWorld(undefined, 100);
    const admissions = Array.from({ length: 4 }, () => admissionOf({ world, limit: 0 }));
    const queues = admissions.map((admission) => requestsOf(admission, 200));
    for (const admission of admissions) addPods(admission, 1);
    const counts = (): readonly number[] => queues.map((queue) => admittedOf(queue).length);
    expect(counts()).toEqual([100, 100, 100, 100]);
    world.loop.turn();
    expect(counts()).toEqual([125, 125, 125, 125]);
    world.loop.untilIdle();
    expect(counts()).toEqual([200, 200, 200, 200]);
  });

  it('of more revisions than a turn has grants for leaves none out', () => {
    const world = newWorld(undefined, 2);
    const queues = Array.from({ length: 5 }, () => {
      const admission = admissionOf({ world, limit: 0 });
      const queue = requestsOf(admission, 6);
      addPods(admission, 1);
      return queue;
    });
    world.loop.turn();
    const counts = queues.map((queue) => admittedOf(queue).length);
    expect(counts).toEqual([3, 3, 2, 2, 2]);
    world.loop.turn();
    expect(queues.map((queue) => admittedOf(queue).length)).toEqual([3, 3, 3, 3, 2]);
    world.loop.untilIdle();
    expect(queues.flatMap((queue) => admittedOf(queue))).toHaveLength(30);
  });

  it('is given on where the change that brought it throws', () => {
    const admission = admissionOf();
    const [request] = requestsOf(admission, 1);
    const change = (): void =>
      admission.change((table) => {
        table.put(podAt(0), now);
        throw new Error('of the actor');
      });
    expect(change).toThrow('of the actor');
    expect(request?.isAdmitted).toBe(true);
  });
});

describe('The queue', () => {
  it('is bounded for the process too, in requests and in bytes of their bodies (quirk 1, H-10)', () => {
    const world = newWorld({ maxWaitingInProcess: 3, maxWaitingBodyBytes: 100 });
    const [one, other] = [admissionOf({ world }), admissionOf({ world })];
    const large = new Request(one).come(90);
    expect(new Request(other).come(11).ticket).toBe('queue-full');
    requestsOf(other, 2);
    expect(new Request(one).come().ticket).toBe('queue-full');
    expect(world.backlog).toMatchObject({ waiting: 3, bodyBytes: 90 });
    large.cancel();
    expect(world.backlog).toMatchObject({ waiting: 2, bodyBytes: 0 });
    addPods(other, 2);
    expect(world.backlog).toMatchObject({ waiting: 0, bodyBytes: 0 });
    expect([one, other].map(({ figures }) => figures.overflowed)).toEqual([1, 1]);
  });

  it.each([-1, Number.NaN])('takes no body of %d bytes', (bytes) => {
    const world = newWorld();
    expect(() => new Request(admissionOf({ world })).come(bytes)).toThrow(
      `bodyBytes must be a number from 0, not ${bytes}`,
    );
    expect(world.backlog).toMatchObject({ waiting: 0, bodyBytes: 0 });
  });

  it('has its limits in one place (R-28, H-31)', () => {
    expect(admissionDefaults).toEqual({
      maxWaiting: 10_000,
      maxWaitingInProcess: 100_000,
      maxWaitingBodyBytes: 268_435_456,
      grantsPerTurn: 256,
    });
  });

  it.each([
    [() => admissionOf({ maxWaiting: -1 }), 'maxWaiting must be a number from 0, not -1'],
    [
      () => new Backlog({ maxWaitingInProcess: Number.NaN, maxWaitingBodyBytes: 1 }),
      'maxWaitingInProcess must be a number from 0, not NaN',
    ],
    [
      () => new Backlog({ maxWaitingInProcess: 1, maxWaitingBodyBytes: -1 }),
      'maxWaitingBodyBytes must be a number from 0, not -1',
    ],
    [() => new Turns(new Loop().defer, 0), 'grantsPerTurn must be a whole number from 1, not 0'],
  ])('is not made with limits that are none: %o', (make, sentence) => {
    expect(make).toThrow(sentence);
  });
});

describe('Admission', () => {
  it('allocates nothing for a request that finds a permit (H-13)', () => {
    const admission: Admission = admissionOf({ pods: 100, limit: 4 });
    const { table } = admission;
    const rounds = 20_000;
    const bytes = Array.from({ length: 12 }, () => {
      const before = process.memoryUsage().heapUsed;
      for (let round = 0; round < rounds; round++) {
        const index = admission.admit();
        admission.complete(index, table.genOf(index));
      }
      return process.memoryUsage().heapUsed - before;
    });
    const [least = 0] = bytes.filter((one) => one >= 0).toSorted((a, b) => a - b);
    expect(least / rounds).toBeLessThan(1);
  });
});
