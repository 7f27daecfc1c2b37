// Own objects that cannot be read: parked with the reason on their status when they never could be,
// else their actor goes on with what it knew; a spec that can be read brings them back.
import { describe, expect, it } from 'vitest';
import { expectConverged } from './fixtures/checks.ts';
import { recordOf, setKey } from './fixtures/facts.ts';
import { stage } from './fixtures/stage.ts';

const demo = { kind: 'PodCliqueSet', namespace: 'default', name: 'demo' } as const;
const why = 'Unreadable: spec.replicas is not a number';

async function unreadable() {
  const world = stage();
  world.system.synced();
  world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 'two' } });
  await world.reconciled();
  const status = () => recordOf(world.cluster.get(demo)?.['status']);
  const parked = () => world.facts.filter(({ what }) => what === 'parked');
  return { ...world, world, status, parked };
}

describe('An object that never could be read', () => {
  it('is parked: its status, an Event and a fact say why', async () => {
    const { world, status, parked } = await unreadable();
    expect(status()['conditions']).toMatchObject([
      { type: 'Parked', reason: 'Stopped', message: expect.stringContaining(`Reason: ${why}`) },
    ]);
    expect(world.cluster.events).toMatchObject([
      { reason: 'ActorParked', note: expect.stringContaining('spec.replicas is not a number') },
    ]);
    expect(parked()).toHaveLength(1);
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'parked', error: why });
  });

  it('is left alone afterwards, also after a restart of the process', async () => {
    const { world, parked } = await unreadable();
    world.restart();
    await world.reconciled();
    const writes = world.cluster.log.length;
    await world.clock.advance(600_000);
    expect(world.cluster.log).toHaveLength(writes);
    expect(parked()).toHaveLength(2);
    expect(world.cluster.events).toHaveLength(2);
  });

  it('is carried out when its spec can be read', async () => {
    const { world } = await unreadable();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    await world.reconciled();
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'alive' });
    expectConverged(world.cluster, 2, 1);
  });

  it('is parked anew by another spec that cannot be read', async () => {
    const { world, parked } = await unreadable();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: null } });
    await world.reconciled();
    expect(parked()).toHaveLength(2);
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'parked' });
  });

  it('is parked also where its children are known already', async () => {
    const world = stage();
    const owner = { apiVersion: 'x', kind: 'PodCliqueSet', name: 'demo', uid: 'x' };
    world.cluster.apply(
      'PodClique',
      'demo-0',
      { spec: { replicas: 0, pods: 0 } },
      { labels: { root: 'demo' }, ownerReferences: [{ ...owner, controller: true }] },
    );
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 'two' } });
    world.system.synced();
    await world.reconciled();
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'parked', error: why });
  });

  it('ends with its object', async () => {
    const { world } = await unreadable();
    world.cluster.delete(demo);
    await world.reconciled();
    expect(world.system.tree()).toMatchObject({ actors: 0, parked: 0 });
  });
});

describe('An object that could be read before', () => {
  it('keeps its actor, which goes on with the last spec that it could read', async () => {
    const world = stage();
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 1 } });
    await world.reconciled();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 'many' } });
    await world.reconciled();
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'alive' });
    const pod = world.cluster.list('Pod')[0]?.metadata.name ?? '';
    world.cluster.delete({ kind: 'Pod', namespace: 'default', name: pod });
    await world.reconciled();
    expectConverged(world.cluster, 2, 1);
    expect(world.telemetry.calls.log).toContainEqual([
      'error',
      'an object could not be read',
      { kind: 'PodCliqueSet', namespace: 'default', name: 'demo', why: expect.any(String) },
    ]);
  });
});
