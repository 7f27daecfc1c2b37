// Messages that wake who reads a view: both ways of delivery, what is dropped, and that one which
// is lost costs time alone.
import { describe, expect, it } from 'vitest';
import type { Envelope } from '#actors/ports.ts';
import { shardOf, soleOwner } from '#actors/shards/shard.ts';
import { at } from '#machines/kubernetes/json.ts';
import { cliqueKey, setKey } from '../fixtures/facts.ts';
import { stage } from '../fixtures/stage.ts';
import type { StageOptions } from '../fixtures/stage.ts';

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
  await world.reconciled();
  return { world, wire, copies };
}

/** What the set knows by itself: whoever asks it for its state has it read its views first. */
const unasked = ({ system }: ReturnType<typeof stage>): unknown =>
  [...system.views(setKey('demo').kind)][0];

const published = { published: { 'demo-0': 0, 'demo-1': 0 } };

/** A pod becomes ready. The message is all that the set hears of it: no status is written. */
function makeReady({ cluster }: ReturnType<typeof stage>, name = 'demo-0-0'): void {
  cluster.fault = ({ op }) =>
    op === 'status' ? { type: 'refuse', code: 'SERVER_ERROR' } : undefined;
  const pod = { kind: 'Pod', namespace: 'default', name } as const;
  cluster.setStatus(pod, { isReady: true });
}

/** Where the message goes that the cliques of the set have changed. */
const place = {
  to: setKey('demo'),
  root: setKey('demo'),
  shard: shardOf(setKey('demo'), 4),
  epoch: 1,
  view: 'cliques',
  key: 'demo',
};

describe('A message', () => {
  it('is handed over directly and copied to the bus with delivery direct', async () => {
    const { world, wire, copies } = await up({ delivery: 'direct' });
    expect(copies).toHaveLength(1);
    expect(wire).toHaveLength(0);
    expect(unasked(world)).toMatchObject(published);
  });

  it('travels over the bus alone with delivery nats', async () => {
    const { world, wire, copies } = await up({ delivery: 'nats' });
    expect(wire).toHaveLength(1);
    expect(copies).toHaveLength(0);
    expect(unasked(world)).toMatchObject(published);
    makeReady(world);
    await world.clock.advance(100);
    expect(unasked(world)).toMatchObject({ published: { 'demo-0': 1 } });
  });

  it('goes directly with delivery nats while the bus is away, or when there is none', async () => {
    const away = stage({ delivery: 'nats' });
    if (away.bus !== undefined) away.bus.tell = () => false;
    away.system.synced();
    away.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    await away.reconciled();
    expect(unasked(away)).toMatchObject(published);
    const { world } = await up({ delivery: 'nats', bus: 'none' });
    expect(unasked(world)).toMatchObject(published);
    for (const each of [away, world]) {
      makeReady(each);
      await each.clock.advance(100);
      expect(unasked(each)).toMatchObject({ published: { 'demo-0': 1 } });
    }
  });

  it('says in words what there is to read, with its cause, trace, shard and epoch', async () => {
    const { copies } = await up();
    const [envelope] = copies;
    expect(envelope).toMatchObject({ ...place, value: '2 cliques' });
    expect(envelope?.trace).not.toBe('');
    expect(envelope?.cause).not.toBe('');
  });

  it('that is lost on the bus is made good after a while', async () => {
    const { world } = await up({ delivery: 'nats' });
    if (world.bus !== undefined) world.bus.tell = () => true;
    makeReady(world);
    await world.clock.advance(4_900);
    expect(unasked(world)).toMatchObject(published);
    await world.clock.advance(200);
    expect(unasked(world)).toMatchObject({ published: { 'demo-0': 1, 'demo-1': 0 } });
    makeReady(world, 'demo-1-0');
    await world.clock.advance(5_100);
    expect(unasked(world)).toMatchObject({ published: { 'demo-0': 1, 'demo-1': 1 } });
  });

  it('that comes twice and late changes nothing', async () => {
    const { world, wire } = await up({ delivery: 'nats' });
    const before = unasked(world);
    for (const envelope of [...wire, ...wire]) world.bus?.tell(envelope);
    await world.reconciled();
    const after = unasked(world);
    expect(after).toMatchObject(published);
    expect(world.cluster.log.length).toBeGreaterThan(0);
    expect({ ...Object(after), reconciles: 0 }).toEqual({ ...Object(before), reconciles: 0 });
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
    ...place,
    value: 'forged',
    ...change,
  });

  const rows: [string, Partial<Envelope>, string][] = [
    ['a stale epoch', { epoch: 0 }, 'stale'],
    ['another shard than that of its root', { shard: 99 }, 'refused'],
    ['an actor of no known behaviour', { to: { ...setKey('demo'), kind: 'podgang' } }, 'unknown'],
    ['a root that is not that of the actor', { root: neighbour }, 'stale'],
  ];
  it.each(rows)('with %s is dropped and counted', async (_what, change, why) => {
    const { world } = await up({ delivery: 'nats' });
    const before = (await world.view(setKey('demo')))['state'];
    world.bus?.tell(envelope(change));
    await world.reconciled();
    await world.clock.advance(100);
    expect((await world.view(setKey('demo')))['state']).toEqual(before);
    expect(world.system.tree()).toMatchObject({ dropped: { [why]: 1 } });
  });

  it('of a shard that is not surely ours is dropped and counted', async () => {
    const sole = soleOwner(4);
    const held = { isSure: true };
    const lease = { ...sole, holds: (shard: number) => held.isSure && sole.holds(shard) };
    const { world } = await up({ delivery: 'nats', lease });
    held.isSure = false;
    world.bus?.tell(envelope());
    await world.clock.advance(100);
    expect(world.system.dropped()).toEqual({ stale: 1, refused: 0, unknown: 0 });
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
    // One that has ended meanwhile is as unknown as one that never was.
    expect(world.bus?.state().rejected).toBe(0);
  });

  it('is not believed with delivery direct: nobody of ours sends that way', async () => {
    const { world } = await up({ delivery: 'direct' });
    world.bus?.tell(envelope());
    await world.clock.advance(100);
    expect(unasked(world)).toMatchObject(published);
    expect(world.system.tree()).toMatchObject({ dropped: { refused: 1 } });
    expect(world.bus?.state().rejected).toBe(1);
  });

  it('that is good has its reader look, and find what is there', async () => {
    const { world } = await up({ delivery: 'nats' });
    const reconciles = async () => at((await world.view(setKey('demo')))['state'], 'reconciles');
    const before = await reconciles();
    world.bus?.tell(envelope());
    await world.clock.advance(100);
    expect(await reconciles()).toBe(Number(before) + 1);
    expect(unasked(world)).toMatchObject(published);
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
