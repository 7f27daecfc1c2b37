// Objects that were seen to be gone: what is over by then, and which list cannot be of the same
// history.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { Ends, type How } from '#src/kube/watch/ends.ts';

const object = (version: string, more: object = {}, uid = 'u'): KubeObject => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: { name: 'a', uid, resourceVersion: version, ...more },
});
const going = { deletionTimestamp: '2026-01-01T00:00:00Z' };

describe('An object that was seen to be gone', () => {
  it.each([
    ['4', true],
    ['5', true],
    ['6', false],
  ])('is over as it was at %s: %s', (version, isOver) => {
    const ends = new Ends('Pod');
    expect(ends.hasPassed('u', version)).toBe(false);
    ends.note('u', '5', 'surely');
    expect(ends.hasPassed('u', version)).toBe(isOver);
    expect(ends.hasPassed('another', version)).toBe(false);
  });

  it('is over up to the latest that was noted of it, in whatever order', () => {
    const note = fc.record({ uid: fc.constantFrom('a', 'b', '7'), version: fc.nat(200) });
    fc.assert(
      fc.property(fc.array(note), (notes) => {
        const ends = new Ends('Pod');
        const latest = new Map<string, number>();
        for (const { uid, version } of notes) {
          ends.note(uid, String(version), 'surely');
          latest.set(uid, Math.max(version, latest.get(uid) ?? -1));
        }
        for (const uid of ['a', 'b', '7']) {
          const last = latest.get(uid) ?? -1;
          for (const version of [last - 1, last, last + 1].filter((one) => one >= 0)) {
            expect(ends.hasPassed(uid, String(version))).toBe(version <= last);
          }
        }
      }),
    );
  });

  it('is gone as it was seen last, and not as an older event says', () => {
    const ends = new Ends('Pod');
    ends.note('u', '5', 'going');
    ends.note('u', '4', 'surely');
    expect(ends.hasPassed('u', '5')).toBe(true);
    expect(ends.contradict(object('6', going), '7')).toBe(false);
    ends.note('u', '6', 'surely');
    expect(ends.hasPassed('u', '6')).toBe(true);
    expect(ends.contradict(object('7', going), '7')).toBe(true);
  });

  /** Gone by 5; shown at a version by a list of another. */
  it.each<[How, string, object, string, boolean]>([
    ['surely', '6', {}, '7', true],
    ['surely', '6', {}, '5', true],
    ['surely', '6', {}, '4', false],
    ['going', '6', {}, '7', true],
    ['going', '6', going, '7', false],
    ['going', '5', going, '7', true],
    ['unseen', '6', {}, '7', false],
    ['unseen', '6', going, '7', false],
    ['unseen', '5', {}, '7', true],
    ['unseen', '4', {}, '4', false],
  ])('(%s) and shown at %s, %j, in a list of %s contradicts: %s', (how, version, more, of, is) => {
    const ends = new Ends('Pod');
    ends.note('u', '5', how);
    expect(ends.contradict(object(version, more), of)).toBe(is);
    expect(ends.contradict(object(version, more, 'another'), of)).toBe(false);
  });

  it('is surely gone where its kind is not selected by a label', () => {
    const ends = new Ends('PodGang');
    ends.note('u', '5', 'unseen');
    expect(ends.contradict(object('6'), '7')).toBe(true);
  });
});
