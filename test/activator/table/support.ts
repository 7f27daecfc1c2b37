// Tables for tests: of some pods, each with the permits that its limit gives it.
import { microsOf } from '#machines/activator/time.ts';
import { PodTable } from '#src/activator/table/table.ts';
import type { PodTarget, TableOptions, TargetState } from '#src/activator/table/types.ts';

export const now = microsOf(1_000);

export const podAt = (place: number, state: TargetState = 'ready'): PodTarget => ({
  dest: `10.0.${place >> 8}.${place & 255}:8012`,
  id: `pod-${place}`,
  state,
});

export const podsAt = (count: number, state: TargetState = 'ready'): readonly PodTarget[] =>
  Array.from({ length: count }, (_, place) => podAt(place, state));

/** The pod at place n has slot n. */
export function tableOf(count: number, options: Partial<TableOptions> = {}): PodTable {
  const table = new PodTable({ limit: 1, seed: 1, ...options });
  for (const pod of podsAt(count)) table.put(pod, now);
  return table;
}

/** Removes the pod at that place, whatever its state. */
export const removeAt = (table: PodTable, ...places: readonly number[]): void => {
  for (const place of places) table.remove(podAt(place).dest, undefined, now);
};

/** So many permits, one after the other. */
export const takeAll = (table: PodTable, count: number): readonly number[] =>
  Array.from({ length: count }, () => table.slots.take());

/** As the request does that got it last. */
export const giveBack = (table: PodTable, index: number): void =>
  table.slots.giveBack(index, table.genOf(index));
