// Nothing piles up: pods come and go under names that never come again, requests run, wait, cancel
// and lose their pods, limits change, and the heap stays as it is.
// A long one: COPPICE_STEPS=100000000 npm test -- activator/admission/soak.
import { describe, expect, it } from 'vitest';
import { Random } from '#src/activator/table/random.ts';
import { policyNames } from '#src/activator/table/types.ts';
import { usedBytes } from '../heap.ts';
import { now, podAt } from '../table/support.ts';
import { admissionOf, newWorld, Request } from './support.ts';

const steps = Number(process.env['COPPICE_STEPS'] ?? 100_000);
const auditEvery = 1_000;
const mostPods = 40;
const mostRequests = 300;

describe('A revision under everything at once', () => {
  it.each(policyNames)('with policy %s keeps nothing of what has gone (R-9)', (policy) => {
    const world = newWorld();
    const admission = admissionOf({ world, policy, limit: 3 });
    const random = new Random(9);
    const pods: number[] = [];
    const requests: Request[] = [];
    let born = 0;
    const drop = <T>(list: T[]): T | undefined => list.splice(random.below(list.length || 1), 1)[0];
    const step = (): void => {
      const lot = random.below(100);
      if (lot < 40 && requests.length < mostRequests) {
        const request = new Request(admission).come(100);
        if (request.ticket !== 'queue-full') requests.push(request);
      } else if (lot < 80) {
        const request = drop(requests);
        if (request?.cancel() === false) request.complete();
      } else if (lot < 90) world.loop.turn();
      else if (lot < 94 && pods.length < mostPods) {
        born += 1;
        pods.push(born);
        admission.change((table) => table.put(podAt(born), now));
      } else if (lot < 98) {
        const pod = drop(pods);
        if (pod === undefined) return;
        admission.change((table) => table.remove(podAt(pod).dest, undefined, now));
      } else if (lot < 99) admission.change((table) => table.setLimit(random.below(5)));
      else admission.change((table) => table.releaseDrained(now));
    };
    const run = (count: number): void => {
      for (let at = 1; at <= count; at++) {
        step();
        if (at % auditEvery === 0) expect(admission.table.audit()).toEqual([]);
      }
    };
    run(steps / 10);
    const before = usedBytes();
    run(steps / policyNames.length);
    expect(born).toBeGreaterThan(mostPods);
    expect(usedBytes() - before).toBeLessThan(500_000);
  });
});
