// What those who wait are told: a handler may do anything in its call, and a revision that is
// closed answers everybody.
import { describe, expect, it } from 'vitest';
import { closed } from '#src/activator/admission/types.ts';
import { now, podAt } from '../table/support.ts';
import { addPods, admissionOf, admittedOf, newWorld, Request, requestsOf } from './support.ts';

describe('A handler', () => {
  it('may end its request at once, and the next one is not called from within it', () => {
    const world = newWorld();
    const admission = admissionOf({ world });
    const requests = requestsOf(admission, 10_000);
    let depth = 0;
    let deepest = 0;
    for (const request of requests) {
      request.onGranted = () => {
        depth += 1;
        deepest = Math.max(deepest, depth);
        request.complete();
        depth -= 1;
      };
    }
    addPods(admission, 1);
    world.loop.untilIdle();
    expect(admittedOf(requests)).toHaveLength(10_000);
    expect(deepest).toBe(1);
    expect(admission.table.figures).toMatchObject({ active: 0, available: 1 });
  });

  it('may cancel others, come again and change the table', () => {
    const world = newWorld();
    const admission = admissionOf({ world });
    const requests = requestsOf(admission, 4);
    const again = new Request(admission);
    const [first, second] = requests;
    if (first !== undefined) {
      first.onGranted = () => {
        second?.cancel();
        again.come();
        admission.change((table) => table.put(podAt(1), now));
        first.complete();
      };
    }
    addPods(admission, 1);
    world.loop.untilIdle();
    expect(admittedOf(requests)).toEqual([0, 2, 3]);
    expect(again.told).toEqual([]);
    requests[2]?.complete();
    expect(again.isAdmitted).toBe(true);
  });

  it('that throws keeps nobody else waiting (H-148)', () => {
    const world = newWorld();
    const admission = admissionOf({ world });
    const requests = requestsOf(admission, 3);
    const [first] = requests;
    if (first !== undefined) {
      first.onGranted = () => {
        throw new Error('of a handler');
      };
    }
    expect(() => addPods(admission, 3)).toThrow('of a handler');
    world.loop.untilIdle();
    expect(admittedOf(requests)).toEqual([0, 1, 2]);
  });
});

describe('A revision that is closed', () => {
  it('refuses who waits and who comes, and leaves no pod behind (P-21, R-3)', () => {
    const world = newWorld();
    const released: string[] = [];
    const admission = admissionOf({
      world,
      pods: 2,
      limit: 2,
      onReleased: ({ id, cause, detached }) => released.push(`${id} ${cause} ${detached}`),
    });
    const running = requestsOf(admission, 4);
    admission.change((table) => table.remove(podAt(0).dest, undefined, now));
    const waiting = requestsOf(admission, 600);
    admission.close();
    world.loop.untilIdle();
    expect(waiting.every(({ told }) => told.length === 1 && told[0] === 'closed')).toBe(true);
    expect(released).toEqual(['pod-0 closed 2', 'pod-1 closed 2']);
    const { figures } = admission.table;
    expect(figures).toMatchObject({ live: 0, highWater: 0, routable: 0, active: 4, detached: 4 });
    expect(admission.admit()).toBe(closed);
    expect(new Request(admission).come().ticket).toBe('closed');
    for (const request of running) request.complete();
    expect(admission.table.figures).toMatchObject({ active: 0, detached: 0 });
    expect(admission.table.audit()).toEqual([]);
    expect(world.backlog.waiting).toBe(0);
  });

  it('admits nobody to a pod that is put into its table afterwards', () => {
    const admission = admissionOf();
    admission.close();
    addPods(admission, 1);
    expect(admission.admit()).toBe(closed);
  });
});
