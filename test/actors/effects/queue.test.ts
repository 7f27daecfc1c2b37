// The order in which writes go, and how much of a kind may be in flight.
import { describe, expect, it } from 'vitest';
import { ConcurrencyLimiter } from '#actors/effects/concurrency.ts';
import { WriteQueue } from '#actors/effects/queue.ts';
import { rankOf } from '#actors/effects/work.ts';
import type { Work, WriteIntent } from '#actors/effects/work.ts';
import { defaultLimits } from '#actors/limits.ts';
import { noCause } from '#actors/mail/causality.ts';
import type { Actor } from '#actors/run/actor.ts';
import { Deadlines } from '#actors/run/deadlines.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { cliqueActor, makePod, setActor, status } from '../fixtures/runner.ts';

const work = (actor: Actor, intent: WriteIntent): Work => ({
  actor,
  intent,
  rank: rankOf(actor, intent, undefined),
  cause: noCause,
  reconcileId: '',
  epoch: 1,
  version: undefined,
  generation: undefined,
  isDropped: false,
});
const clique = { apiVersion: 'x', kind: 'PodClique', metadata: { name: 'c', uid: 'u' } };
const any = (): boolean => true;

function drain(queue: WriteQueue, maySend: (kind: string) => boolean = any): string[] {
  const order: string[] = [];
  for (let next = queue.pick(maySend, any); next !== undefined; next = queue.pick(maySend, any)) {
    order.push(next.intent.ref.name);
  }
  return order;
}

describe('The queue', () => {
  it('sends all of a long line, each once and in order', () => {
    const queue = new WriteQueue(defaultLimits);
    const names = Array.from({ length: 5_000 }, (_, n) => `p-${n}`);
    for (const name of names) queue.push(work(cliqueActor('c'), makePod(name)));
    expect(drain(queue)).toEqual(names);
  });

  it('sends children before roots before statuses before what nobody waits for, and lazy ones', () => {
    const queue = new WriteQueue({ rootEvery: 100, statusEvery: 100 });
    queue.push(
      work(
        cliqueActor('c'),
        status({ ...clique, metadata: { name: 'lazy' } }, 'PodClique', 1, 'lazy'),
      ),
    );
    queue.push(
      work(cliqueActor('c'), status({ ...clique, metadata: { name: 'status' } }, 'PodClique', 1)),
    );
    queue.push({ ...work(cliqueActor('c'), makePod('behind')), rank: 'behind' });
    queue.push(work(setActor(), makePod('root')));
    queue.push(work(cliqueActor('c'), makePod('child')));
    expect(drain(queue)).toEqual(['child', 'root', 'status', 'behind', 'lazy']);
  });

  it('sends what others wait for before anything else', () => {
    const queue = new WriteQueue({ rootEvery: 100, statusEvery: 100 });
    const gang = { apiVersion: 'x', kind: 'PodGang', metadata: { name: 'gang', uid: 'u' } };
    const ref = { kind: 'Pod', namespace: 'n', name: 'gated' } as const;
    const patch = { spec: { schedulingGates: [] } };
    queue.push(work(setActor(), makePod('root')));
    queue.push(work(cliqueActor('c'), makePod('child')));
    queue.push(work(cliqueActor('c'), status(gang, 'PodGang', 1, 'first')));
    const base = { type: 'patchObject', ref, reason: '', patch, uid: 'u' } as const;
    queue.push(work(cliqueActor('c'), { ...base, urgency: 'first' }));
    expect(drain(queue)).toEqual(['gang', 'gated', 'child', 'root']);
  });

  it('finishes what objects wait for before it begins more of it', () => {
    const queue = new WriteQueue({ rootEvery: 3, statusEvery: 100 });
    const claim = (name: string): WriteIntent => ({
      type: 'patchObject',
      ref: { kind: 'SandboxClaim', namespace: 'n', name },
      ...{ reason: '', patch: {}, uid: 'u', urgency: 'first' },
    });
    const ready = (name: string): WriteIntent =>
      status({ ...clique, kind: 'SandboxClaim', metadata: { name } }, 'SandboxClaim', 1, 'first');
    queue.push(work(cliqueActor('c'), claim('new')));
    queue.push(work(cliqueActor('c'), claim('newer')));
    queue.push(work(cliqueActor('c'), ready('old')));
    queue.push(work(cliqueActor('d'), ready('older')));
    queue.push(work(setActor(), makePod('root')));
    expect(drain(queue)).toEqual(['old', 'older', 'root', 'new', 'newer']);
  });

  it('lets the trees take turns, and within a tree first come first', () => {
    const queue = new WriteQueue({ rootEvery: 100, statusEvery: 100 });
    for (const name of ['a1', 'a2', 'a3']) queue.push(work(cliqueActor('a', 'a'), makePod(name)));
    for (const name of ['b1', 'b2']) queue.push(work(cliqueActor('b', 'b'), makePod(name)));
    expect(drain(queue)).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  it('lets the kinds take turns', () => {
    const queue = new WriteQueue({ rootEvery: 100, statusEvery: 100 });
    const gang = { apiVersion: 'x', kind: 'PodGang', metadata: { name: '', uid: 'u' } };
    const make = (name: string, kind: 'PodClique' | 'PodGang') =>
      status({ ...(kind === 'PodGang' ? gang : clique), metadata: { name } }, kind, 1);
    for (const name of ['c1', 'c2']) queue.push(work(cliqueActor('a'), make(name, 'PodClique')));
    for (const name of ['g1', 'g2']) queue.push(work(cliqueActor('a'), make(name, 'PodGang')));
    expect(drain(queue)).toEqual(['c1', 'g1', 'c2', 'g2']);
  });

  it('gives a status a turn now and then, however much there is to create', () => {
    const queue = new WriteQueue({ rootEvery: 100, statusEvery: 8 });
    const stat = status({ ...clique, metadata: { name: 'status' } }, 'PodClique', 1);
    for (let n = 0; n < 20; n++) queue.push(work(cliqueActor('c'), makePod(`c${n}`)));
    queue.push(work(cliqueActor('c'), stat));
    expect(drain(queue).indexOf('status')).toBe(3);
  });

  it('gives a root a turn now and then, however busy the children are', () => {
    const queue = new WriteQueue({ rootEvery: 4, statusEvery: 100 });
    for (let n = 0; n < 20; n++) queue.push(work(cliqueActor('c'), makePod(`c${n}`)));
    queue.push(work(setActor(), makePod('root')));
    expect(drain(queue).indexOf('root')).toBe(3);
  });

  it('passes over kinds that may not be sent and works that were dropped', () => {
    const queue = new WriteQueue({ rootEvery: 100, statusEvery: 100 });
    const dropped = work(cliqueActor('a'), status(clique, 'PodClique', 1));
    queue.push(work(cliqueActor('a'), makePod('p')));
    queue.push(dropped);
    queue.push(
      work(cliqueActor('a'), status({ ...clique, metadata: { name: 's' } }, 'PodClique', 1)),
    );
    dropped.isDropped = true;
    expect(drain(queue, (kind) => kind !== 'Pod')).toEqual(['s']);
    expect(drain(queue)).toEqual(['p']);
  });

  it('stays in order over thousands', () => {
    const queue = new WriteQueue({ rootEvery: 100, statusEvery: 100 });
    const names = Array.from({ length: 5_000 }, (_, at) => `p${at}`);
    for (const name of names) queue.push(work(cliqueActor('a'), makePod(name)));
    expect(drain(queue)).toEqual(names);
  });
});

describe('A flow', () => {
  function bench() {
    const clock = new VirtualClock();
    const limits = { ...defaultLimits, writesInFlight: 10, writesInFlightPerKind: 8 };
    let resumed = 0;
    const limiter = new ConcurrencyLimiter({
      clock,
      limits,
      deadlines: new Deadlines(clock),
      random: seeded(1),
      resumed: () => resumed++,
    });
    const fill = (kind: 'Pod' | 'Service'): number => {
      let count = 0;
      while (limiter.maySend(kind)) {
        limiter.sent(kind);
        count++;
      }
      return count;
    };
    const empty = (kind: 'Pod' | 'Service', count: number, isOk: boolean): void => {
      for (let n = 0; n < count; n++) limiter.landed(kind, isOk);
    };
    return { clock, limiter, fill, empty, resumed: () => resumed };
  }

  it('is bounded per kind and overall', () => {
    const { fill, limiter } = bench();
    expect(fill('Pod')).toBe(8);
    expect(fill('Service')).toBe(2);
    expect(limiter.inFlight).toBe(10);
  });

  it('stops for as long as the server asks, halves, and recovers with successes', async () => {
    const { clock, limiter, fill, empty, resumed } = bench();
    empty('Pod', fill('Pod'), false);
    limiter.throttle('Pod', 3_000);
    limiter.throttle('Pod', 3_000);
    expect(fill('Pod')).toBe(0);
    expect(fill('Service')).toBe(8);
    empty('Service', 8, true);
    await clock.advance(2_900);
    expect(fill('Pod')).toBe(0);
    await clock.advance(200);
    expect(resumed()).toBe(1);
    expect(fill('Pod')).toBe(4);
    empty('Pod', 4, true);
    for (let n = 0; n < 40; n++) {
      limiter.sent('Pod');
      limiter.landed('Pod', true);
    }
    expect(fill('Pod')).toBe(8);
  });

  it('stops for longer when a later answer asks for more time', async () => {
    const { clock, limiter, fill, empty, resumed } = bench();
    empty('Pod', fill('Pod'), false);
    limiter.throttle('Pod', 3_000);
    await clock.advance(2_000);
    limiter.throttle('Pod', 3_000);
    await clock.advance(2_900);
    expect(fill('Pod')).toBe(0);
    await clock.advance(200);
    expect(resumed()).toBe(1);
    // And has answered once: half of what there was, not a quarter.
    expect(fill('Pod')).toBe(4);
  });

  it('stops for longer each time, and for as long as at first after a success', async () => {
    const { clock, limiter, fill, empty } = bench();
    const stopsFor = async (): Promise<number> => {
      const since = clock.now();
      limiter.throttle('Pod', 0);
      while (!limiter.maySend('Pod')) await clock.advance(10);
      return clock.now() - since;
    };
    let longest = 0;
    for (let n = 0; n < 8; n++) longest = await stopsFor();
    empty('Pod', fill('Pod'), true);
    expect(await stopsFor()).toBeLessThan(longest / 4);
  });
});
