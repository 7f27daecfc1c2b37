// Who should own which shard: the same answer everywhere, an even load, and few moves.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assign } from '#actors/shards/lease/assignment.ts';

const anyMembers = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,6}-[0-9a-f]{8}$/), {
  minLength: 1,
  maxLength: 9,
});
const anyShards = fc.integer({ min: 1, max: 64 });

const loads = (owners: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const owner of owners) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return counts;
};

describe('The owners of the shards', () => {
  it('never change from one version to the next', () => {
    expect(assign(6, ['a-1', 'b-1', 'c-1'])).toMatchInlineSnapshot(`
      [
        "c-1",
        "a-1",
        "b-1",
        "a-1",
        "b-1",
        "c-1",
      ]
    `);
  });

  it('are the same whatever the order of the members, and each shard has one', () => {
    fc.assert(
      fc.property(anyShards, anyMembers, (shards, members) => {
        const owners = assign(shards, members);
        expect(owners).toHaveLength(shards);
        expect(owners.every((owner) => members.includes(owner))).toBe(true);
        expect(assign(shards, members.toReversed())).toEqual(owners);
      }),
    );
  });

  it('carry no more than their share', () => {
    fc.assert(
      fc.property(anyShards, anyMembers, (shards, members) => {
        const most = Math.ceil(shards / members.length);
        expect(Math.max(...loads(assign(shards, members)).values())).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('move little more than the share of the one who comes', () => {
    let moved = 0;
    for (let run = 0; run < 50; run++) {
      const members = [`a-${run}`, `b-${run}`, `c-${run}`];
      const before = assign(16, members);
      const after = assign(16, [...members, `d-${run}`]);
      moved += before.filter((owner, shard) => owner !== after[shard]).length;
    }
    expect(moved / 50).toBeLessThan(7);
  });

  it('are nobody where there is nobody', () => {
    expect(assign(4, [])).toEqual([]);
  });
});
