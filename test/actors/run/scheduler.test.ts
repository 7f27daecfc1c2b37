// Ticks: one reconcile per touched actor, whatever came; slices; nothing before all lists are in.
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '#actors/limits.ts';
import { type Cause, noCause } from '#actors/mail/causality.ts';
import type { Work } from '#actors/run/scheduler.ts';
import { scheduling } from '../fixtures/scheduling.ts';

describe('A tick', () => {
  it('delivers all mail first and then reconciles each touched actor once', async () => {
    const { clock, did, scheduler, actor } = scheduling();
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

  it('reconciles for the newest cause, but for an edit rather than for anything else', async () => {
    const causes: Cause[] = [];
    const reconcile: Work['reconcile'] = (_, cause) => causes.push(cause);
    const { clock, scheduler, actor } = scheduling(defaultLimits, { reconcile });
    const plain = (id: string): Cause => ({ id, trace: id });
    const edit = (id: string): Cause => ({ ...plain(id), isEdit: true });
    const touched = [
      [plain('1'), plain('2')],
      [edit('1'), plain('2'), noCause],
      [plain('1'), edit('2')],
      [edit('1'), edit('2'), plain('3')],
    ];
    for (const [turn, given] of touched.entries()) {
      const one = actor(`turn-${turn}`);
      for (const cause of given) scheduler.touch(one, cause, 'news');
    }
    scheduler.open();
    await clock.drain();
    // What the reconcile keeps for later is no edit any more.
    expect(causes).toEqual(['2', '1', '2', '2'].map(plain));
  });

  it('reconciles those touched by news before those that only retry', async () => {
    const { clock, did, scheduler, actor } = scheduling();
    scheduler.touch(actor('again'), noCause, 'retry');
    scheduler.touch(actor('edited'), noCause, 'news');
    scheduler.open();
    await clock.drain();
    expect(did.slice(0, 2)).toEqual(['reconcile edited', 'reconcile again']);
  });

  it('reconciles nothing before all lists are in', async () => {
    const { clock, did, scheduler, actor } = scheduling();
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
    const { clock, did, scheduler, actor } = scheduling(
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
    const { clock, did, scheduler, actor } = scheduling({ ...defaultLimits, sliceSteps: 1 });
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
    const { clock, did, scheduler, actor } = scheduling(
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
    const { clock, did, scheduler, actor } = scheduling(
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

  it('is followed by none for what was put right before its end', async () => {
    let changes = 0;
    const { clock, scheduler, actor } = scheduling(defaultLimits, {
      // What an actor reads is found anew in the tick in which it changed.
      reconcile: () => {
        changes++;
        scheduler.wake();
        changes--;
      },
      hasChanges: () => changes > 0,
    });
    scheduler.open();
    await clock.drain();
    const before = scheduler.ticks;
    scheduler.touch(actor('a'), noCause, 'news');
    await clock.drain();
    expect(scheduler.ticks).toBe(before + 1);
    expect(scheduler.isIdle).toBe(true);
  });

  it('leaves what comes in while it reconciles to the next tick', async () => {
    const { clock, did, scheduler, actor } = scheduling(defaultLimits, {
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
    const { clock, did, scheduler, actor } = scheduling({ ...defaultLimits, sliceSteps: 10 });
    scheduler.open();
    for (let n = 0; n < 25; n++) scheduler.touch(actor(`a${n}`), noCause, 'news');
    clock.at(clock.now(), () => did.push('timer'));
    await clock.drain();
    expect(did.filter((each) => each === 'flush').length).toBeGreaterThanOrEqual(3);
    expect(did.indexOf('timer')).toBeLessThan(did.indexOf('reconcile a24'));
  });

  it('ends a slice after the time that the limit allows', async () => {
    const { clock, did, scheduler, actor } = scheduling(defaultLimits, {
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
    const { clock, did, scheduler, actor } = scheduling(defaultLimits, {
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
