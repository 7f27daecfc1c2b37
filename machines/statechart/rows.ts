// Rows of an actor that have a chart of their own without being actors, such as the replicas of a
// set: a row is stored as the names of its states, moves when it is looked at, and how many rows
// are in which state is kept by difference. The regions of the actor read the totals.
import type { EpochMs } from '../kubernetes/time.ts';
import { stateIn, type Classified } from './region.ts';

/** One state per region, `availability.available`, and what it counts, once for each; empty: the
 *  row was not looked at yet. */
export type RowStates = readonly string[];

/** By name of a state: the rows that are in it; absent: none. */
export type RowTotals = ReadonlyMap<string, number>;

/** `R`: what is known of a row; `O`: the object whose rows they are. */
export interface RowChart<R, O> {
  readonly regions: Readonly<Record<string, Classified<R, O>>>;
  /** The same array for the same states. */
  readonly statesOf: (row: R, own: O, now: EpochMs) => RowStates;
}

/** `counts`: how many of something a row has; the totals of a name add them up. */
export function rowChart<R, O>(
  regions: RowChart<R, O>['regions'],
  counts: Readonly<Record<string, (row: R, own: O) => number>> = {},
): RowChart<R, O> {
  const known = new Map<string, RowStates>();
  return {
    regions,
    statesOf: (row, own, now) => {
      const states = Object.entries(regions).map(
        ([name, region]) => `${name}.${stateIn(region, row, own, now)}`,
      );
      for (const [name, many] of Object.entries(counts)) {
        for (let left = many(row, own); left > 0; left--) states.push(name);
      }
      const key = states.join(' ');
      const same = known.get(key) ?? states;
      known.set(key, same);
      return same;
    },
  };
}

/** Counts a row that has moved. */
export function moveRow(totals: Map<string, number>, from: RowStates, to: RowStates): void {
  if (from === to) return;
  for (const name of to) totals.set(name, (totals.get(name) ?? 0) + 1);
  for (const name of from) {
    const left = (totals.get(name) ?? 0) - 1;
    if (left > 0) totals.set(name, left);
    else totals.delete(name);
  }
}
