// What is remembered of objects that are gone: the youngest that was noted of each, whatever is
// noted of it later.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Ends } from '#src/kube/watch/ends.ts';

describe('The ends of objects', () => {
  it('are the latest that were noted of each, in whatever order', () => {
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

  it.each([
    // What is surely over is shown by no list that is as young.
    ['surely', '5', '6', false, true],
    ['surely', '6', '5', false, false],
    // It may be back with its label, as a later version.
    ['unseen', '5', '6', false, false],
    ['unseen', '5', '6', true, false],
    // What was going cannot come back as one that is not.
    ['going', '5', '6', true, false],
    ['going', '5', '6', false, true],
  ] as const)(
    'noted %s at %s, a list of %s with the object going (%s) contradicts: %s',
    (how, ended, listed, isGoing, expected) => {
      const ends = new Ends('Pod');
      ends.note('u', ended, how);
      const deletionTimestamp = isGoing ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {};
      const metadata = { name: 'p', uid: 'u', resourceVersion: '6', ...deletionTimestamp };
      const object = { apiVersion: 'v1', kind: 'Pod', metadata };
      expect(ends.contradict(object, listed)).toBe(expected);
      expect(ends.contradict({ ...object, metadata: { ...metadata, uid: 'x' } }, listed)).toBe(
        false,
      );
    },
  );
});
