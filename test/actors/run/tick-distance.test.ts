// How far ticks are apart: under load, in a chain of answers, and where somebody waits.
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '#actors/limits.ts';
import { noCause } from '#actors/mail/causality.ts';
import { scheduling } from '../fixtures/scheduling.ts';

describe('A tick', () => {
  it('keeps a distance from the one before under load, and takes in what comes meanwhile', async () => {
    const { clock, did, scheduler, actor } = scheduling({ ...defaultLimits, tickBurst: 1 });
    const { tickDistanceMs } = defaultLimits;
    scheduler.open();
    await clock.drain();
    for (const name of ['a', 'b', 'c']) {
      scheduler.touch(actor(name), noCause, 'news');
      await clock.advance(1);
    }
    expect(did).not.toContain('reconcile a');
    await clock.advance(tickDistanceMs);
    expect(did).toEqual(expect.arrayContaining(['reconcile a', 'reconcile b', 'reconcile c']));
    expect(scheduler.ticks).toBe(2);
  });

  it('begins at once under load where somebody waits for it, and stays throttled', async () => {
    const { clock, scheduler, actor } = scheduling({ ...defaultLimits, tickBurst: 1 });
    const { tickDistanceMs, tickUrgentMs } = defaultLimits;
    scheduler.open();
    await clock.drain();
    const begun = clock.now();
    for (let answer = 0; answer < 10; answer++) {
      scheduler.touch(actor('a'), noCause, 'news');
      scheduler.hurry();
      await clock.until(() => scheduler.isIdle, tickDistanceMs);
    }
    expect(clock.now() - begun).toBeLessThanOrEqual(10 * tickUrgentMs);
    scheduler.touch(actor('a'), noCause, 'news');
    await clock.advance(tickDistanceMs - 1);
    expect(scheduler.isIdle).toBe(false);
  });

  it('keeps no distance in a chain of answers, however long it is', async () => {
    const { clock, scheduler, actor } = scheduling();
    scheduler.open();
    await clock.drain();
    const begun = clock.now();
    const answers = 20 * defaultLimits.tickBurst;
    for (let answer = 0; answer < answers; answer++) {
      scheduler.touch(actor('a'), noCause, 'news');
      await clock.until(() => scheduler.isIdle, defaultLimits.tickDistanceMs);
    }
    expect(scheduler.ticks).toBeGreaterThan(answers);
    expect(clock.now() - begun).toBeLessThan((answers * defaultLimits.tickDistanceMs) / 20);
  });
});
