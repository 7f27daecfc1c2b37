// Ticks: one reconcile per touched actor, whatever came; slices; nothing before all lists are in.
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '#actors/limits.ts';
import { noCause } from '#actors/mail/causality.ts';
import { Actor } from '#actors/run/actor.ts';
import { Scheduler } from '#actors/run/scheduler.ts';
import type { Work } from '#actors/run/scheduler.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { behaviours } from '../fixtures/behaviours.ts';
import { setKey } from '../fixtures/facts.ts';

const [behaviour] = behaviours;

function bench(limits = defaultLimits, work: Partial<Work> = {}) {
  const clock = new VirtualClock();
  const did: string[] = [];
  const scheduler = new Scheduler({
    clock,
    limits,
    work: {
      intake: () => false,
      hasNews: () => false,
      hasChanges: () => false,
      deliver: (actor) => {
        did.push(`mail ${actor.key.name}`);
        return false;
      },
      reconcile: (actor) => did.push(`reconcile ${actor.key.name}`),
      wake: () => false,
      flush: () => did.push('flush'),
      broken: (error) => did.push(String(error)),
      ...work,
    },
  });
  const actor = (name: string): Actor => {
    if (behaviour === undefined) throw new Error('no behaviour');
    return new Actor({ key: setKey(name), root: setKey(name), shard: 0 }, behaviour);
  };
  return { clock, did, scheduler, actor };
}

describe('A tick', () => {
  it('delivers all mail first and then reconciles each touched actor once', async () => {
    const { clock, did, scheduler, actor } = bench();
    const [a, b] = [actor('a'), actor('b')];
    scheduler.open();
    for (let n = 0; n < 5; n++) {
      scheduler.mail(a);
      scheduler.touch(a, noCause, 'news');
      scheduler.mail(b);
      scheduler.touch(b, noCause, 'news');
    }
    await clock.drain();
    expect(did).toEqual(['mail a', 'mail b', 'reconcile a', 'reconcile b', 'flush']);
    expect(scheduler.isIdle).toBe(true);
  });

  it('keeps a distance from the one before under load, and takes in what comes meanwhile', async () => {
    const { clock, did, scheduler, actor } = bench({ ...defaultLimits, tickBurst: 1 });
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
    const { clock, scheduler, actor } = bench({ ...defaultLimits, tickBurst: 1 });
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
    const { clock, scheduler, actor } = bench();
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

  it('reconciles those touched by news before those that only retry', async () => {
    const { clock, did, scheduler, actor } = bench();
    scheduler.touch(actor('again'), noCause, 'retry');
    scheduler.touch(actor('edited'), noCause, 'news');
    scheduler.open();
    await clock.drain();
    expect(did.slice(0, 2)).toEqual(['reconcile edited', 'reconcile again']);
  });

  it('reconciles nothing before all lists are in', async () => {
    const { clock, did, scheduler, actor } = bench();
    const a = actor('a');
    scheduler.mail(a);
    scheduler.touch(a, noCause, 'news');
    await clock.drain();
    expect(did).toEqual(['mail a', 'flush']);
    scheduler.open();
    await clock.drain();
    expect(did).toContain('reconcile a');
  });

  it('reconciles nobody in the tick in which the lists came to be complete', async () => {
    const pages = ['page 1'];
    const { clock, did, scheduler, actor } = bench(
      { ...defaultLimits, sliceSteps: 1 },
      {
        intake: () => {
          const page = pages.shift();
          if (page !== undefined) did.push(page);
          return page !== undefined;
        },
      },
    );
    const a = actor('a');
    scheduler.mail(a);
    scheduler.touch(a, noCause, 'news');
    // The last page arrives, and with it the end of the list, while the mail of the first is read.
    const watch = (): void => {
      if (did.includes('mail a')) {
        pages.push('page 2');
        scheduler.open();
      } else clock.soon(watch);
    };
    clock.soon(watch);
    await clock.drain();
    const acts = did.filter((what) => what !== 'flush');
    expect(acts).toEqual(['page 1', 'mail a', 'page 2', 'reconcile a']);
  });

  it('delivers what came between two slices before the actor reconciles', async () => {
    const { clock, did, scheduler, actor } = bench({ ...defaultLimits, sliceSteps: 1 });
    const a = actor('a');
    scheduler.open();
    scheduler.touch(a, noCause, 'news');
    // A reply lands after the mail phase of the tick and before the actor's turn to reconcile.
    clock.soon(() => clock.soon(() => scheduler.mail(a)));
    await clock.drain();
    const acts = did.filter((what) => what !== 'flush');
    expect(acts.indexOf('mail a')).toBeLessThan(acts.indexOf('reconcile a'));
  });

  it('is followed by another for what was observed between two slices of it', async () => {
    const news: string[] = [];
    const { clock, did, scheduler, actor } = bench(
      { ...defaultLimits, sliceSteps: 1 },
      {
        intake: () => {
          const one = news.shift();
          if (one !== undefined) did.push(one);
          return one !== undefined;
        },
        hasNews: () => news.length > 0,
      },
    );
    scheduler.open();
    for (const name of ['a', 'b', 'c']) scheduler.touch(actor(name), noCause, 'news');
    const watch = (): void => {
      if (!did.includes('reconcile a')) return clock.soon(watch);
      news.push('observed');
      scheduler.wake();
    };
    clock.soon(watch);
    await clock.drain();
    const acts = did.filter((what) => what !== 'flush');
    expect(acts).toEqual(['reconcile a', 'reconcile b', 'reconcile c', 'observed']);
  });

  it('is followed by another for what an actor published in one of several slices', async () => {
    let published = false;
    const { clock, did, scheduler, actor } = bench(
      { ...defaultLimits, sliceSteps: 1 },
      {
        reconcile: ({ key: { name } }) => {
          did.push(`reconcile ${name}`);
          if (name !== 'a') return;
          published = true;
          scheduler.wake();
        },
        hasChanges: () => published,
        wake: () => {
          if (published) scheduler.touch(actor('reader'), noCause, 'news');
          return (published = false);
        },
      },
    );
    scheduler.open();
    for (const name of ['a', 'b', 'c']) scheduler.touch(actor(name), noCause, 'news');
    await clock.drain();
    const acts = did.filter((what) => what !== 'flush');
    expect(acts).toEqual(['reconcile a', 'reconcile b', 'reconcile c', 'reconcile reader']);
  });

  it('leaves what comes in while it reconciles to the next tick', async () => {
    const { clock, did, scheduler, actor } = bench(defaultLimits, {
      reconcile: (each) => {
        did.push(`reconcile ${each.key.name}`);
        if (did.length < 3) scheduler.mail(each);
      },
    });
    scheduler.open();
    scheduler.touch(actor('a'), noCause, 'news');
    await clock.drain();
    expect(did).toEqual(['reconcile a', 'flush', 'mail a', 'flush']);
    expect(scheduler.ticks).toBe(2);
  });

  it('works in slices, and timers run in between', async () => {
    const { clock, did, scheduler, actor } = bench({ ...defaultLimits, sliceSteps: 10 });
    scheduler.open();
    for (let n = 0; n < 25; n++) scheduler.touch(actor(`a${n}`), noCause, 'news');
    clock.at(clock.now(), () => did.push('timer'));
    await clock.drain();
    expect(did.filter((each) => each === 'flush').length).toBeGreaterThanOrEqual(3);
    expect(did.indexOf('timer')).toBeLessThan(did.indexOf('reconcile a24'));
  });

  it('ends a slice after the time that the limit allows', async () => {
    const { clock, did, scheduler, actor } = bench(defaultLimits, {
      reconcile: (each) => {
        did.push(`reconcile ${each.key.name}`);
        clock.spend(defaultLimits.sliceMs / 2);
      },
    });
    scheduler.open();
    for (let n = 0; n < 4; n++) scheduler.touch(actor(`a${n}`), noCause, 'news');
    await clock.drain();
    expect(did).toEqual([
      'reconcile a0',
      'reconcile a1',
      'flush',
      'reconcile a2',
      'reconcile a3',
      'flush',
      'flush',
    ]);
  });

  it('gives an actor with much mail its turn again after the others', async () => {
    let left = 3;
    const { clock, did, scheduler, actor } = bench(defaultLimits, {
      deliver: (each) => {
        did.push(`mail ${each.key.name}`);
        return each.key.name === 'busy' && --left > 0;
      },
    });
    scheduler.mail(actor('busy'));
    scheduler.mail(actor('quick'));
    expect(scheduler.waiting('podcliqueset-controller')).toBe(2);
    await clock.drain();
    expect(did.slice(0, 4)).toEqual(['mail busy', 'mail quick', 'mail busy', 'mail busy']);
    expect(scheduler.waiting('podcliqueset-controller')).toBe(0);
  });
});

describe('A step that throws', () => {
  it('is reported and does not keep the next one from being done', async () => {
    const { clock, did, scheduler, actor } = bench(defaultLimits, {
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
});
