// What a soak reads of its process: memory by requests, and what keeps a process up.
import { getHeapSpaceStatistics, queryObjects, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: (how: object) => void = runInNewContext('gc');

/** Of objects when all garbage is gone: without code, of which there is more as long as V8 finds
 *  something to compile. What only weak references hold goes with the last resort alone. */
export function objectBytes(): number {
  for (let round = 0; round < 2; round++) {
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  }
  const spaces = getHeapSpaceStatistics().filter(
    ({ space_name: name }) => !/code|trusted/.test(name),
  );
  const { arrayBuffers } = process.memoryUsage();
  return spaces.reduce((sum, { space_used_size: size }) => sum + size, arrayBuffers);
}

/** Least squares: how the second grows with the first. */
export function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: 0 | 1): number => points.reduce((sum, p) => sum + p[of], 0) / points.length;
  const [x, y] = [mean(0), mean(1)];
  const above = points.reduce((sum, [px, py]) => sum + (px - x) * (py - y), 0);
  return above / points.reduce((sum, [px]) => sum + (px - x) ** 2, 0);
}

/** By kind: sockets, timers and whatever else keeps a process up. */
export function resources(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Objects of a class that somebody still holds. */
export const countOf = (made: abstract new (...parts: never[]) => unknown): number =>
  queryObjects(made, { format: 'count' });
