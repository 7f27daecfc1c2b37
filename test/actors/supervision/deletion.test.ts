// Actors that are not alive when their object is deleted, while other objects are still there for
// them.
import { describe, expect, it } from 'vitest';
import { cliqueKey } from '../fixtures/facts.ts';
import { stage, type Stage } from '../fixtures/stage.ts';

describe('An actor whose object is deleted while others are addressed to it', () => {
  const clique = { kind: 'PodClique', namespace: 'default', name: 'demo-0' } as const;
  const whatOf = (world: Stage, what: string) => world.facts.filter((fact) => fact.what === what);

  async function withPod(): Promise<Stage> {
    const world = stage();
    world.system.synced();
    const labels = { root: 'demo' };
    // Nobody takes the pod away with the clique.
    const owner = { apiVersion: 'x', kind: 'PodClique', name: 'demo-0', uid: 'x' };
    const ownerReferences = [{ ...owner, controller: true }];
    world.cluster.apply('Pod', 'demo-0-0', { spec: {} }, { labels, ownerReferences });
    world.cluster.apply('PodClique', 'demo-0', { spec: { replicas: 0, pods: 1 } }, { labels });
    await world.reconciled();
    return world;
  }

  it('comes back where it was parked, and ends with the last of them', async () => {
    const world = await withPod();
    await world.system.ask({ about: cliqueKey('demo-0'), question: 'park', payload: {} });
    await world.reconciled();
    world.cluster.delete(clique);
    await world.reconciled();
    expect(await world.view(cliqueKey('demo-0'))).toMatchObject({
      mode: 'alive',
      uid: '',
      state: { children: ['demo-0-0'] },
    });
    expect(whatOf(world, 'unparked')[0]?.data).toEqual({ by: 'deletion' });
    world.cluster.delete({ kind: 'Pod', namespace: 'default', name: 'demo-0-0' });
    await world.reconciled();
    expect(await world.view(cliqueKey('demo-0'))).toEqual({ missing: 'NOT_FOUND' });
  });

  it('is restarted after its pause where it has crashed, and not before', async () => {
    const world = await withPod();
    world.cluster.apply('PodClique', 'demo-0', {
      spec: { replicas: 0, pods: 1, poison: 'reconcile' },
    });
    await world.clock.advance(5);
    world.cluster.delete(clique);
    await world.clock.advance(5);
    expect(await world.view(cliqueKey('demo-0'))).toMatchObject({ mode: 'waiting' });
    await world.clock.advance(60_000);
    expect(await world.view(cliqueKey('demo-0'))).toMatchObject({ mode: 'alive', uid: '' });
    expect(whatOf(world, 'restarted')).toHaveLength(1);
  });
});
