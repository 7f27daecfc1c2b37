// How a process becomes a member, request by request: what is sent when, and what each answer leads
// to.
import { describe, expect, it } from 'vitest';
import type { MemberRecord } from '#actors/shards/lease/records.ts';
import { sureMs } from '#actors/shards/lease/terms.ts';
import { done, draft, failed, noList, record, scene, wallStart } from './member.ts';
import { terms } from './world.ts';

describe('A process that is no member', () => {
  it('sends nothing before it has seen who is there', () => {
    const { look, sent, membership } = scene(noList);
    look();
    expect(sent).toEqual([]);
    expect(membership.isPresent).toBe(false);
  });

  it.each<[string, readonly MemberRecord[], number]>([
    ['alone', [], 1_000_500],
    ['with others of before', [record({ member: 'b', joinedAt: 5 })], 1_000_500],
    [
      'with others that say to be of later',
      [
        record({ member: 'b', uid: 'b', joinedAt: 2_000_000 }),
        record({ member: 'c', uid: 'c', joinedAt: 3_000_000 }),
      ],
      3_000_001,
    ],
  ])('joins as the last: %s', (_what, others, joinedAt) => {
    const { look, sent, here } = scene(others);
    here.address = 'https://10.0.0.1:1';
    look();
    look();
    expect(sent).toEqual([['create', draft({ joinedAt, address: 'https://10.0.0.1:1' })]]);
  });

  it('is a member from the answer on, and sure from the request on', async () => {
    const { look, pass, answer, membership, standing, view, time, logged, counts } = scene();
    expect(membership.sinceAttempt(time)).toBeUndefined();
    look();
    pass(300);
    expect([membership.isPresent, membership.isIn, membership.joinedFor(time)]).toEqual([
      ...[true, false],
      0,
    ]);
    await answer(done());
    pass(200);
    expect([membership.isPresent, membership.isIn, membership.joinedFor(time)]).toEqual([
      ...[true, true],
      200,
    ]);
    expect([membership.sinceAttempt(time), standing.sinceRenewal(time)]).toEqual([500, 500]);
    expect(view.member('m-1')).toEqual(record());
    expect(view.silentFor('m-1', time.steady)).toBe(200);
    expect(logged).toEqual([['info', 'joined', { member: 'm-1', version: '10' }]]);
    expect([counts.answers, counts.lost, membership.problem]).toEqual([1, 0, '']);
  });

  it.each(['refused', 'unknown', 'gone'] as const)(
    'whose request was %s says why and tries again as late as it renews',
    async (why) => {
      const { look, pass, answer, membership, news, counts } = scene();
      look();
      pass(500);
      await answer(failed(why));
      expect([membership.isIn, membership.problem, counts.answers]).toEqual([
        false,
        `it was ${why}`,
        1,
      ]);
      news();
      pass(terms.retryMs - 501);
      look();
      expect(news()).toEqual([]);
      pass(1);
      look();
      expect(news()).toEqual([['create', draft({ joinedAt: 3_000_500 })]]);
      await answer(done());
      expect([membership.isIn, membership.problem]).toEqual([true, '']);
    },
  );

  it('finds the lease that it made without an answer, and renews it at once', async () => {
    const { look, pass, answer, news, membership, view, standing, time } = scene();
    look();
    news();
    await answer(failed('changed'));
    expect(news()).toEqual([['read', 'm-1']]);
    pass(50);
    await answer(done({ joinedAt: 4, version: '12' }));
    pass(10);
    expect([membership.isIn, membership.problem, membership.joinedFor(time)]).toEqual([
      true,
      '',
      10,
    ]);
    expect([view.member('m-1')?.version, view.silentFor('m-1', time.steady)]).toEqual(['12', 10]);
    expect(standing.isSure(time)).toBe(false);
    look();
    expect(news()).toEqual([['update', draft({ joinedAt: 4 }), 'u', '12']]);
  });

  it('says why where it cannot read the lease that is there', async () => {
    const { look, answer, membership } = scene();
    look();
    await answer(failed('changed'));
    await answer(failed('refused'));
    expect([membership.isIn, membership.problem]).toEqual([false, 'it was refused']);
  });

  const bySleep = { steady: 2_000, wall: sureMs(terms) };
  it.each<[string, Partial<typeof bySleep>, boolean]>([
    ['less', { steady: sureMs(terms) - 1, wall: sureMs(terms) - 1 }, false],
    ['as long', { steady: sureMs(terms), wall: sureMs(terms) }, true],
    ['as long by the time of day alone', bySleep, true],
  ])('looks first where others may have seen it silent for too long: %s', (_what, past, isLate) => {
    const stage = scene();
    return (async () => {
      stage.look();
      await stage.answer(failed('unknown'));
      stage.news();
      Object.assign(stage.time, { steady: past.steady, wall: wallStart + (past.wall ?? 0) });
      stage.look();
      expect(stage.news()).toMatchObject([isLate ? ['read', 'm-1'] : ['create', {}]]);
    })();
  });

  /** It looks whether its lease was made after all. */
  async function late() {
    const stage = scene();
    stage.look();
    await stage.answer(failed('unknown'));
    stage.pass(sureMs(terms));
    stage.news();
    stage.look();
    stage.news();
    return stage;
  }

  it('takes another name where its lease is gone by then', async () => {
    const { answer, news, membership, pass, look } = await late();
    await answer(failed('gone'));
    expect(news()).toMatchObject([['create', { member: 'm-2' }]]);
    await answer(failed('unknown'));
    expect([membership.id, membership.isIn]).toEqual(['m-2', false]);
    pass(terms.retryMs);
    look();
    // The new name was not tried before.
    expect(news()).toMatchObject([['create', { member: 'm-2' }]]);
  });

  it('keeps its name where its lease is there by then', async () => {
    const { answer, news, membership } = await late();
    await answer(done());
    expect([membership.id, membership.isIn, news()]).toEqual(['m-1', true, []]);
  });

  it('makes no second one where it does not know', async () => {
    const { answer, news, membership } = await late();
    await answer(failed('unknown'));
    expect([membership.id, membership.isIn, news()]).toEqual(['m-1', false, []]);
    expect(membership.problem).toBe('it was unknown');
  });

  it('sends nothing where it leaves', () => {
    const { membership, look, sent } = scene();
    membership.leave();
    look();
    expect(sent).toEqual([]);
  });
});
