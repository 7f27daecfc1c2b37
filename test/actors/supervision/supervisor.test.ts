// Supervision in the whole system: kind of failure x moment, restart with replay, parking and
// coming back, and that nobody else notices.
import { describe, expect, it } from 'vitest';
import { behaviours } from '../fixtures/behaviours.ts';
import { expectConverged, expectSafeWrites } from '../fixtures/checks.ts';
import { cliqueKey, recordOf, setKey } from '../fixtures/facts.ts';
import type { Stage } from '../fixtures/stage.ts';
import { stage } from '../fixtures/stage.ts';

const demo = { kind: 'PodCliqueSet', namespace: 'default', name: 'demo' } as const;
const good = { replicas: 2, pods: 1 };
const whatOf = (world: Stage, what: string) => world.facts.filter((fact) => fact.what === what);

async function up(options: Parameters<typeof stage>[0] = {}): Promise<Stage> {
  const world = stage(options);
  world.system.synced();
  world.cluster.apply('PodCliqueSet', 'other', { spec: good });
  world.cluster.apply('PodCliqueSet', 'demo', { spec: good });
  await world.reconciled();
  return world;
}

describe.each(['reconcile', 'event'])('A machine that throws in its %s', (moment) => {
  it('once is restarted after a pause, with everything that the cache holds', async () => {
    const world = await up();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { ...good, poison: moment } });
    await world.clock.advance(5);
    if (moment === 'event') {
      world.cluster.setStatus(
        { kind: 'PodClique', namespace: 'default', name: 'demo-0' },
        { ready: 1 },
      );
      await world.clock.advance(5);
    }
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'waiting', restarts: 1 });
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 3, pods: 1 } });
    await world.clock.advance(1_000);
    await world.reconciled();
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'alive', restarts: 1 });
    expectConverged(world.cluster, 3, 1);
    expect(whatOf(world, 'restarted')[0]?.data).toMatchObject({
      error: expect.stringContaining(`poisoned ${moment}`),
    });
    expect(world.telemetry.calls.restarted).toHaveLength(1);
  });

  it('again and again is parked after five restarts: condition, Event, fact, metric', async () => {
    const world = await up();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { ...good, poison: moment } });
    await world.clock.advance(5);
    const poke = { kind: 'PodClique', namespace: 'default', name: 'demo-0' } as const;
    world.cluster.setStatus(poke, { ready: 1 });
    await world.clock.advance(30_000);
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'parked', restarts: 5 });
    expect(whatOf(world, 'restarted')).toHaveLength(5);
    expect(whatOf(world, 'parked')).toHaveLength(1);
    expect(world.telemetry.calls.parked).toHaveLength(1);
    expect(world.telemetry.calls.actors.at(-1)).toMatchObject({ parked: 1 });
    expect(world.cluster.events).toMatchObject([{ reason: 'ActorParked', severity: 'Warning' }]);
    expect(recordOf(world.cluster.get(demo)?.['status'])['conditions']).toMatchObject([
      {
        type: 'Parked',
        message: expect.stringMatching(new RegExp(`after 5 restarts.*poisoned ${moment}`)),
      },
    ]);
    const why = await world.system.ask({ about: setKey('demo'), question: 'why', payload: {} });
    expect(why).toMatchObject({
      data: { because: [expect.stringMatching(/^parked after 5 restarts: .*poisoned/s)] },
    });
    expect(world.system.tree()).toMatchObject({ parked: 1 });
  });

  it('is un-parked by a new generation and carries on', async () => {
    const world = await up();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { ...good, poison: moment } });
    await world.clock.advance(5);
    const poke = { kind: 'PodClique', namespace: 'default', name: 'demo-0' } as const;
    world.cluster.setStatus(poke, { ready: 1 });
    await world.clock.advance(30_000);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 3, pods: 1, poison: '' } });
    await world.reconciled();
    expectConverged(world.cluster, 3, 1);
    expect(world.cluster.get(demo)?.['status']).not.toHaveProperty('conditions');
    expect(await world.view(setKey('demo'))).toMatchObject({
      mode: 'alive',
      restarts: 0,
      parked: false,
    });
    expect(whatOf(world, 'unparked')[0]?.data).toEqual({ by: 'generation' });
    expectSafeWrites(world.cluster);
  });

  it('leaves every other actor alone', async () => {
    const world = await up();
    const before = await world.view(setKey('other'));
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { ...good, poison: moment } });
    await world.clock.advance(30_000);
    world.cluster.apply('PodCliqueSet', 'other', { spec: { replicas: 4, pods: 1 } });
    await world.reconciled();
    const cliques = world.cluster.list('PodClique').map(({ metadata }) => metadata.name);
    expect(cliques.filter((name) => name.startsWith('other-'))).toHaveLength(4);
    expect(await world.view(setKey('other'))).toMatchObject({ restarts: 0, uid: before['uid'] });
    expect(await world.view(cliqueKey('demo-0'))).toMatchObject({ mode: 'alive', restarts: 0 });
  });
});

describe('An object whose decoder throws or refuses', () => {
  it.each([
    ['throws', { ...good, poison: 'decode' }],
    ['refuses', { pods: 1 }],
  ])('(%s) is logged; its actor stays as it was, the others go on', async (_how, spec) => {
    const world = await up();
    world.cluster.apply('PodCliqueSet', 'demo', { spec });
    world.cluster.apply('PodCliqueSet', 'other', { spec: { replicas: 3, pods: 1 } });
    await world.reconciled();
    expect(
      world.telemetry.calls.log.filter(([, text]) => text.includes('not be read')),
    ).toHaveLength(1);
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'alive', restarts: 0 });
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.reconciled();
    expectConverged(world.cluster, 1, 1);
  });
});

describe('An actor', () => {
  it('that was un-parked is parked after five restarts again, not at once', async () => {
    const world = await up();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { ...good, poison: 'reconcile' } });
    await world.clock.advance(30_000);
    await world.system.ask({ about: setKey('demo'), question: 'unpark', payload: {} });
    await world.clock.advance(30_000);
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'parked', restarts: 5 });
    expect(whatOf(world, 'restarted')).toHaveLength(10);
  });

  it('that crashes less often than the intensity is never parked', async () => {
    const world = await up();
    for (let crash = 0; crash < 12; crash++) {
      world.cluster.apply('PodCliqueSet', 'demo', { spec: { ...good, poison: 'reconcile' } });
      await world.clock.advance(5);
      world.cluster.apply('PodCliqueSet', 'demo', { spec: good });
      await world.clock.advance(15_000);
    }
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'alive', restarts: 12 });
    expect(world.telemetry.calls.parked).toEqual([]);
  });

  it('reads after its restart what was published while it waited', async () => {
    const world = await up();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { ...good, poison: 'reconcile' } });
    await world.clock.advance(5);
    world.cluster.setStatus(
      { kind: 'Pod', namespace: 'default', name: 'demo-0-0' },
      { isReady: true },
    );
    await world.clock.advance(20);
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'waiting' });
    world.cluster.apply('PodCliqueSet', 'demo', { spec: good });
    await world.clock.advance(3_000);
    // As it knows it by itself: whoever asks it has it read first.
    expect([...world.system.views(setKey('demo').kind)]).toContainEqual(
      expect.objectContaining({
        published: expect.objectContaining({ 'demo-0': 1 }),
        order: expect.arrayContaining(['own.seen', 'child.seen', 'child.seen', 'cliques.read']),
      }),
    );
  });

  it('that is parked drops its mail, and has all objects again when it comes back', async () => {
    const world = await up();
    await world.system.ask({
      about: setKey('demo'),
      question: 'park',
      payload: { reason: 'lunch' },
    });
    world.cluster.delete({ kind: 'PodClique', namespace: 'default', name: 'demo-1' });
    world.cluster.apply('PodClique', 'stray', { spec: { replicas: 1 } });
    await world.reconciled();
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'parked', mailbox: 0 });
    expect(world.cluster.list('PodClique').map(({ metadata }) => metadata.name)).not.toContain(
      'demo-1',
    );
    const back = { about: setKey('demo'), question: 'unpark', payload: {} } as const;
    expect(await world.system.ask(back)).toEqual({
      ok: true,
      data: { parked: false, wasParked: true },
    });
    await world.reconciled();
    expect(world.cluster.list('PodClique').map(({ metadata }) => metadata.name)).toContain(
      'demo-1',
    );
    expect(await world.system.ask(back)).toEqual({
      ok: true,
      data: { parked: false, wasParked: false },
    });
  });

  it('that is parked and started again by command says by Events who wanted that, and why', async () => {
    const world = await up();
    const command = (question: string, payload = {}) =>
      world.system.ask({ about: setKey('demo'), question, payload });
    await command('park', { reason: 'alice: lunch' });
    await command('unpark', { reason: 'bob: back again' });
    // It runs already.
    await command('unpark', { reason: 'carol: me too' });
    await world.reconciled();
    expect(world.cluster.events).toMatchObject([
      { reason: 'ActorParked', severity: 'Warning', note: expect.stringContaining('alice: lunch') },
      {
        reason: 'ActorUnparked',
        severity: 'Normal',
        note: expect.stringContaining('bob: back again'),
      },
    ]);
    expect(whatOf(world, 'unparked')).toMatchObject([{ data: { by: 'bob: back again' } }]);
  });

  it('whose parked condition could not be written says so again until it is', async () => {
    const world = await up();
    let refused = 0;
    world.cluster.fault = ({ op, ref }) =>
      op === 'status' && ref.name === 'demo' && refused++ < 4
        ? { type: 'refuse', code: 'SERVER_ERROR' }
        : undefined;
    await world.system.ask({ about: setKey('demo'), question: 'park', payload: {} });
    await world.clock.advance(60_000);
    expect(recordOf(world.cluster.get(demo)?.['status'])['conditions']).toHaveLength(1);
    const writes = world.cluster.log.length;
    await world.clock.advance(60_000);
    expect(world.cluster.log).toHaveLength(writes);
  });

  it('that is parked ends when its object is deleted', async () => {
    const world = stage();
    world.system.synced();
    world.cluster.apply(
      'PodClique',
      'demo-0',
      { spec: { replicas: 0, pods: 0 } },
      { labels: { root: 'demo' } },
    );
    await world.reconciled();
    await world.system.ask({ about: cliqueKey('demo-0'), question: 'park', payload: {} });
    await world.reconciled();
    world.cluster.delete({ kind: 'PodClique', namespace: 'default', name: 'demo-0' });
    await world.reconciled();
    expect(await world.view(cliqueKey('demo-0'))).toEqual({ missing: 'NOT_FOUND' });
  });

  const lone = async (isHeld?: () => boolean) => {
    const held = behaviours.map((each) =>
      each.kind === 'podcliqueset' && isHeld !== undefined
        ? { ...each, isHeld, isOver: () => false }
        : each,
    );
    const world = stage({ behaviours: held });
    world.system.synced();
    const clique = { kind: 'PodClique', namespace: 'default', name: 'lone-0' } as const;
    const owner = { apiVersion: 'x', kind: 'X', name: 'lone', uid: 'x', controller: true };
    world.cluster.apply(
      'PodClique',
      'lone-0',
      { spec: { replicas: 0, pods: 0 } },
      {
        labels: { root: 'lone' },
        ownerReferences: [owner],
      },
    );
    await world.reconciled();
    // The set, which does not exist, has a child and so does not say that it is over.
    expect(world.system.tree()).toMatchObject({ actors: 2 });
    world.cluster.delete(clique);
    await world.reconciled();
    return world;
  };

  it('of which nothing is left in the cluster ends, whatever its machine says', async () => {
    expect((await lone()).system.tree()).toMatchObject({ actors: 0 });
    expect((await lone(() => false)).system.tree()).toMatchObject({ actors: 0 });
  });

  it('stays without an object where what it reads holds it', async () => {
    expect((await lone(() => true)).system.tree()).toMatchObject({ actors: 1 });
  });

  it('whose object comes back with another UID is another actor; those of its children stay', async () => {
    const world = await up();
    const old = await world.view(cliqueKey('demo-0'));
    const pods = world.cluster.list('Pod').length;
    world.cluster.delete({ kind: 'PodClique', namespace: 'default', name: 'demo-0' });
    await world.reconciled();
    const now = await world.view(cliqueKey('demo-0'));
    expect(now['uid']).not.toBe(old['uid']);
    expect(now).toMatchObject({ mode: 'alive', restarts: 0 });
    expect(world.cluster.list('Pod')).toHaveLength(pods);
    expect(whatOf(world, 'ended').map(({ about }) => about.name)).toEqual(['demo-0']);
    expectConverged(world.cluster, 2, 1);
  });
});
