// Messages between actors: both ways of delivery, what is dropped, and that no reference is shared.
import { describe, expect, it } from 'vitest';
import type { Envelope } from '#actors/ports.ts';
import { shardOf } from '#actors/shard.ts';
import { cliqueKey, setKey } from './fixtures/facts.ts';
import { stage } from './fixtures/stage.ts';
import type { StageOptions } from './fixtures/stage.ts';

async function up(options: StageOptions = {}) {
  const world = stage(options);
  const wire: Envelope[] = [];
  const copies: Envelope[] = [];
  if (world.bus !== undefined) {
    const { tell, copy } = world.bus;
    world.bus.tell = (envelope) => {
      wire.push(envelope);
      return tell.call(world.bus, envelope);
    };
    world.bus.copy = (envelope) => {
      copies.push(envelope);
      copy.call(world.bus, envelope);
    };
  }
  world.system.synced();
  world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
  await world.settled();
  return { world, wire, copies };
}

const told = { told: { 'demo-0': 0, 'demo-1': 0 } };

describe('A message', () => {
  it('is handed over directly and copied to the bus with delivery direct', async () => {
    const { world, wire, copies } = await up({ delivery: 'direct' });
    expect(copies).toHaveLength(2);
    expect(wire).toHaveLength(0);
    expect(await world.view(setKey('demo'))).toMatchObject({ state: told });
  });

  it('travels over the bus alone with delivery nats', async () => {
    const { world, wire, copies } = await up({ delivery: 'nats' });
    expect(wire).toHaveLength(2);
    expect(copies).toHaveLength(0);
    expect(await world.view(setKey('demo'))).toMatchObject({ state: told });
  });

  it('goes directly with delivery nats while the bus is away, or when there is none', async () => {
    const away = stage({ delivery: 'nats' });
    if (away.bus !== undefined) away.bus.tell = () => false;
    away.system.synced();
    away.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    await away.settled();
    expect(await away.view(setKey('demo'))).toMatchObject({ state: told });
    const { world } = await up({ delivery: 'nats', bus: 'none' });
    expect(await world.view(setKey('demo'))).toMatchObject({ state: told });
  });

  it('is frozen, and carries its cause, trace, shard and epoch', async () => {
    const { copies } = await up();
    const [envelope] = copies;
    expect(Object.isFrozen(envelope?.message)).toBe(true);
    expect(envelope).toMatchObject({
      from: cliqueKey('demo-0'),
      to: setKey('demo'),
      root: setKey('demo'),
      shard: shardOf(setKey('demo'), 4),
      epoch: 1,
    });
    expect(envelope?.trace).not.toBe('');
    expect(envelope?.cause).not.toBe('');
  });
});

const actorsOf = (world: ReturnType<typeof stage>): unknown => world.system.tree()['actors'];

/** A set of the same shard as the one of the tests. */
const neighbour = Array.from({ length: 100 }, (_, n) => setKey(`other-${n}`)).find(
  (key) => shardOf(key, 4) === shardOf(setKey('demo'), 4),
) as ReturnType<typeof setKey>;

describe('An envelope from the wire', () => {
  const envelope = (change: Partial<Envelope> = {}): Envelope => ({
    id: 'e',
    cause: '',
    trace: 't',
    at: 0,
    from: cliqueKey('demo-9'),
    to: setKey('demo'),
    root: setKey('demo'),
    shard: shardOf(setKey('demo'), 4),
    epoch: 1,
    message: { type: 'clique.ready', name: 'demo-9', ready: 7 },
    ...change,
  });

  const rows: [string, Partial<Envelope>, string][] = [
    ['a stale epoch', { epoch: 0 }, 'stale'],
    ['another shard than that of its root', { shard: 99 }, 'stale'],
    ['a type that is the runtime’s', { message: { type: 'reconcile', now: 0 } }, 'refused'],
    ['an actor of no known behaviour', { to: { ...setKey('demo'), kind: 'podgang' } }, 'unknown'],
    ['a root that is not that of the actor', { root: neighbour }, 'refused'],
  ];
  it.each(rows)('with %s is dropped and counted', async (_what, change, why) => {
    const { world } = await up({ delivery: 'nats' });
    const before = (await world.view(setKey('demo')))['state'];
    world.bus?.tell(envelope(change));
    await world.settled();
    await world.clock.advance(100);
    expect((await world.view(setKey('demo')))['state']).toEqual(before);
    expect(world.system.tree()).toMatchObject({ dropped: { [why]: 1 } });
  });

  it('makes no actor of which no object is known, and is counted', async () => {
    const { world } = await up({ delivery: 'nats' });
    const before = actorsOf(world);
    const to = cliqueKey('demo-77');
    for (let n = 0; n < 10; n++) world.bus?.tell(envelope({ to }));
    await world.clock.advance(100);
    expect(await world.view(to)).toEqual({ missing: 'NOT_FOUND' });
    expect(actorsOf(world)).toBe(before);
    expect(world.system.dropped()).toMatchObject({ unknown: 10 });
    expect(world.bus?.state().rejected).toBe(10);
  });

  it('is not believed with delivery direct: nobody of ours sends that way', async () => {
    const { world } = await up({ delivery: 'direct' });
    world.bus?.tell(envelope());
    await world.clock.advance(100);
    expect(await world.view(setKey('demo'))).toMatchObject({ state: told });
    expect(world.system.tree()).toMatchObject({ dropped: { refused: 1 } });
    expect(world.bus?.state().rejected).toBe(1);
  });

  it('that is good is delivered', async () => {
    const { world } = await up({ delivery: 'nats' });
    world.bus?.tell(envelope());
    await world.clock.advance(100);
    expect(await world.view(setKey('demo'))).toMatchObject({ state: { told: { 'demo-9': 7 } } });
  });

  it('beyond the bound of the mailbox is dropped and counted', async () => {
    const { world } = await up({ delivery: 'nats', limits: { mailboxMessages: 3 } });
    world.cluster.apply('PodCliqueSet', 'demo', {
      spec: { replicas: 2, pods: 1, poison: 'settle' },
    });
    await world.clock.advance(5);
    for (let n = 0; n < 10; n++) world.bus?.tell(envelope());
    await world.clock.advance(20);
    expect(await world.view(setKey('demo'))).toMatchObject({
      mode: 'waiting',
      mailbox: 3,
      dropped: 7,
    });
    expect(world.system.tree()).toMatchObject({ dropped: { full: 7 } });
  });

  it('for a parked actor is dropped and counted', async () => {
    const { world } = await up({ delivery: 'nats' });
    await world.system.ask({ about: setKey('demo'), question: 'park', payload: {} });
    world.bus?.tell(envelope());
    await world.clock.advance(100);
    expect(world.system.tree()).toMatchObject({ dropped: { parked: 1 } });
  });
});

describe('A command over the bus', () => {
  const ask = (question: 'park' | 'unpark' | 'why') =>
    ({ about: setKey('demo'), question, payload: {} }) as const;

  it('is refused unless commands are on; questions are answered', async () => {
    const { world } = await up();
    for (const question of ['park', 'unpark'] as const) {
      const answer = world.bus?.ask(ask(question), 1_000);
      await world.clock.advance(100);
      expect(await answer).toMatchObject({ ok: false, code: 'FORBIDDEN' });
    }
    const why = world.bus?.ask(ask('why'), 1_000);
    await world.clock.advance(100);
    expect(await why).toMatchObject({ ok: true, data: { parked: false } });
  });

  it('is obeyed where commands are on', async () => {
    const { world } = await up({ commands: true });
    const answer = world.bus?.ask(ask('park'), 1_000);
    await world.clock.advance(100);
    expect(await answer).toEqual({ ok: true, data: { parked: true } });
  });
});
