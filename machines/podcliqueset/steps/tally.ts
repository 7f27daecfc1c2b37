// The book that a plan keeps over replicas: their new states, and the totals, moved by difference
// so that a reconcile costs what was touched. Used by the plan of a set that lives and by drain.ts.
import { emptyRadix, get, set as place } from '../../radix.ts';
import type { Radix } from '../../radix.ts';
import { moveRow } from '../../statechart/rows.ts';
import type { RowStates } from '../../statechart/rows.ts';
import type { EpochMs, Intent } from '../../vocabulary.ts';
import { hasNothingLeft } from '../context.ts';
import type { Replica, SetContext } from '../context.ts';
import type { SetFact } from '../facts.ts';
import { replicaChart } from '../replica.ts';

export interface Tally {
  readonly set: SetFact;
  readonly now: EpochMs;
  replicas: Radix<Replica>;
  readonly totals: Map<string, number>;
  readonly intents: Intent[];
}

/** A full plan counts from nothing, another one goes on from the last. */
export const startTally = (
  { replicas, totals }: SetContext,
  set: SetFact,
  now: EpochMs,
  isFull: boolean,
): Tally =>
  isFull
    ? { set, now, replicas: emptyRadix, totals: new Map(), intents: [] }
    : { set, now, replicas, totals: new Map(totals), intents: [] };

/** Stores what was found about a replica that is wanted. */
export const keep = (tally: Tally, index: number, replica: Replica, isComplete: boolean): void =>
  put(tally, index, replica, { isWanted: true, isComplete });

/** The same for one that is to go: it is forgotten once nothing is left of it. */
export const keepUntilGone = (
  tally: Tally,
  index: number,
  replica: Replica,
  isComplete: boolean,
): void =>
  hasNothingLeft(replica)
    ? store(tally, index, undefined, [])
    : put(tally, index, replica, { isWanted: false, isComplete });

function put(
  tally: Tally,
  index: number,
  replica: Replica,
  found: { readonly isWanted: boolean; readonly isComplete: boolean },
): void {
  const states = replicaChart.statesOf({ replica, ...found }, tally.set, tally.now);
  store(tally, index, { ...replica, states, isTouched: false }, states);
}

/** In a full plan none is there at first. */
function store(tally: Tally, index: number, after: Replica | undefined, to: RowStates): void {
  const from = get(tally.replicas, index)?.states ?? [];
  moveRow(tally.totals, from, to);
  tally.replicas = place(tally.replicas, index, after);
}
