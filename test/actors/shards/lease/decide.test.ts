// What a holder does with its shards while the processes do not agree yet on who is there: it keeps
// them, for two who judge each for himself would hand a shard to and fro as fast as they can write.
import { describe, expect, it } from 'vitest';
import { assign } from '#actors/shards/lease/assignment.ts';
import { type Action, decide } from '#actors/shards/lease/decide.ts';
import type { MemberRecord, OwnerRecord } from '#actors/shards/lease/records.ts';
import { View } from '#actors/shards/lease/view.ts';

const terms = { shards: 8, durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };
const names = ['a', 'b', 'o'];

const member = (name: string, version: number): MemberRecord => ({
  type: 'member',
  uid: `uid-${name}`,
  version: String(version),
  member: name,
  joinedAt: names.indexOf(name),
  leaving: false,
});

const owned = (shard: number, holder: string, version: number): OwnerRecord => ({
  type: 'shard',
  uid: `uid-${shard}`,
  version: String(version),
  shard,
  holder,
  epoch: version,
  written: {},
});

/** What `b` does at `now`, sure of itself for long. `a` is the coordinator. */
const actionsOfB = (view: View, now: number): readonly Action[] =>
  decide({
    self: 'b',
    leaving: false,
    view,
    terms,
    now,
    sureForMs: 60_000,
    joinedForMs: 60_000,
    isDoubtful: () => false,
  });

/** A shard that `b` owns among all three and `a` when `o` is not counted. */
const disputed = Array.from({ length: terms.shards }, (_, shard) => shard).find(
  (shard) =>
    assign(terms.shards, names)[shard] === 'b' && assign(terms.shards, ['a', 'b'])[shard] === 'a',
);

describe('A holder of a shard', () => {
  const shard = disputed ?? Number.NaN;

  it('has a shard that is disputed, else this file shows nothing', () => {
    expect(disputed).toBeDefined();
  });

  it('keeps it while a member is silent but not declared dead, as others may not see that', () => {
    const view = new View();
    view.list([...names.map((name) => member(name, 1)), owned(shard, 'b', 2)], '2', 0);
    for (const name of ['a', 'b']) view.take(member(name, 3), 19_000);
    expect(view.silentFor('o', 20_000)).toBeGreaterThan(terms.durationMs);
    expect(actionsOfB(view, 20_000)).toEqual([]);
  });

  it('hands it over when the dead member is gone', () => {
    const view = new View();
    view.list([...names.map((name) => member(name, 1)), owned(shard, 'b', 2)], '2', 0);
    view.markDead('o');
    expect(actionsOfB(view, 1_000)).toMatchObject([{ type: 'giveShard', to: 'a' }]);
  });

  it('gives it to nobody who is silent', () => {
    const view = new View();
    const ofO = assign(terms.shards, names).indexOf('o');
    view.list([...names.map((name) => member(name, 1)), owned(ofO, 'b', 2)], '2', 0);
    expect(actionsOfB(view, 1_000)).toMatchObject([{ type: 'giveShard', to: 'o' }]);
    for (const name of ['a', 'b']) view.take(member(name, 3), 19_000);
    expect(actionsOfB(view, 20_000)).toEqual([]);
  });

  it('does not return it at once to who gave it, who may know of members that it does not', () => {
    const view = new View();
    view.list([...['a', 'b'].map((name) => member(name, 1)), owned(shard, 'a', 2)], '2', 0);
    view.take(owned(shard, 'b', 3), 1_000);
    expect(actionsOfB(view, 1_001)).toEqual([]);
    expect(actionsOfB(view, 1_000 + terms.retryMs)).toMatchObject([{ type: 'giveShard', to: 'a' }]);
  });
});
