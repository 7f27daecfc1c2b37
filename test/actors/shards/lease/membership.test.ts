// The lease of a member, request by request: what is sent when, and what each answer leads to.
import { describe, expect, it } from 'vitest';
import type { StoreOutcome } from '#actors/shards/lease/records.ts';
import { done, draft, failed, joined, record } from './member.ts';
import { terms } from './world.ts';

describe('A member', () => {
  it('renews as often as its terms say, and counts from when it sent that', async () => {
    const { pass, look, news, answer, view, standing, time, counts } = await joined();
    pass(terms.retryMs - 101);
    look();
    expect(news()).toEqual([]);
    pass(1);
    look();
    look();
    expect(news()).toEqual([['update', draft(), 'u', '10']]);
    pass(400);
    await answer(done({ version: '11' }));
    expect([standing.sinceRenewal(time), view.member('m-1')?.version]).toEqual([400, '11']);
    expect(view.silentFor('m-1', time.steady)).toBe(0);
    pass(terms.retryMs - 401);
    look();
    expect(news()).toEqual([]);
    pass(1);
    look();
    expect(news()).toEqual([['update', draft(), 'u', '11']]);
    expect(counts.lost).toBe(0);
  });

  /** Its renewal is under way. */
  async function renewing() {
    const stage = await joined();
    stage.pass(terms.retryMs);
    stage.look();
    stage.news();
    return stage;
  }
  type Stage = Awaited<ReturnType<typeof joined>>;
  const deleted = 'its lease was deleted';
  const restored = 'the server was restored from a backup';
  const silent = 'it was silent too long, or its lease deleted';

  function expectLost({ membership, logged, counts, view, news, look, time }: Stage, why: string) {
    expect(membership.isIn).toBe(false);
    expect(membership.joinedFor(time)).toBe(0);
    expect([membership.id, membership.problem, counts.lost]).toEqual(['m-2', why, 1]);
    expect(view.isDead('m-1')).toBe(true);
    expect(logged.at(-1)).toEqual([
      'error',
      'this process lost its lease, and all shards with it',
      { member: 'm-1', why },
    ]);
    news();
    look();
    expect(news()).toMatchObject([['create', { member: 'm-2', leaving: false }]]);
  }

  it.each<[string, readonly StoreOutcome[], string]>([
    ['gone', [failed('gone')], silent],
    ['that of another', [done({ uid: 'other', version: '11' })], silent],
    ['changed, and gone', [failed('changed'), failed('gone')], deleted],
    ['changed, and another', [failed('changed'), done({ uid: 'v', version: '11' })], deleted],
    ['changed, and older', [failed('changed'), done({ version: '9' })], restored],
  ])('loses a lease that is %s', async (_what, answers, why) => {
    const stage = await renewing();
    for (const each of answers) await stage.answer(each);
    expectLost(stage, why);
  });

  it('loses a lease of which it hears that it was deleted', async () => {
    const stage = await joined();
    const { view, look, time, news, membership } = stage;
    view.drop(record({ version: '11' }), time.steady);
    look();
    expect(news()).toMatchObject([['create', { member: 'm-2' }]]);
    expect([membership.id, membership.problem, stage.counts.lost]).toEqual(['m-2', deleted, 1]);
  });

  it('forgets its doubt with the lease', async () => {
    const { answer, pass, look, news, view, time } = await renewing();
    await answer(failed('unknown'));
    view.drop(record({ version: '11' }), time.steady);
    look();
    await answer(done({ member: 'm-2', uid: 'w', version: '20' }));
    pass(terms.retryMs);
    news();
    look();
    expect(news()).toMatchObject([['update', { member: 'm-2' }, 'w', '20']]);
  });

  it.each(['10', '11'])(
    'whose lease was changed, and is its own in version %s, renews it at once',
    async (version) => {
      const { answer, news, look, membership, counts, view, standing, time } = await renewing();
      await answer(failed('changed'));
      expect(news()).toEqual([['read', 'm-1']]);
      await answer(done({ version }));
      expect([membership.isIn, membership.problem, counts.lost]).toEqual([true, '', 0]);
      expect(view.member('m-1')?.version).toBe(version);
      expect(standing.sinceRenewal(time)).toBe(terms.retryMs + 100);
      look();
      expect(news()).toEqual([['update', draft(), 'u', version]]);
    },
  );

  it('whose lease was changed, and cannot be read, is still one', async () => {
    const { answer, membership, counts } = await renewing();
    await answer(failed('changed'));
    await answer(failed('unknown'));
    expect([membership.isIn, membership.problem, counts.lost]).toEqual([true, 'it was unknown', 0]);
  });

  it.each<['refused' | 'unknown', unknown]>([
    ['refused', ['update', draft(), 'u', '10']],
    ['unknown', ['read', 'm-1']],
  ])('whose renewal was %s goes on after a pause', async (why, next) => {
    const { answer, membership, counts, pass, look, news } = await renewing();
    await answer(failed(why));
    expect([membership.isIn, membership.problem, counts.lost]).toEqual([true, `it was ${why}`, 0]);
    pass(terms.retryMs - 1);
    look();
    expect(news()).toEqual([]);
    pass(1);
    look();
    expect(news()).toEqual([next]);
  });

  it('in doubt looks, as often as it renews, and then renews at once', async () => {
    const { answer, pass, look, news, membership, time } = await renewing();
    await answer(failed('unknown'));
    for (let n = 0; n < 2; n++) {
      pass(terms.retryMs);
      look();
      expect([news(), membership.sinceAttempt(time)]).toEqual([[['read', 'm-1']], 0]);
      await answer(failed('unknown'));
    }
    pass(terms.retryMs);
    look();
    news();
    await answer(done({ version: '11' }));
    look();
    expect(news()).toEqual([['update', draft(), 'u', '11']]);
    await answer(failed('refused'));
    pass(terms.retryMs);
    look();
    expect(news()).toEqual([['update', draft(), 'u', '11']]);
  });

  it('that leaves says so at once', async () => {
    const { membership, look, news, answer } = await joined();
    membership.leave();
    look();
    expect(news()).toEqual([['update', draft({ leaving: true }), 'u', '10']]);
    await answer(done({ version: '11', leaving: true }));
    look();
    expect(news()).toEqual([]);
  });

  it('that leaves while it renews says so with one more', async () => {
    const { membership, look, news, answer } = await renewing();
    membership.leave();
    await answer(done({ version: '11' }));
    look();
    expect(news()).toEqual([['update', draft({ leaving: true }), 'u', '11']]);
  });

  it('that ends is none before its lease is deleted, whatever its version', async () => {
    const { membership, news, answer } = await joined();
    const ended = membership.end();
    expect([membership.isIn, news()]).toEqual([false, [['remove', 'm-1', { uid: 'u' }]]]);
    await answer(done());
    await ended;
    await membership.end();
    expect(news()).toEqual([]);
  });

  it('that ends without a lease deletes none', async () => {
    const { membership, view, time, news } = await joined();
    view.drop(record({ version: '11' }), time.steady);
    await membership.end();
    expect(news()).toEqual([]);
    expect(membership.isIn).toBe(true);
  });
});
