// What a table of pods takes in memory is what docs/activator.md says, by the same examples.
import { describe, expect, it } from 'vitest';
import { PodTable } from '#src/activator/table/table.ts';
import { usedBytes } from '../heap.ts';
import { type MemoryExample, memoryExamples } from './examples.ts';
import { now } from './support.ts';

/** Slots of all tables together, so that what else the process does is little beside them. */
const slots = 40_000;

const podAt = (place: number) => ({
  dest: `10.0.${place >> 8}.${place & 255}:8012`,
  id: `5f3c9a4e-7d1b-4c52-9a10-${String(place).padStart(12, '0')}`,
  state: 'ready' as const,
});

function tableOf({ most, pods }: MemoryExample): PodTable {
  const table = new PodTable({ limit: 1, seed: 1, policy: 'random-choice-2', maxScale: 1_000 });
  for (let place = 0; place < most; place++) table.put(podAt(place), now);
  for (let place = 0; place < most - pods; place++) {
    table.remove(podAt(place).dest, undefined, now);
  }
  return table;
}

describe('A table of pods', () => {
  it.each(memoryExamples)('takes some $kilobytes kB with $what (R-23)', (example) => {
    const tables = slots / example.most;
    // Compiled code is not of the tables.
    let kept = Array.from({ length: 10 }, () => tableOf(example));
    kept = [];
    const before = usedBytes();
    for (let table = 0; table < tables; table++) kept.push(tableOf(example));
    const kilobytes = (usedBytes() - before) / tables / 1_000;
    expect(kept).toHaveLength(tables);
    expect(kilobytes).toBeGreaterThan(0.8 * example.kilobytes);
    expect(kilobytes).toBeLessThan(1.2 * example.kilobytes);
  });
});
