// The fixture system as a whole: from a set to ready pods and back, in both modes of delivery.
import { describe, expect, it } from 'vitest';
import { cliqueKey, setKey } from './fixtures/facts.ts';
import { stage } from './fixtures/stage.ts';

const setRef = { kind: 'PodCliqueSet', namespace: 'default', name: 'demo' } as const;

describe.each(['direct', 'nats'] as const)('A system with delivery %s', (delivery) => {
  it('brings a set up, pod by pod, and reports it ready', async () => {
    const world = stage({ delivery });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 3, pods: 2 } });
    await world.reconciled();
    expect(world.cluster.list('PodClique')).toHaveLength(3);
    expect(world.cluster.list('Pod')).toHaveLength(6);
    world.readyPods();
    await world.reconciled();
    expect(world.cluster.get(setRef)?.['status']).toEqual({ replicas: 3, ready: 6, isReady: true });
  });

  it('takes a set down again and lets its actors go', async () => {
    const world = stage({ delivery });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 2 } });
    await world.reconciled();
    world.cluster.delete(setRef);
    await world.reconciled();
    expect(world.cluster.list()).toEqual([]);
    expect(world.system.tree()).toMatchObject({ actors: 0, roots: [] });
    expect(world.facts.filter(({ what }) => what === 'ended')).toHaveLength(3);
  });

  it('scales down by what is surplus', async () => {
    const world = stage({ delivery });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 3, pods: 1 } });
    await world.reconciled();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.reconciled();
    expect(world.cluster.list('PodClique').map(({ metadata }) => metadata.name)).toEqual([
      'demo-0',
    ]);
    expect(await world.view(cliqueKey('demo-1'))).toEqual({ missing: 'NOT_FOUND' });
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'alive', value: 'active' });
  });

  it('believes in an object again that was taken for gone for want of its kind', async () => {
    const world = stage({ delivery });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.reconciled();
    const [clique] = world.cluster.list('PodClique');
    const ref = { kind: 'PodClique', namespace: 'default', name: 'demo-0' } as const;
    const { uid = '', namespace = '' } = clique?.metadata ?? {};
    world.system.observe({ type: 'gone', ref: { ...ref, namespace }, uid, isSure: false });
    await world.reconciled();
    await world.clock.advance(60_000);
    expect(await world.view(cliqueKey('demo-0'))).toMatchObject({ mode: 'alive' });
    const writes = world.cluster.log.length;
    await world.clock.advance(60_000);
    expect(world.cluster.log.length).toBe(writes);
  });

  it('writes nothing when nothing changes, and nothing after a restart (10.1 rule 17)', async () => {
    const world = stage({ delivery });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 2 } });
    await world.reconciled();
    world.readyPods();
    await world.reconciled();
    const writes = world.cluster.log.length;
    for (const observation of world.cluster.observations()) world.system.observe(observation);
    await world.clock.advance(120_000);
    await world.system.stop();
    world.restart();
    await world.reconciled();
    await world.clock.advance(120_000);
    expect(world.cluster.log).toHaveLength(writes);
  });
});
