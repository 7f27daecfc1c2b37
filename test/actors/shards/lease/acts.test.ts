// One write on a lease at a time: what is sent for each action, and what its answer leads to.
import { describe, expect, it } from 'vitest';
import { Acts, keyOf } from '#actors/shards/lease/acts.ts';
import type { Action } from '#actors/shards/lease/decide.ts';
import { Holdings } from '#actors/shards/lease/holdings.ts';
import type {
  LeaseRecord,
  LeaseStore,
  MemberRecord,
  OwnerRecord,
  StoreOutcome,
} from '#actors/shards/lease/records.ts';
import { View } from '#actors/shards/lease/view.ts';
import type { Versions } from '#actors/ports.ts';

const dead: MemberRecord = {
  ...{ type: 'member', uid: 'uid-b', version: '3', member: 'b', joinedAt: 1 },
  leaving: false,
};
const owned = (more: Partial<OwnerRecord> = {}): OwnerRecord => ({
  ...{ type: 'shard', uid: 'uid-7', version: '4', shard: 7, holder: 'a', epoch: 2, written: {} },
  ...more,
});
const done = (record: LeaseRecord): StoreOutcome => ({ ok: true, record });
const failed = (why: 'changed' | 'gone' | 'unknown' | 'refused'): StoreOutcome => ({
  ...{ ok: false, why },
  message: why,
});

/** `a` acts, which holds shard 7; its actors wrote this. */
function scene(answers: readonly StoreOutcome[], written: Versions = {}) {
  const view = new View();
  const holdings = new Holdings();
  const sent: unknown[] = [];
  const logged: unknown[] = [];
  const left = [...answers];
  const call = (...what: readonly unknown[]): Promise<StoreOutcome> => {
    sent.push([...what, holdings.isClosing(7) ? 'while it closes' : 'alone'].slice(0, 4));
    return Promise.resolve(left.shift() ?? failed('unknown'));
  };
  const store: LeaseStore = {
    create: (draft) => call('create', draft),
    update: (draft, { uid, version }) => call('update', draft, `${uid} ${version}`),
    readMember: (member) => call('read', member),
    remove: (member, of) => call('remove', member, of),
    follow: () => ({ refresh: () => {}, stop: () => {} }),
  };
  view.list([dead, owned()], '5', 0);
  holdings.open(7, 2, {});
  holdings.onChange((_shard, isHeld) => (isHeld ? undefined : Promise.resolve(written)));
  const acts = new Acts({
    ...{ store, view, holdings },
    log: (...line) => void logged.push(line),
    now: () => ({ steady: 50, wall: 50 }),
    self: () => 'a',
  });
  return { acts, view, holdings, sent, logged };
}

const give = (record: OwnerRecord, to = 'b'): Action => ({ type: 'giveShard', record, to });
const draft = (more: object = {}): object => ({
  ...{ type: 'shard', shard: 7, holder: 'b', epoch: 3, written: {} },
  ...more,
});

describe('The lease that an action writes', () => {
  it.each<[Action, string]>([
    [{ type: 'declareDead', member: dead }, 'member b'],
    [{ type: 'createShard', shard: 7, to: 'a', epoch: 1 }, 'shard 7'],
    [give(owned()), 'shard 7'],
    [{ type: 'returnShard', record: owned() }, 'shard 7'],
  ])('is named for %j', (action, name) => {
    expect(keyOf(action)).toBe(name);
  });
});

describe('A member that is declared dead', () => {
  const act: Action = { type: 'declareDead', member: dead };
  it('is deleted as it was seen, and dead from the answer on', async () => {
    const { acts, view, sent, logged } = scene([done(dead)]);
    expect(await acts.run(act)).toEqual(done(dead));
    expect(sent).toEqual([['remove', 'b', { uid: 'uid-b', version: '3' }, 'alone']]);
    expect([view.isDead('b'), view.member('b')]).toEqual([true, undefined]);
    expect(logged).toEqual([
      ['warn', 'a process was silent too long and lost its shards', { member: 'b' }],
    ]);
  });

  it.each<['changed' | 'gone' | 'unknown' | 'refused', boolean]>([
    ['changed', true],
    ['gone', false],
    ['unknown', true],
    ['refused', true],
  ])('is not dead where that was %s', async (why, isThere) => {
    const { acts, view, logged } = scene([failed(why)]);
    expect(await acts.run(act)).toEqual(failed(why));
    expect([view.isDead('b'), view.member('b') !== undefined]).toEqual([false, isThere]);
    expect(view.missingFor('b', 60)).toBe(isThere ? undefined : 10);
    expect(logged).toEqual([]);
  });
});

describe('The lease of a shard', () => {
  it('is made for its holder, and known from the answer on', async () => {
    const made = owned({ uid: 'uid-8', shard: 8, holder: 'b', epoch: 4, version: '9' });
    const { acts, view, sent } = scene([done(made)]);
    await acts.run({ type: 'createShard', shard: 8, to: 'b', epoch: 4 });
    expect(sent).toEqual([['create', draft({ shard: 8, epoch: 4 }), 'alone']]);
    expect(view.shard(8)).toEqual(made);
    expect(view.shardSeenFor(8, 60)).toBe(10);
  });

  it('goes to another in a new epoch, with what was written here, and is held no more', async () => {
    const given = owned({ holder: 'b', epoch: 3, version: '9' });
    const wrote = { Pod: '12', PodGang: '3' };
    const { acts, view, holdings, sent } = scene([done(given)], wrote);
    const before = owned({ written: { Pod: '11', PodGang: '4', PodClique: '5' } });
    await acts.run(give(before));
    const written = { Pod: '12', PodGang: '4', PodClique: '5' };
    expect(sent).toEqual([['update', draft({ written }), 'uid-7 4', 'while it closes']]);
    expect([holdings.isOpen(7), holdings.isClosing(7)]).toEqual([false, false]);
    expect(view.shard(7)).toEqual(given);
  });

  it('is given back in the same epoch', async () => {
    const { acts, sent } = scene([], { Pod: '1' });
    await acts.run({ type: 'returnShard', record: owned() });
    expect(sent).toEqual([
      [
        'update',
        draft({ holder: '', epoch: 2, written: { Pod: '1' } }),
        'uid-7 4',
        'while it closes',
      ],
    ]);
  });

  it('of another holder closes nothing here', async () => {
    const { acts, holdings, sent } = scene([]);
    await acts.run(give(owned({ holder: 'c' })));
    expect(sent).toEqual([['update', draft(), 'uid-7 4', 'alone']]);
    expect(holdings.isOpen(7)).toBe(true);
  });

  it('goes into an epoch after the highest that was seen', async () => {
    const { acts, view, sent } = scene([]);
    view.take(owned({ version: '6', epoch: 8 }), 0);
    await acts.run(give(owned({ holder: '', epoch: 2 })));
    expect(sent).toEqual([['update', draft({ epoch: 9 }), 'uid-7 4', 'alone']]);
  });

  it('keeps what was written here for the next attempt, until it begins anew here', async () => {
    const { acts, sent } = scene([], { Pod: '12' });
    await acts.run(give(owned()));
    await acts.run(give(owned()));
    acts.forget(7);
    await acts.run(give(owned()));
    expect(sent).toEqual([
      ['update', draft({ written: { Pod: '12' } }), 'uid-7 4', 'while it closes'],
      ['update', draft({ written: { Pod: '12' } }), 'uid-7 4', 'alone'],
      ['update', draft({ written: {} }), 'uid-7 4', 'alone'],
    ]);
  });

  it.each<['changed' | 'gone' | 'unknown' | 'refused', boolean, boolean]>([
    ['changed', false, true],
    ['gone', false, false],
    ['unknown', true, true],
    ['refused', false, true],
  ])('whose write was %s is in doubt: %s, and there: %s', async (why, isDoubtful, isThere) => {
    const { acts, view } = scene([failed(why)]);
    await acts.run(give(owned()));
    expect(acts.isDoubtful(owned())).toBe(isDoubtful);
    expect(acts.isDoubtful(owned({ version: '5' }))).toBe(false);
    expect(acts.isDoubtful(owned({ version: '5', holder: 'b' }))).toBe(true);
    expect(view.shard(7) !== undefined).toBe(isThere);
    expect(view.shardMissingFor(7, 60)).toBe(isThere ? undefined : 10);
  });
});
