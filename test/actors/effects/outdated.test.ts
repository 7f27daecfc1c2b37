// What an actor asked for and wants no more by the time at which it could be sent.
import { describe, expect, it } from 'vitest';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import { behaviours } from '../fixtures/behaviours.ts';
import { expectConverged } from '../fixtures/checks.ts';
import { refusingFirstPod } from '../fixtures/refused.ts';
import { stage } from '../fixtures/stage.ts';

const theirs = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  name: 'theirs',
  uid: 'theirs',
  controller: true,
};

describe('A write that waits for the end of a pause', () => {
  it('is not sent when its actor has reconciled since and did not ask for it again', async () => {
    const world = refusingFirstPod();
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.clock.advance(100);
    world.cluster.apply('PodClique', 'demo-0', { spec: { replicas: 4, pods: 4 } });
    await world.clock.advance(1_000);
    world.cluster.apply('PodClique', 'demo-0', { spec: { replicas: 2, pods: 2 } });
    await world.clock.advance(11_000);
    const pods = world.cluster.log.filter(({ write }) => write.ref.kind === 'Pod');
    const names = new Set(pods.map(({ write }) => write.ref.name));
    expect([...names].toSorted()).toEqual(['demo-0-0', 'demo-0-1']);
    expectConverged(world.cluster, 1, 2);
  });

  it('is not sent when its actor has reconciled since and asked for nothing at all', async () => {
    let over = Number.POSITIVE_INFINITY;
    const brief = behaviours.map((one): Behaviour => ({
      ...one,
      reconcile: (snapshot, now, options) => {
        const step = one.reconcile(snapshot, now, options);
        if (one.kind !== 'podclique') return step;
        return now < over
          ? { ...step, waits: [{ until: over }] }
          : { ...step, intents: [], waits: [] };
      },
    }));
    const world = refusingFirstPod({ behaviours: brief });
    over = world.clock.now() + 5_000;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 1 } });
    await world.clock.advance(100);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 3, pods: 1 } });
    await world.clock.advance(60_000);
    expect(world.cluster.list('PodClique')).toHaveLength(3);
    const pods = world.cluster.log.filter(({ write }) => write.ref.kind === 'Pod');
    expect(pods.map(({ outcome }) => outcome.ok)).toEqual([false]);
  });

  it('is not sent when the object of its actor has another spec by then', async () => {
    const world = stage();
    let refused = 0;
    world.cluster.fault = ({ ref, op }) =>
      ref.kind === 'PodClique' && op === 'create' && refused++ === 0
        ? { type: 'refuse', code: 'THROTTLED', retryAfterMs: 10_000 }
        : undefined;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 1, pods: 0 } });
    await world.clock.advance(100);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 4, pods: 0 } });
    await world.clock.advance(1_000);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 0 } });
    await world.clock.advance(11_000);
    const cliques = world.cluster.log.filter(({ write }) => write.ref.kind === 'PodClique');
    const created = cliques.filter(({ write }) => write.op === 'create');
    const names = new Set(created.map(({ write }) => write.ref.name));
    expect([...names].toSorted()).toEqual(['demo-0', 'demo-1']);
    expectConverged(world.cluster, 2, 0);
  });

  it('is not sent when its object was given to another owner meanwhile', async () => {
    const world = stage();
    let refused = 0;
    world.cluster.fault = ({ ref }) =>
      ref.name === 'demo-2' && refused++ === 0
        ? { type: 'refuse', code: 'THROTTLED', retryAfterMs: 10_000 }
        : undefined;
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 2, pods: 0 } });
    await world.clock.advance(100);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 3, pods: 0 } });
    await world.clock.advance(100);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0, pods: 0 } });
    await world.clock.advance(1_000);
    world.cluster.apply('PodClique', 'demo-0', {}, { ownerReferences: [theirs] });
    world.cluster.apply('PodClique', 'demo-1', {}, { annotations: { 'foreign/mark': 'x' } });
    await world.clock.advance(20_000);
    const deleted = world.cluster.log.filter(({ write }) => write.op === 'delete');
    expect(deleted.map(({ write }) => write.ref.name)).toEqual(['demo-1']);
  });
});
