// An actor that lives on when its object is gone, in the whole system.
import { describe, expect, it } from 'vitest';
import type { Observation } from '#actors/ports.ts';
import { setKey } from '../fixtures/facts.ts';
import { founder, survivor } from '../fixtures/founder.ts';
import { stage } from '../fixtures/stage.ts';

const demo = { kind: 'PodCliqueSet', namespace: 'default', name: 'demo' } as const;
const child = { kind: 'PodClique', namespace: 'default', name: 'child' } as const;

/** A set with a clique that is its child, though not by UID: nothing collects it. */
async function up(behaviour = survivor) {
  const world = stage({ behaviours: [behaviour] });
  world.system.synced();
  world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0 } });
  const owner = { apiVersion: 'x', kind: 'PodCliqueSet', name: 'demo', uid: 'x', controller: true };
  const meta = { labels: { root: 'demo' }, ownerReferences: [owner] };
  world.cluster.apply('PodClique', 'child', { spec: { replicas: 0 } }, meta);
  await world.reconciled();
  const ended = () => world.facts.filter(({ what }) => what === 'ended').length;
  return { ...world, ended, view: () => world.view(setKey('demo')) };
}

describe('An actor that outlives its object', () => {
  it('makes it anew, and goes on with the next one as the same actor', async () => {
    const { cluster, reconciled, ended, view } = await up();
    const before = await view();
    cluster.delete(demo);
    await reconciled();
    const uid = cluster.get(demo)?.metadata.uid;
    expect(uid).not.toBe(before['uid']);
    expect(await view()).toMatchObject({ mode: 'alive', uid, generation: 1, value: 'active' });
    expect(await view()).toMatchObject({ state: { uid, children: ['child'] } });
    expect(ended()).toBe(0);
    cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1 } });
    await reconciled();
    expect(await view()).toMatchObject({ uid, generation: 2 });
  });

  it('is told of the end of the first where the next is seen at once', async () => {
    const world = await up();
    const held: Observation[] = [];
    world.cluster.watch = (observation) => held.push(observation);
    world.cluster.delete(demo);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0 } });
    const last = held.at(-1);
    if (last !== undefined) world.system.observe(last);
    await world.reconciled();
    const uid = world.cluster.get(demo)?.metadata.uid;
    expect(await world.view()).toMatchObject({ uid, state: { uid, children: ['child'] } });
    expect(world.ended()).toBe(0);
    expect(world.cluster.log).toEqual([]);
  });

  it('ends when nothing of it is left in the cluster', async () => {
    const { cluster, reconciled, ended, system } = await up();
    cluster.delete(child);
    await reconciled();
    cluster.delete(demo);
    await reconciled();
    expect(ended()).toBe(1);
    expect(system.tree()['actors']).toBe(0);
    expect(cluster.get(demo)).toBeUndefined();
  });

  it('ends with its object while it is parked', async () => {
    const { cluster, reconciled, ended, system, view } = await up();
    await system.ask({ about: setKey('demo'), question: 'park', payload: {} });
    expect(await view()).toMatchObject({ mode: 'parked' });
    cluster.delete(demo);
    await reconciled();
    expect(ended()).toBe(1);
  });

  it('is not held up by what was refused to it about the one before', async () => {
    const { cluster, clock, reconciled, view, system } = await up();
    cluster.fault = ({ op }) => (op === 'create' ? { type: 'refuse', code: 'INVALID' } : undefined);
    cluster.delete(demo);
    await reconciled();
    expect(cluster.get(demo)).toBeUndefined();
    cluster.fault = () => undefined;
    const { metadata } = cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0 } });
    await clock.advance(100);
    expect(await view()).toMatchObject({ uid: metadata.uid });
    const why = await system.ask({ about: setKey('demo'), question: 'why', payload: {} });
    expect(why).toMatchObject({ data: { blocked: [] } });
  });

  it('is told from one that does not, which ends with its object', async () => {
    const { cluster, reconciled, ended } = await up(founder);
    cluster.delete(demo);
    await reconciled();
    expect(ended()).toBe(1);
    expect(cluster.get(demo)).toBeUndefined();
  });
});
