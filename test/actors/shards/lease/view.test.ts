// What a process makes of what it is told of leases, in whatever order that comes: which of two
// records counts, what is missing and since when, who is dead, which epochs were used.
import { describe, expect, it } from 'vitest';
import type { MemberRecord, OwnerRecord } from '#actors/shards/lease/records.ts';
import { View } from '#actors/shards/lease/view.ts';

const member = (version: number, more: Partial<MemberRecord> = {}): MemberRecord => ({
  ...{ type: 'member', uid: 'uid-a', version: String(version), member: 'a', joinedAt: 1 },
  leaving: false,
  ...more,
});

const owned = (version: number, more: Partial<OwnerRecord> = {}): OwnerRecord => ({
  ...{ type: 'shard', uid: 'uid-7', version: String(version), shard: 7, holder: 'a', epoch: 1 },
  written: {},
  ...more,
});

/** What it says at a moment: of the member `a`, and of shard 7. */
const ofMember = (view: View, now: number) => [
  view.member('a')?.version,
  view.silentFor('a', now),
  view.missingFor('a', now),
  view.isDead('a'),
];
const ofShard = (view: View, now: number) => [
  view.shard(7)?.version,
  view.shardSeenFor(7, now),
  view.shardMissingFor(7, now),
  view.formerHolder(7),
  view.epoch(7),
];

type Step = (view: View) => void;
const take =
  (record: MemberRecord | OwnerRecord, now = 0): Step =>
  (view) =>
    view.take(record, now);
const drop =
  (record: MemberRecord | OwnerRecord, now = 0): Step =>
  (view) =>
    view.drop(record, now);
const list =
  (version: number, records: readonly (MemberRecord | OwnerRecord)[], now = 0): Step =>
  (view) =>
    view.list(records, String(version), now);
const dies: Step = (view) => view.markDead('a');

function after(steps: readonly Step[]): View {
  const view = new View();
  for (const step of steps) step(view);
  return view;
}

const unknown = [undefined, 0, undefined, false];
const other = { uid: 'uid-other' };
const leaving = { leaving: true };

describe('A member', () => {
  it.each<[string, readonly Step[], readonly unknown[]]>([
    ['of which nothing was said', [], unknown],
    ['that was seen', [take(member(2), 10)], ['2', 90, undefined, false]],
    ['seen twice alike', [take(member(2), 10), take(member(2), 20)], ['2', 90, undefined, false]],
    ['seen older', [take(member(2), 10), take(member(1), 20)], ['2', 90, undefined, false]],
    ['that renewed', [take(member(2), 10), take(member(3), 20)], ['3', 80, undefined, false]],
    ['that was deleted', [take(member(2), 10), drop(member(3), 30)], [undefined, 0, 70, false]],
    [
      'deleted under another UID',
      [take(member(2)), drop(member(3, other))],
      ['2', 100, undefined, false],
    ],
    ['that is deleted before it was seen', [drop(member(3), 30)], unknown],
    [
      'that is there again',
      [take(member(2)), drop(member(3), 30), take(member(5, other), 40)],
      ['5', 60, undefined, false],
    ],
    ['that had left', [take(member(2, leaving)), drop(member(3))], [undefined, 0, undefined, true]],
    [
      'whose end alone says that it had left',
      [take(member(2)), drop(member(3, leaving), 30)],
      [undefined, 0, 70, false],
    ],
    ['that is dead', [take(member(2)), dies], [undefined, 0, undefined, true]],
    ['seen after its death', [dies, take(member(9))], [undefined, 0, undefined, true]],
    [
      'that was missing and is dead',
      [take(member(2)), drop(member(3)), dies],
      [undefined, 0, undefined, true],
    ],
    ['that holds a shard and is unknown', [take(owned(2), 30)], [undefined, 0, 70, false]],
    [
      'that is missing, counted from the first time',
      [take(owned(2), 30), take(owned(3, { uid: 'uid-8', shard: 8 }), 50)],
      [undefined, 0, 70, false],
    ],
    ['that holds a shard and is dead', [dies, take(owned(2), 30)], [undefined, 0, undefined, true]],
    [
      'that holds a shard and is known',
      [take(member(1), 10), take(owned(2), 30)],
      ['1', 90, undefined, false],
    ],
    [
      'that a list does not hold',
      [take(member(2), 10), list(2, [], 30)],
      [undefined, 0, 70, false],
    ],
    [
      'that had left and a list does not hold',
      [take(member(2, leaving)), list(2, [])],
      [undefined, 0, undefined, true],
    ],
    [
      'that is younger than a list',
      [take(member(3), 10), list(2, [], 30)],
      ['3', 90, undefined, false],
    ],
    [
      'in a list as it was',
      [take(member(2), 10), list(4, [member(2)], 30)],
      ['2', 90, undefined, false],
    ],
    [
      'in a list anew',
      [take(member(2), 10), list(4, [member(3)], 30)],
      ['3', 70, undefined, false],
    ],
    [
      'in a list as it was before a backup',
      [take(member(4), 10), list(4, [member(3)], 30)],
      ['3', 70, undefined, false],
    ],
    [
      'in a list that is older than what is known',
      [take(member(4), 10), list(3, [member(3)], 30)],
      ['4', 90, undefined, false],
    ],
    [
      'in a list under another UID',
      [take(member(2), 10), list(4, [member(3, other)], 30)],
      ['3', 70, undefined, false],
    ],
    [
      'in a list behind the shard that it holds',
      [list(4, [owned(3), member(2)], 30)],
      ['2', 70, undefined, false],
    ],
    ['in a list after its death', [dies, list(4, [member(3)])], [undefined, 0, undefined, true]],
  ])('%s is known by version, silence, absence and death', (_what, steps, expected) => {
    expect(ofMember(after(steps), 100)).toEqual(expected);
  });
});

describe('A shard', () => {
  const gone = [take(owned(2), 10), drop(owned(5), 30)];
  it.each<[string, readonly Step[], readonly unknown[]]>([
    ['of which nothing was said', [], [undefined, 0, undefined, '', 0]],
    ['that was seen', [take(owned(2), 10)], ['2', 90, undefined, '', 1]],
    ['seen twice alike', [take(owned(2), 10), take(owned(2), 20)], ['2', 90, undefined, '', 1]],
    [
      'seen older',
      [take(owned(2), 10), take(owned(1, { holder: 'b', epoch: 4 }), 20)],
      ['2', 90, undefined, '', 1],
    ],
    [
      'that changed hands',
      [take(owned(2), 10), take(owned(3, { holder: 'b', epoch: 2 }), 20)],
      ['3', 80, undefined, 'a', 2],
    ],
    [
      'that changed hands twice',
      [
        take(owned(2), 10),
        take(owned(3, { holder: 'b', epoch: 2 }), 20),
        take(owned(4, { holder: 'c', epoch: 3 }), 40),
      ],
      ['4', 60, undefined, 'b', 3],
    ],
    [
      'whose epoch somebody set back',
      [take(owned(2, { epoch: 5 }), 10), take(owned(3, { epoch: 4 }), 20)],
      ['3', 80, undefined, 'a', 5],
    ],
    ['whose lease was deleted', gone, [undefined, 0, 70, '', 1]],
    [
      'deleted under another UID',
      [take(owned(2), 10), drop(owned(5, other), 30)],
      ['2', 90, undefined, '', 1],
    ],
    ['deleted before it was seen', [drop(owned(5), 30)], [undefined, 0, undefined, '', 0]],
    ['of which late news comes', [...gone, take(owned(4), 40)], [undefined, 0, 70, '', 1]],
    ['of which its last news comes', [...gone, take(owned(5), 40)], [undefined, 0, 70, '', 1]],
    ['of which later news comes', [...gone, take(owned(6), 40)], ['6', 60, undefined, '', 1]],
    [
      'of which there is another lease',
      [...gone, take(owned(4, other), 40)],
      ['4', 60, undefined, '', 1],
    ],
    [
      'of which the end has the version of the news before',
      [take(owned(5), 10), drop(owned(2), 30), take(owned(4), 40)],
      [undefined, 0, 70, '', 1],
    ],
    [
      'that is missing, counted from each end',
      [...gone, take(owned(6), 40), drop(owned(7), 60)],
      [undefined, 0, 40, '', 1],
    ],
    ['that a list does not hold', [take(owned(2), 10), list(2, [], 30)], [undefined, 0, 70, '', 1]],
    [
      'that is younger than a list',
      [take(owned(3), 10), list(2, [], 30)],
      ['3', 90, undefined, '', 1],
    ],
    [
      'of which news comes that a list knew',
      [list(4, []), take(owned(4), 30)],
      [undefined, 0, undefined, '', 0],
    ],
    [
      'of which news comes after a list',
      [list(4, []), take(owned(5), 30)],
      ['5', 70, undefined, '', 1],
    ],
    [
      'that is known, of which news comes that a list knew',
      [list(4, [owned(2)], 10), take(owned(3), 30)],
      ['3', 70, undefined, 'a', 1],
    ],
    [
      'in a list as it was before a backup',
      [take(owned(4, { epoch: 3 }), 10), list(4, [owned(3, { epoch: 2 })], 30)],
      ['3', 70, undefined, '', 3],
    ],
    [
      'in a list that is older than what is known',
      [take(owned(4), 10), list(3, [owned(3)], 30)],
      ['4', 90, undefined, '', 1],
    ],
    [
      'in a list after its lease was deleted',
      [...gone, list(5, [owned(4)], 40)],
      ['4', 60, undefined, '', 1],
    ],
  ])('%s is known by version, age, absence, former holder and epoch', (_what, steps, expected) => {
    expect(ofShard(after(steps), 100)).toEqual(expected);
  });

  it('without a holder lets nobody be missed', () => {
    const view = after([take(owned(2, { holder: '' }), 10)]);
    expect(view.missingFor('', 100)).toBeUndefined();
  });

  it.each<[string, number, string, boolean]>([
    ['the highest, of who had it first', 5, 'a', false],
    ['the highest, of another', 5, 'b', true],
    ['an earlier one', 4, 'a', true],
    ['a later one', 6, 'b', false],
  ])('has used an epoch or not: %s', (_what, epoch, holder, isUsed) => {
    const first = owned(2, { epoch: 5 });
    const view = after([take(first), take(owned(3, { epoch: 5, holder: 'b' }))]);
    expect(view.isUsedEpoch(owned(9, { epoch, holder }))).toBe(isUsed);
    expect(view.isUsedEpoch(owned(9, { epoch, holder, shard: 8 }))).toBe(false);
  });
});

describe('A view', () => {
  it('is complete from its first list on', () => {
    const view = after([take(member(2)), take(owned(3))]);
    expect(view.isListed).toBe(false);
    view.list([], '1', 0);
    expect(view.isListed).toBe(true);
    expect([view.members().length, view.shard(7)?.version]).toEqual([1, '3']);
  });

  it('tells members and shards of one list apart', () => {
    const b = member(2, { uid: 'uid-b', member: 'b', joinedAt: 2 });
    const view = after([list(4, [member(1), b, owned(3, { holder: 'b' })])]);
    expect(view.members()).toEqual([member(1), b]);
    expect(view.shard(7)).toEqual(owned(3, { holder: 'b' }));
    view.list([b], '5', 10);
    expect(view.members()).toEqual([b]);
    expect([view.missingFor('a', 15), view.shardMissingFor(7, 15)]).toEqual([5, 5]);
  });
});
