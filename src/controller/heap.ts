// A large heap is kept compact. Objects that live for seconds, as each version of a pod does, leave
// holes in pages of others that stay, and V8 takes new pages meanwhile: with 5,000 pods 100 MB
// lived in 200 (docs/decisions/0059). run.ts calls it. A small heap is left to V8, which does less.
import { getHeapStatistics, setFlagsFromString } from 'node:v8';

/** What a process with 1,000 pods does not reach. */
const largeBytes = 96 * 2 ** 20;

/** It takes longer than this to fill as much. */
const everyMs = 1_000;

/** From then on V8 moves together what lives on pages that are a fifth empty, and collects garbage
 *  at rest. It reads the flag at each collection. */
export const compactFlag = '--optimize-for-size';

/** Looks until the heap is large once. Nothing waits for it. */
export function compactOnceLarge(
  heapBytes = (): number => getHeapStatistics().total_heap_size,
  compact = (): void => setFlagsFromString(compactFlag),
): void {
  const timer = setInterval(() => {
    if (heapBytes() < largeBytes) return;
    clearInterval(timer);
    compact();
  }, everyMs);
  timer.unref();
}
