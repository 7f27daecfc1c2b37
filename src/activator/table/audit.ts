// What has to be true of a table between two operations (spec activator 5.4), computed from its
// columns anew. Tests audit after each step; an actor does when it restarts. O(slots).
import { at, isRoutable, stateCode } from './columns.ts';
import type { Slots } from './slots.ts';

/** A sentence for each invariant that does not hold, with its number. Which slots of a table need
 *  more than being counted anew is `contradictionAt`. */
export function audit(slots: Slots): readonly string[] {
  const found: string[] = [];
  const { columns, highWater, live, draining, options } = slots;
  for (let index = 0; index < columns.length; index++) {
    const problem = contradictionAt(slots, index);
    if (problem !== undefined) found.push(`slot ${index}: ${problem}`);
    const expected = columns.freeOf(index);
    const free = at(columns.free, index);
    if (free !== expected) found.push(`slot ${index}: free is ${free}, not ${expected} (I-9)`);
  }
  const indices = Array.from({ length: highWater }, (_, index) => index);
  const pods = indices.filter((index) => columns.isLive(index));
  const holes = indices.filter((index) => !columns.isLive(index));
  const routable = pods.filter((index) => isRoutable(columns.state[index] ?? 0));
  const available = routable.filter((index) => at(columns.free, index) > 0);
  const drains = pods.filter((index) => columns.state[index] === stateCode.draining);
  const expect = (isSo: boolean, sentence: string): void => {
    if (!isSo) found.push(sentence);
  };
  expect(slots.indexByDest.size === pods.length, 'the index has other addresses (I-3)');
  expect(live === pods.length, `live is ${live}, not ${pods.length} (I-4)`);
  expect(highWater <= slots.planned, `the high-water mark ${highWater} is above the plan (I-4)`);
  expect(isSame(slots.holes.members(), holes), 'the holes are not those that are there (I-5)');
  expect(slots.routable === routable.length, `routable is not ${routable.length} (I-6)`);
  expect(
    isSame(slots.policy.members().toSorted(byNumber), available),
    `the policy has other candidates than those with a permit (I-6)`,
  );
  expect(slots.detached >= 0, `${slots.detached} requests are detached (I-8)`);
  expect(draining === drains.length, `draining is ${draining}, not ${drains.length} (I-15)`);
  const empty = highWater - live;
  const isTrimmed = highWater === 0 || empty / highWater <= options.trimThreshold;
  expect(isTrimmed || columns.isLive(highWater - 1), 'trailing holes were left (I-12)');
  return found;
}

/** Why the columns of a slot contradict each other, if they do. */
export function contradictionAt(slots: Slots, index: number): string | undefined {
  const { columns, highWater, indexByDest } = slots;
  const dest = columns.dest[index] ?? '';
  const state = columns.state[index] ?? 0;
  const inFlight = at(columns.inFlight, index);
  const isLive = columns.isLive(index);
  if (isLive && index >= highWater) return 'a pod above the high-water mark (I-1)';
  if (isLive !== (dest !== '')) return `generation and address "${dest}" contradict (I-11)`;
  if (isLive !== (state !== stateCode.hole)) return `state ${state} contradicts generation (I-2)`;
  if (!isLive) {
    const isClear = inFlight === 0 && at(columns.limit, index) === 0 && columns.id[index] === '';
    return isClear ? undefined : 'a hole with requests, limit or id (I-2)';
  }
  if (indexByDest.get(dest) !== index) return `${dest} leads to another slot (I-3)`;
  if (inFlight < 0) return `${inFlight} requests (I-7)`;
  if (state === stateCode.draining && inFlight === 0) return 'drains without a request (I-15)';
  if (at(columns.limit, index) !== slots.limit) return 'has another limit than the table (I-7)';
  return undefined;
}

const byNumber = (a: number, b: number): number => a - b;

const isSame = (some: readonly number[], others: readonly number[]): boolean =>
  some.length === others.length && some.every((one, place) => one === others[place]);
