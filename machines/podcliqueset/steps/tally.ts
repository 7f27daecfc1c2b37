// The book that a plan keeps over replicas: their new state, and the totals, moved by difference so
// that a settle costs what was touched. Used by the plan of a set that lives and by drain.ts.
import { emptyRadix, get, set as place } from '../../radix.ts';
import type { Radix } from '../../radix.ts';
import type { Intent } from '../../vocabulary.ts';
import { hasNothingLeft, noTotals } from '../context.ts';
import type { Replica, SetContext, Totals } from '../context.ts';

export interface Tally {
  replicas: Radix<Replica>;
  totals: Totals;
  readonly intents: Intent[];
}

/** What is found about a replica by planning it. */
export type Finding = Pick<Replica, 'isDone' | 'isAvailable' | 'isUpdated'>;

/** A full plan counts from nothing, another one goes on from the last. */
export const startTally = (context: SetContext, isFull: boolean): Tally =>
  isFull
    ? { replicas: emptyRadix, totals: noTotals, intents: [] }
    : { replicas: context.replicas, totals: context.totals, intents: [] };

/** Stores what was found about a replica that is wanted. */
export const keep = (tally: Tally, index: number, before: Replica, found: Finding): void =>
  put(tally, index, before, { ...before, ...found, isTouched: false, isCounted: true });

/** The same for one that is to go: it is forgotten once nothing is left of it. */
export function keepUntilGone(tally: Tally, index: number, before: Replica, isDone: boolean): void {
  if (hasNothingLeft(before)) return put(tally, index, before, undefined);
  keep(tally, index, before, { isDone, isAvailable: false, isUpdated: false });
}

/** In a full plan all start uncounted. */
function put(tally: Tally, index: number, before: Replica, after: Replica | undefined): void {
  const isNew = get(tally.replicas, index) === undefined;
  const minus = isNew || !before.isCounted ? noTotals : weigh(before);
  const plus = after === undefined ? noTotals : weigh(after);
  tally.totals = {
    pending: tally.totals.pending - minus.pending + plus.pending,
    available: tally.totals.available - minus.available + plus.available,
    updated: tally.totals.updated - minus.updated + plus.updated,
  };
  tally.replicas = place(tally.replicas, index, after);
}

const weigh = (replica: Replica): Totals => ({
  pending: replica.isDone ? 0 : 1,
  available: replica.isAvailable ? 1 : 0,
  updated: replica.isUpdated ? 1 : 0,
});
