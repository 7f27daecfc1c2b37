// The audit of a table: it finds each invariant that was broken by hand, by its number, and the
// repair restores a table that requests can go on with.
import { describe, expect, it } from 'vitest';
import { audit } from '#src/activator/table/audit.ts';
import { stateCode } from '#src/activator/table/columns.ts';
import { readOptions } from '#src/activator/table/options.ts';
import { repair } from '#src/activator/table/repair.ts';
import { Slots } from '#src/activator/table/slots.ts';
import { policyNames, type PolicyName } from '#src/activator/table/types.ts';
import { now, podAt } from './support.ts';

/** Pods at 0 to 6 but 1 and 4; 0 drains, 2 is not ready, two requests are on each other one. */
function riddled(policy: PolicyName = 'least-loaded'): Slots {
  const slots = new Slots(readOptions({ limit: 3, seed: 4, policy, maxScale: 8 }));
  for (let place = 0; place < 7; place++) slots.allocate(podAt(place), now);
  for (let time = 0; time < 14; time++) slots.take();
  for (const index of [1, 4]) {
    while ((slots.columns.inFlight[index] ?? 0) > 0) giveBackAt(slots, index);
    slots.leave(index, now);
  }
  slots.leave(0, now);
  slots.setState(2, stateCode['not-ready'], now);
  expect(audit(slots)).toEqual([]);
  return slots;
}

const giveBackAt = (slots: Slots, index: number): void =>
  slots.giveBack(index, slots.columns.gen[index] ?? 0);

const broken: readonly (readonly [invariant: string, break_: (slots: Slots) => void])[] = [
  ['I-1', (slots) => (slots.highWater = 5)],
  ['I-2', ({ columns }) => (columns.state[3] = stateCode.hole)],
  ['I-2', ({ columns }) => (columns.inFlight[4] = 1)],
  ['I-2', ({ columns }) => (columns.id[1] = 'pod-1')],
  ['I-3', ({ indexByDest }) => indexByDest.set(podAt(3).dest, 5)],
  ['I-3', ({ indexByDest }) => indexByDest.delete(podAt(3).dest)],
  ['I-3', ({ columns }) => (columns.dest[5] = podAt(3).dest)],
  ['I-4', (slots) => (slots.live = 6)],
  ['I-4', (slots) => (slots.planned = 3)],
  ['I-5', ({ holes }) => holes.remove(4)],
  ['I-5', ({ holes }) => holes.add(3)],
  ['I-6', ({ policy }) => policy.leave(3)],
  ['I-6', (slots) => (slots.routable = 5)],
  ['I-7', ({ columns }) => (columns.inFlight[3] = -1)],
  ['I-7', ({ columns }) => (columns.limit[3] = 9)],
  ['I-8', (slots) => (slots.detached = -1)],
  ['I-9', ({ columns }) => (columns.free[3] = 3)],
  ['I-9', ({ columns }) => (columns.free[2] = 1)],
  ['I-11', ({ columns }) => (columns.gen[3] = 8)],
  ['I-11', ({ columns }) => (columns.dest[3] = '')],
  ['I-12', (slots) => (slots.highWater = 20)],
  ['I-15', ({ columns }) => (columns.inFlight[0] = 0)],
  ['I-15', (slots) => (slots.draining = 0)],
];

describe('The audit', () => {
  it.each(broken)('finds that %s does not hold: %o', (invariant, breakIt) => {
    const slots = riddled();
    breakIt(slots);
    expect(audit(slots).join()).toContain(invariant);
  });

  it.each(policyNames)('finds a candidate that policy %s has lost (I-6)', (policy) => {
    const slots = riddled(policy);
    slots.policy.leave(slots.policy.pick());
    expect(audit(slots).join()).toContain('I-6');
  });
});

describe('The repair', () => {
  it.each(broken)('restores a table in which %s does not hold: %o (T-15)', (invariant, breakIt) => {
    const slots = riddled();
    breakIt(slots);
    expect(repair(slots).join()).toContain(invariant);
    expect(audit(slots)).toEqual([]);
    while (slots.take() >= 0);
    for (let place = 10; place < 20; place++) slots.allocate(podAt(place), now);
    while (slots.take() >= 0);
    expect(audit(slots)).toEqual([]);
  });

  it('leaves a table alone in which all is well', () => {
    const slots = riddled();
    const before = structuredClone({ ...slots.columns });
    expect(repair(slots)).toEqual([]);
    expect({ ...slots.columns }).toEqual(before);
  });

  it('takes permits away from those whose pod contradicted itself', () => {
    const slots = riddled();
    const gen = slots.columns.gen[3] ?? 0;
    slots.columns.dest[3] = '';
    repair(slots);
    expect(slots.detached).toBe(2);
    slots.giveBack(3, gen);
    expect(slots).toMatchObject({ detached: 1, stale: 1 });
  });
});
