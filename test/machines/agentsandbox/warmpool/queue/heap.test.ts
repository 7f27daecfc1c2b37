// The heap of a warm queue beside a list that is sorted at each look: hundreds of items change
// their ranks in it, so it is deeper here than in the histories of a queue.
import { describe, expect, it } from 'vitest';
import { Heap } from '#machines/agentsandbox/warmpool/queue/heap.ts';
import { seeded } from '#test/support/virtual-clock.ts';

interface Item {
  size: number;
  age: number;
  place: number;
}

const firstOf = (items: readonly Item[]): Item | undefined =>
  items.toSorted((a, b) => b.size - a.size || a.age - b.age)[0];

describe('A Heap', () => {
  it('has the largest first, the oldest of them, whatever comes, changes and leaves', () => {
    const random = seeded(1);
    const below = (bound: number): number => Math.floor(random.next() * bound);
    const heap = new Heap<Item>();
    const items: Item[] = [];
    for (let step = 0; step < 3_000; step++) {
      const item = step % 7 === 0 ? heap.first : items[below(items.length)];
      // It grows, and is then emptied from the top.
      const what = below(4);
      if (item === undefined || what > 1) {
        const added = { size: below(5), age: step, place: 0 };
        heap.add(added);
        items.push(added);
      } else if (what === 1) {
        item.size = below(5);
        heap.update(item);
      } else {
        heap.remove(item);
        items.splice(items.indexOf(item), 1);
      }
      if (step % 5 === 0) expect(heap.first).toBe(firstOf(items));
    }
    for (let first = firstOf(items); first !== undefined; first = firstOf(items)) {
      expect(heap.first).toBe(first);
      heap.remove(first);
      items.splice(items.indexOf(first), 1);
    }
    expect(heap.first).toBeUndefined();
  });
});
