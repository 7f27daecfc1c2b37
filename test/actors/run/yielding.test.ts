// Reconciles that nobody waits for give way while other objects wait for writes.
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '#actors/limits.ts';
import { noCause } from '#actors/mail/causality.ts';
import { isPressing } from '#actors/run/yielding.ts';
import { scheduling } from '../fixtures/scheduling.ts';

const always = (): boolean => true;
const { yieldMs, yieldReconcileMs, yieldBatch } = defaultLimits;

function pressed() {
  let isPressed = true;
  const stage = scheduling(defaultLimits, { isPressed: () => isPressed });
  stage.scheduler.open();
  const reconciled = (): readonly string[] => stage.did.filter((one) => one !== 'flush');
  return { ...stage, reconciled, release: () => (isPressed = false) };
}

describe('An actor that may yield', () => {
  it('reconciles at once where nothing else is waited for', async () => {
    const { scheduler, clock, actor, reconciled, release } = pressed();
    release();
    scheduler.touch(actor('a'), noCause, 'news', always);
    await clock.drain();
    expect(reconciled()).toEqual(['reconcile a']);
    expect(scheduler.isIdle).toBe(true);
  });

  it('reconciles once when nothing is waited for any more, whatever came meanwhile', async () => {
    const { scheduler, clock, actor, reconciled, release } = pressed();
    const a = actor('a');
    for (let n = 0; n < 5; n++) {
      scheduler.touch(a, noCause, 'news', always);
      await clock.advance(yieldMs);
    }
    expect(reconciled()).toEqual([]);
    expect(scheduler.isIdle).toBe(false);
    release();
    await clock.advance(yieldMs);
    expect(reconciled()).toEqual(['reconcile a']);
    expect(scheduler.isIdle).toBe(true);
  });

  it('waits no longer than its time, each counted from its own first news', async () => {
    const { scheduler, clock, actor, reconciled } = pressed();
    scheduler.touch(actor('a'), noCause, 'news', always);
    await clock.advance(yieldReconcileMs / 2);
    scheduler.touch(actor('b'), noCause, 'news', always);
    await clock.advance(yieldReconcileMs / 2 + yieldMs);
    expect(reconciled()).toEqual(['reconcile a']);
    await clock.advance(yieldReconcileMs / 2);
    expect(reconciled()).toEqual(['reconcile a', 'reconcile b']);
  });

  it('reconciles at once when news comes that somebody waits for, and not a second time', async () => {
    const { scheduler, clock, actor, reconciled, release } = pressed();
    const a = actor('a');
    scheduler.touch(a, noCause, 'news', always);
    scheduler.touch(a, noCause, 'news');
    await clock.advance(yieldMs);
    expect(reconciled()).toEqual(['reconcile a']);
    release();
    await clock.advance(2 * yieldReconcileMs);
    expect(reconciled()).toEqual(['reconcile a']);
  });

  it('yields again after that, with a time of its own', async () => {
    const { scheduler, clock, actor, reconciled } = pressed();
    const a = actor('a');
    scheduler.touch(a, noCause, 'news', always);
    scheduler.touch(a, noCause, 'news');
    await clock.advance(yieldReconcileMs - yieldMs);
    scheduler.touch(a, noCause, 'news', always);
    await clock.advance(2 * yieldMs);
    expect(reconciled()).toEqual(['reconcile a']);
    await clock.advance(yieldReconcileMs);
    expect(reconciled()).toEqual(['reconcile a', 'reconcile a']);
  });

  it('has company of a bounded number', async () => {
    const { scheduler, clock, actor, reconciled, release } = pressed();
    for (let n = 0; n <= yieldBatch; n++) scheduler.touch(actor(`a${n}`), noCause, 'news', always);
    release();
    await clock.advance(yieldMs);
    expect(reconciled()).toHaveLength(yieldBatch);
    await clock.advance(yieldMs);
    expect(reconciled()).toHaveLength(yieldBatch + 1);
  });

  it('comes after the roots of trees once nothing is waited for, and in its turn until then', async () => {
    const { scheduler, clock, actor, reconciled, release } = pressed();
    const names = Array.from({ length: yieldBatch }, (_, n) => `a${n}`);
    for (const name of names) scheduler.touch(actor(name, 'pool'), noCause, 'news', always);
    scheduler.touch(actor('pool'), noCause, 'news', always);
    await clock.advance(yieldReconcileMs - yieldMs);
    scheduler.touch(actor('later'), noCause, 'news', always);
    await clock.advance(yieldMs);
    expect(reconciled()).toEqual(names.map((name) => `reconcile ${name}`));
    scheduler.touch(actor('b', 'pool'), noCause, 'news', always);
    release();
    await clock.advance(yieldMs);
    expect(reconciled().slice(names.length)).toEqual(
      ['pool', 'later', 'b'].map((name) => `reconcile ${name}`),
    );
  });

  it('reconciles no more once the scheduler has stopped', async () => {
    const { scheduler, clock, actor, reconciled } = pressed();
    scheduler.touch(actor('a'), noCause, 'news', always);
    scheduler.stop();
    await clock.advance(2 * yieldReconcileMs);
    expect(reconciled()).toEqual([]);
    expect(scheduler.isIdle).toBe(true);
  });
});

describe('News that somebody waits for', () => {
  it.each([
    ['an edit', 'own.seen', { ...noCause, isEdit: true } as const, true],
    ['a write that has failed', 'effect.failed', noCause, true],
    // As a status that was turned away as the object's assignment was on its way.
    ['a write that was turned away and may go now', 'effect.retry', noCause, true],
    ['a write that is done', 'effect.done', noCause, false],
    ['what a watch shows', 'own.seen', noCause, false],
  ])('is or is not %s', (_what, event, cause, expected) => {
    expect(isPressing(event, cause)).toBe(expected);
  });
});
