// The simulation of how requests wait, against what queueing theory says; and the permits of shared
// memory, taken by threads at once.
import { describe, expect, it } from 'vitest';
import { Random } from '#src/activator/table/random.ts';
import { simulate, type Queue } from './queues.ts';
import { SharedTable } from './shared-table.ts';
import { measurePermits, measureWakes, permitCells } from './threads.ts';

const queue: Queue = { pods: 1, limit: 1, workers: 1, load: 0.5, connections: 0 };

describe('The simulation of queues', () => {
  it('agrees with the formulas for one server and for two', () => {
    // M/M/1: load / (1 - load). M/M/2: load² / (1 - load²), each in times of a request.
    expect(simulate(queue, 'shared', 200_000).mean).toBeCloseTo(1, 1);
    const two = { ...queue, pods: 2, workers: 2 };
    expect(simulate(two, 'shared', 200_000).mean).toBeCloseTo(1 / 3, 1);
    // A slice each: two queues of one server.
    expect(simulate(two, 'slice', 200_000).mean).toBeCloseTo(1, 1);
  });

  it('counts the permits that slices give beyond the limit', () => {
    const few = { ...queue, pods: 2, workers: 5 };
    expect(simulate(few, 'slice', 1000).promised).toBe(2.5);
    expect(simulate(few, 'shared', 1000).promised).toBe(1);
  });
});

describe('The table in shared memory', () => {
  it('gives each pod its limit and no more', () => {
    const table = new SharedTable(SharedTable.memory(3), 2);
    const random = new Random(1);
    const taken = Array.from({ length: 7 }, () => table.take(random));
    expect(taken.filter((pod) => pod < 0)).toHaveLength(1);
    expect([0, 1, 2].map((pod) => table.of(pod))).toEqual([2, 2, 2]);
    table.giveBack(1);
    expect(table.take(random)).toBe(1);
  });

  it('is measured in threads', async () => {
    for (const cell of permitCells.filter(({ pods, limit }) => pods === 10 && limit === 10)) {
      expect(await measurePermits(cell, 5)).toBeGreaterThan(0);
    }
    expect((await measureWakes(50)).message.p50_us).toBeGreaterThan(0);
  });
});
