// What a process writes about leases, situation by situation: who is declared dead by whom, who may
// give a shard away, and from which moment on.
import { describe, expect, it } from 'vitest';
import { type Action, decide, type Situation } from '#actors/shards/lease/decide.ts';
import type { MemberRecord, OwnerRecord } from '#actors/shards/lease/records.ts';
import { View } from '#actors/shards/lease/view.ts';

/** One shard, so whoever is alone among the members owns it. */
const terms = { shards: 1, durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };

const member = (name: string, more: Partial<MemberRecord> = {}): MemberRecord => ({
  ...{ type: 'member', uid: `uid-${name}`, version: '1', member: name, joinedAt: 1 },
  leaving: false,
  ...more,
});
const owned = (holder: string, more: Partial<OwnerRecord> = {}): OwnerRecord => ({
  ...{ type: 'shard', uid: 'uid-0', version: '1', shard: 0, holder, epoch: 3, written: {} },
  ...more,
});

interface Given extends Partial<Omit<Situation, 'view'>> {
  /** In one list at 0. */
  readonly listed?: readonly (MemberRecord | OwnerRecord)[];
  readonly meanwhile?: (view: View) => void;
}

/** At 20 s `a` decides, which was sure of itself and a member from the start. */
function actions({ listed, meanwhile, ...more }: Given): readonly Action[] {
  const view = new View();
  if (listed !== undefined) view.list(listed, '5', 0);
  meanwhile?.(view);
  const usual = { self: 'a', leaving: false, terms, now: 20_000, isDoubtful: () => false };
  return decide({ ...usual, sureForMs: 20_000, joinedForMs: 20_000, ...more, view });
}

const shown = (action: Action): string => {
  switch (action.type) {
    case 'declareDead':
      return `${action.member.member} is dead`;
    case 'createShard':
      return `makes ${action.shard} for ${action.to} in ${action.epoch}`;
    case 'giveShard':
      return `gives ${action.record.shard} to ${action.to}`;
    case 'returnShard':
      return `returns ${action.record.shard}`;
  }
};

const a = member('a');
const later = { joinedAt: 2 };
const leaving = { leaving: true };
/** Renews at 6 s: at 20 s it is not silent yet. */
const heard =
  (name: string, more: Partial<MemberRecord> = {}): ((view: View) => void) =>
  (view) =>
    view.take(member(name, { version: '9', ...more }), 6_000);
const both =
  (...all: readonly ((view: View) => void)[]): ((view: View) => void) =>
  (view) => {
    for (const each of all) each(view);
  };

describe('A process', () => {
  it.each<[string, Given, readonly string[]]>([
    ['before its first list', { meanwhile: heard('a') }, []],
    ['alone', { listed: [a] }, ['makes 0 for a in 1']],
    ['alone and in doubt of itself', { listed: [a], sureForMs: 0 }, []],
    ['alone and barely sure of itself', { listed: [a], sureForMs: 1 }, ['makes 0 for a in 1']],
    ['that has just joined', { listed: [a], joinedForMs: 499 }, []],
    ['that joined half a second ago', { listed: [a], joinedForMs: 500 }, ['makes 0 for a in 1']],
    ['alone and leaving', { listed: [a], leaving: true }, []],
    ['that holds its shard', { listed: [a, owned('a')] }, []],
    [
      'that holds its shard in doubt',
      { listed: [a, owned('a')], isDoubtful: () => true },
      ['gives 0 to a'],
    ],
    ['that leaves with its shard', { listed: [a, owned('a')], leaving: true }, ['returns 0']],
    [
      'that leaves with its shard in doubt',
      { listed: [a, owned('a')], leaving: true, isDoubtful: () => true },
      ['returns 0'],
    ],
    ['that is no member yet', { listed: [owned('a')] }, []],
    ['with a shard that nobody holds', { listed: [a, owned('')] }, ['gives 0 to a']],
    [
      'that has just joined, with a shard that nobody holds',
      { listed: [a, owned('')], joinedForMs: 499 },
      [],
    ],
  ])('%s writes what its own shard asks for', (_what, given, expected) => {
    expect(actions(given).map(shown)).toEqual(expected);
  });

  it.each<[string, Given, readonly string[]]>([
    ['of who is heard', { listed: [a, member('b', later)], meanwhile: heard('b', later) }, []],
    ['of who was silent for as long as a lease lasts', { listed: [a, member('b', later)] }, ['b']],
    ['of who was silent for less', { listed: [a, member('b', later)], now: 14_999 }, []],
    ['of who was silent for just so long', { listed: [a, member('b', later)], now: 15_000 }, ['b']],
    [
      'of who was silent while it was in doubt of itself',
      { listed: [a, member('b', later)], sureForMs: 14_999 },
      [],
    ],
    [
      'of who was silent while it was just sure of itself',
      { listed: [a, member('b', later)], sureForMs: 15_000 },
      ['b'],
    ],
    ['of who leaves and is silent', { listed: [a, member('b', leaving)] }, ['b']],
    [
      'where another joined first and is heard',
      { listed: [member('a', later), member('b'), member('c')], meanwhile: heard('b') },
      [],
    ],
    ['where who joined first is silent', { listed: [member('a', later), member('b')] }, ['b']],
    [
      'where who joined first leaves',
      { listed: [member('a', later), member('b', leaving)], meanwhile: heard('b', leaving) },
      [],
    ],
    [
      'where another joined at the same time and comes before',
      { listed: [a, member('A')], meanwhile: heard('A') },
      [],
    ],
    ['of several', { listed: [a, member('b', later), member('c', later)] }, ['b', 'c']],
    ['of others while it leaves', { listed: [a, member('b')], leaving: true }, []],
  ])('declares dead those whom it may: %s', (_what, given, dead) => {
    const said = actions(given).filter(({ type }) => type === 'declareDead');
    expect(said.map(shown)).toEqual(dead.map((name) => `${name} is dead`));
  });

  const alone = (meanwhile: (view: View) => void, more: Partial<Given> = {}): Given => ({
    listed: [a],
    meanwhile,
    ...more,
  });
  const lost =
    (atMs: number): ((view: View) => void) =>
    (view) => {
      view.take(owned('a', { version: '6' }), 0);
      view.drop(owned('a', { version: '7' }), atMs);
    };
  const ofB =
    (atMs: number): ((view: View) => void) =>
    (view) =>
      view.take(owned('b', { version: '6' }), atMs);
  it.each<[string, Given, readonly string[]]>([
    ['whose lease went long ago', alone(lost(5_000)), ['makes 0 for a in 4']],
    ['whose lease went not long ago', alone(lost(5_001)), []],
    ['whose lease went while it was in doubt', alone(lost(0), { sureForMs: 14_999 }), []],
    ['of a holder that went long ago', alone(ofB(5_000)), ['gives 0 to a']],
    ['of a holder that went not long ago', alone(ofB(5_001)), []],
    ['of a holder that went while it was in doubt', alone(ofB(0), { sureForMs: 14_999 }), []],
    [
      'of a holder that is dead',
      alone(both((view) => view.markDead('b'), ofB(19_000))),
      ['gives 0 to a'],
    ],
    [
      'of a holder that leaves',
      alone(both((view) => view.take(member('b', { ...leaving, version: '9' }), 19_000), ofB(0))),
      [],
    ],
    [
      'of nobody, where another decides',
      { listed: [member('a', later), member('b'), owned('')], meanwhile: heard('b') },
      [],
    ],
    [
      'of nobody, where it leaves',
      { listed: [a, member('b', later), owned('')], meanwhile: heard('b', later), leaving: true },
      [],
    ],
  ])('takes a shard that is free, and no other: %s', (_what, given, expected) => {
    expect(actions(given).map(shown)).toEqual(expected);
  });
});

describe('A holder that has to hand over', () => {
  /** It leaves, so the shard is that of `b`, which gave it at this moment. */
  const given = (atMs: number, more: Partial<Given> = {}): Given => ({
    listed: [a, member('b'), owned('b')],
    meanwhile: both(heard('b'), (view) => view.take(owned('a', { version: '6', epoch: 4 }), atMs)),
    ...more,
  });
  it('gives its shard to who stays at once where it leaves', () => {
    expect(actions(given(19_999, { leaving: true })).map(shown)).toEqual(['gives 0 to b']);
  });

  it('keeps its shard where it leaves and the only other one is silent', () => {
    const listed = [member('a', later), member('b'), owned('a')];
    expect(actions({ listed, leaving: true })).toEqual([]);
  });
});
