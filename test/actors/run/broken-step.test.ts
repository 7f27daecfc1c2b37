// Steps of a tick that throw: who is told, and what is done all the same.
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '#actors/limits.ts';
import { noCause } from '#actors/mail/causality.ts';
import { scheduling } from '../fixtures/scheduling.ts';

describe('A step that throws', () => {
  it('is reported and does not keep the next one from being done', async () => {
    const { clock, did, scheduler, actor } = scheduling(defaultLimits, {
      reconcile: (each) => {
        if (each.key.name === 'bad') throw new Error('broken');
        did.push(`reconcile ${each.key.name}`);
      },
    });
    scheduler.open();
    for (const name of ['bad', 'good']) scheduler.touch(actor(name), noCause, 'news');
    await clock.drain();
    expect(did).toEqual(['Error: broken', 'reconcile good', 'flush']);
    expect(scheduler.isIdle).toBe(true);
  });

  it.each(['intake', 'deliver', 'reconcile', 'flush'] as const)(
    'in %s is laid to the actor whose turn it is, and to nobody where none has one',
    async (step) => {
      const culprits: (string | undefined)[] = [];
      const news = [true];
      const fail = (): never => {
        throw new Error(step);
      };
      const { clock, scheduler, actor } = scheduling(defaultLimits, {
        hasNews: () => news.length > 0,
        intake: () => news.pop() === true && step === 'intake' && fail(),
        ...(step === 'intake' ? {} : { [step]: fail }),
        broken: (_, culprit) => culprits.push(culprit?.key.name),
      });
      scheduler.open();
      scheduler.mail(actor('a'));
      scheduler.touch(actor('b'), noCause, 'news');
      await clock.drain();
      const expected = { intake: undefined, deliver: 'a', reconcile: 'b', flush: undefined };
      expect(culprits).toEqual([expected[step]]);
    },
  );
});
