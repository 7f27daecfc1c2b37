// Names and indices of pods, and the reverse lookups of all names: stable, unique, short enough,
// exact.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseGangName, cliqueName, memberName, placeOf } from '#machines/grove/objects/names.ts';
import {
  assignSlots,
  firstNames,
  hostname,
  indexOfHostname,
  lowestFree,
  podName,
} from '#machines/grove/objects/pod-names.ts';
import { memberTable } from '#machines/grove/scalinggroup/children/member.ts';

/** A name as admission allows it: set and clique together at most 45 characters. */
const part = (maxLength: number) =>
  fc
    .array(fc.constantFrom(...'abc019-'), { minLength: 1, maxLength })
    .map((letters) => letters.join(''))
    .filter((name) => /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name));
const clique = fc
  .tuple(part(25), fc.nat(99_999), part(20))
  .map(([set, replica, name]) => ({ set, replica, name, fqn: cliqueName(set, replica, name) }));

describe('names of pods', () => {
  it('are stable, unique within the clique and at most 63 characters', () => {
    fc.assert(
      fc.property(clique, fc.uuid(), fc.nat(60), ({ fqn }, uid, replicas) => {
        const names = firstNames(fqn, uid, replicas);
        expect(new Set(names).size).toBe(replicas);
        expect(names).toEqual(firstNames(fqn, uid, replicas));
        for (const name of names) {
          expect(name.length).toBeLessThanOrEqual(63);
          expect(name).toMatch(/^[a-z][-a-z0-9]*[a-z0-9]$/);
        }
      }),
    );
  });

  it('stay unique for 10,000 pods, though hashes meet', () => {
    const names = firstNames('demo-0-worker', 'uid', 10_000);
    expect(new Set(names).size).toBe(10_000);
  });

  it('take the smallest incarnation whose name nobody holds', () => {
    const held = new Set([podName('c', 'u', 0, 0), podName('c', 'u', 0, 1)]);
    const isHeld = (name: string): boolean => held.has(name);
    const none = { chosen: new Map<number, string>(), announced: new Set<string>() };
    const slots = assignSlots({ clique: 'c', uid: 'u', indices: [0], isHeld, ...none });
    expect(slots).toEqual([{ index: 0, name: podName('c', 'u', 0, 2) }]);
  });

  it('stick once chosen, until somebody holds them', () => {
    const chosen = new Map([[1, 'c-zzzzz']]);
    const input = { clique: 'c', uid: 'u', indices: [1], chosen, announced: new Set<string>() };
    expect(assignSlots({ ...input, isHeld: () => false })).toEqual([{ index: 1, name: 'c-zzzzz' }]);
    const isHeld = (name: string): boolean => name === 'c-zzzzz';
    expect(assignSlots({ ...input, isHeld })).toEqual([
      { index: 1, name: podName('c', 'u', 1, 0) },
    ]);
  });
});

describe('a name that the PodGang lists without a pod', () => {
  const input = { clique: 'c', uid: 'u', indices: [0, 1], chosen: new Map<number, string>() };
  const isHeld = (): boolean => false;

  it('is taken for its index: a controller that died may have created that pod unseen', () => {
    const announced = new Set([podName('c', 'u', 1, 1), 'c-other']);
    expect(assignSlots({ ...input, isHeld, announced })).toEqual([
      { index: 0, name: podName('c', 'u', 0, 0) },
      { index: 1, name: podName('c', 'u', 1, 1) },
    ]);
  });

  it('is not taken where another object holds it', () => {
    const name = podName('c', 'u', 1, 1);
    const slots = assignSlots({
      ...input,
      isHeld: (one) => one === name,
      announced: new Set([name]),
    });
    expect(slots[1]).toEqual({ index: 1, name: podName('c', 'u', 1, 0) });
  });
});

describe('indices of pods', () => {
  it('fill the holes from below', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(30)), fc.nat(20), (used, wanted) => {
        const free = lowestFree(new Set(used), wanted);
        expect(free).toHaveLength(wanted);
        const all = new Set([...used, ...free]);
        expect(all.size).toBe(used.length + wanted);
        const highest = Math.max(-1, ...free);
        for (let index = 0; index <= highest; index++) expect(all.has(index)).toBe(true);
      }),
    );
  });

  it('are read back from host names, and from nothing else', () => {
    fc.assert(
      fc.property(clique, fc.nat(99_999), ({ fqn }, index) => {
        expect(indexOfHostname(fqn, hostname(fqn, index))).toBe(index);
        expect(indexOfHostname(`${fqn}x`, hostname(fqn, index))).toBeUndefined();
      }),
    );
    for (const bad of ['', 'c', 'c-', 'c--1', 'c-01', 'c-1x', 'c-1.5', 'b-c-1']) {
      expect(indexOfHostname('c', bad)).toBeUndefined();
    }
  });
});

describe('reverse lookups', () => {
  it('find replica and clique of a PodClique exactly', () => {
    fc.assert(
      fc.property(clique, ({ set, replica, name, fqn }) => {
        expect(placeOf(set, fqn)).toEqual({ replica, slot: name });
      }),
    );
  });

  it('refuse names that are too short or lack the prefix (10.1 rule 50)', () => {
    for (const bad of ['', 'demo', 'demo-', 'demo-1-', 'demo-x-w', 'dem-1-w', 'demo-01-w']) {
      expect(placeOf('demo', bad)).toBeUndefined();
    }
    expect(memberTable.PodClique.place('demo', 'demo-1')).toBeUndefined();
  });

  it('tell `worker` from `prefill-worker` (10.2 gap 1)', () => {
    expect(placeOf('demo', 'demo-0-prefill-worker')?.slot).toBe('prefill-worker');
    expect(placeOf('demo-0-x', 'demo-0-x-1-prefill-worker')?.slot).toBe('prefill-worker');
  });

  it('find replica and clique of a member exactly, whatever digits its names hold', () => {
    fc.assert(
      fc.property(clique, fc.nat(5_000), part(20), ({ fqn }, index, member) => {
        const name = memberName(fqn, index, member);
        expect(placeOf(fqn, name)).toEqual({ replica: index, slot: member });
      }),
    );
  });

  it('find the replica of a PodGang and the set of a Secret', () => {
    fc.assert(
      fc.property(part(40), fc.nat(), (set, replica) => {
        expect(placeOf(set, baseGangName(set, replica))).toEqual({ replica, slot: '' });
      }),
    );
    expect(placeOf('demo', 'demo-0-x-1')).toEqual({ replica: 0, slot: 'x-1' });
  });
});
