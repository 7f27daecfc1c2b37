// Ticks: one settle per touched actor, whatever came; slices; nothing before all lists are in.
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '#actors/limits.ts';
import { noCause } from '#actors/mail/causality.ts';
import { newActor } from '#actors/run/actor.ts';
import type { Actor } from '#actors/run/actor.ts';
import { Scheduler } from '#actors/run/scheduler.ts';
import type { Work } from '#actors/run/scheduler.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { behaviours } from '../fixtures/behaviours.ts';
import { cliqueKey, setKey } from '../fixtures/facts.ts';
import { stage } from '../fixtures/stage.ts';

const [behaviour] = behaviours;

function bench(limits = defaultLimits, work: Partial<Work> = {}) {
  const clock = new VirtualClock();
  const did: string[] = [];
  const scheduler = new Scheduler({
    clock,
    limits,
    work: {
      intake: () => false,
      deliver: (actor) => {
        did.push(`mail ${actor.key.name}`);
        return false;
      },
      settle: (actor) => did.push(`settle ${actor.key.name}`),
      wake: () => false,
      flush: () => did.push('flush'),
      broken: (error) => did.push(String(error)),
      ...work,
    },
  });
  const actor = (name: string): Actor => {
    if (behaviour === undefined) throw new Error('no behaviour');
    return newActor({ key: setKey(name), root: setKey(name), shard: 0 }, behaviour);
  };
  return { clock, did, scheduler, actor };
}

describe('A tick', () => {
  it('delivers all mail first and then settles each touched actor once', async () => {
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
    expect(did).toEqual(['mail a', 'mail b', 'settle a', 'settle b', 'flush']);
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
    expect(did).not.toContain('settle a');
    await clock.advance(tickDistanceMs);
    expect(did).toEqual(expect.arrayContaining(['settle a', 'settle b', 'settle c']));
    expect(scheduler.ticks).toBe(2);
  });

  it('settles those touched by news before those that only retry', async () => {
    const { clock, did, scheduler, actor } = bench();
    scheduler.touch(actor('again'), noCause, 'retry');
    scheduler.touch(actor('edited'), noCause, 'news');
    scheduler.open();
    await clock.drain();
    expect(did.slice(0, 2)).toEqual(['settle edited', 'settle again']);
  });

  it('settles nothing before all lists are in', async () => {
    const { clock, did, scheduler, actor } = bench();
    const a = actor('a');
    scheduler.mail(a);
    scheduler.touch(a, noCause, 'news');
    await clock.drain();
    expect(did).toEqual(['mail a', 'flush']);
    scheduler.open();
    await clock.drain();
    expect(did).toContain('settle a');
  });

  it('settles nobody in the tick in which the lists came to be complete', async () => {
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
    expect(acts).toEqual(['page 1', 'mail a', 'page 2', 'settle a']);
  });

  it('delivers what came between two slices before the actor settles', async () => {
    const { clock, did, scheduler, actor } = bench({ ...defaultLimits, sliceSteps: 1 });
    const a = actor('a');
    scheduler.open();
    scheduler.touch(a, noCause, 'news');
    // A reply lands after the mail phase of the tick and before the actor's turn to settle.
    clock.soon(() => clock.soon(() => scheduler.mail(a)));
    await clock.drain();
    const acts = did.filter((what) => what !== 'flush');
    expect(acts.indexOf('mail a')).toBeLessThan(acts.indexOf('settle a'));
  });

  it('leaves what comes in while it settles to the next tick', async () => {
    const { clock, did, scheduler, actor } = bench(defaultLimits, {
      settle: (each) => {
        did.push(`settle ${each.key.name}`);
        if (did.length < 3) scheduler.mail(each);
      },
    });
    scheduler.open();
    scheduler.touch(actor('a'), noCause, 'news');
    await clock.drain();
    expect(did).toEqual(['settle a', 'flush', 'mail a', 'flush']);
    expect(scheduler.ticks).toBe(2);
  });

  it('works in slices, and timers run in between', async () => {
    const { clock, did, scheduler, actor } = bench({ ...defaultLimits, sliceSteps: 10 });
    scheduler.open();
    for (let n = 0; n < 25; n++) scheduler.touch(actor(`a${n}`), noCause, 'news');
    clock.at(clock.now(), () => did.push('timer'));
    await clock.drain();
    expect(did.filter((each) => each === 'flush').length).toBeGreaterThanOrEqual(3);
    expect(did.indexOf('timer')).toBeLessThan(did.indexOf('settle a24'));
  });

  it('ends a slice after the time that the limit allows', async () => {
    const { clock, did, scheduler, actor } = bench(defaultLimits, {
      settle: (each) => {
        did.push(`settle ${each.key.name}`);
        clock.spend(defaultLimits.sliceMs / 2);
      },
    });
    scheduler.open();
    for (let n = 0; n < 4; n++) scheduler.touch(actor(`a${n}`), noCause, 'news');
    await clock.drain();
    expect(did).toEqual([
      'settle a0',
      'settle a1',
      'flush',
      'settle a2',
      'settle a3',
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
      settle: (each) => {
        if (each.key.name === 'bad') throw new Error('broken');
        did.push(`settle ${each.key.name}`);
      },
    });
    scheduler.open();
    for (const name of ['bad', 'good']) scheduler.touch(actor(name), noCause, 'news');
    await clock.drain();
    expect(did).toEqual(['Error: broken', 'settle good', 'flush']);
    expect(scheduler.isIdle).toBe(true);
  });
});

describe('A thousand pod events in one tick', () => {
  it('cost their owner one settle', async () => {
    const world = stage({ limits: { sliceSteps: 1e9 } });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1_000 } });
    await world.settled();
    const settles = () =>
      world.telemetry.calls.settled.filter(
        ({ controller }) => controller === 'podclique-controller',
      );
    const before = settles().length;
    const writes = world.cluster.log.length;
    world.readyPods();
    await world.clock.drain();
    expect(settles().length - before).toBe(1);
    await world.settled();
    const written = world.cluster.log
      .slice(writes)
      .map(({ write }) => `${write.op} ${write.ref.name}`);
    expect(written).toEqual(['status demo-0', 'status demo']);
    expect(await world.view(cliqueKey('demo-0'))).toMatchObject({ mailbox: 0 });
  });

  it('for a deploy of 500 x 2, writes and settles stay near the number of objects', async () => {
    const world = stage({ bus: 'none' });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 500, pods: 2 } });
    await world.settled();
    world.readyPods();
    await world.settled();
    expect(world.cluster.list('Pod')).toHaveLength(1_000);
    expect(world.cluster.log.length).toBeLessThan(500 + 1_000 + 500 + 500 + 20);
    expect(world.telemetry.calls.settled.length).toBeLessThan(500 * 8);
  });
});
