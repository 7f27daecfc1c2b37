// What a set with scaling groups tells of a scale-in, and what a new spec of a group does for what
// was refused before.
import { describe, expect, it } from 'vitest';
import { readGroup } from '#machines/grove/objects/scalinggroup.ts';
import { scalingGroup } from '#machines/grove/scalinggroup/behaviour.ts';
import { demoSet, groupedSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';

const group = { kind: 'PodCliqueScalingGroup', namespace: 'demo', name: 'demo-0-engine' } as const;

function deployed(replicas = 1): World {
  const world = new World();
  world.create(groupedSet(replicas));
  world.converge();
  return world;
}

describe('a scale-in', () => {
  const reasons = (world: World): readonly string[] =>
    world.events
      .map(({ reason }) => reason)
      .filter((reason) => reason.includes('DeleteSuccessful'));

  it('of a group is told once, with the number of its replicas, however long it takes', () => {
    const world = deployed();
    world.edit(group, { spec: { replicas: 4 } });
    world.converge();
    world.options = { isSlow: true };
    world.edit(group, { spec: { replicas: 1 } });
    world.stabilize();
    // Something else happens to a replica that is on its way out.
    const hand = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-engine-3-hand' } as const;
    world.edit(hand, { metadata: { labels: { mark: 'x' } } });
    world.stabilize();
    expect(reasons(world)).toEqual(['PodCliqueScalingGroupReplicaDeleteSuccessful']);
    expect(world.events.at(-1)?.note).toContain('to 1: deleting 3 replicas');
  });

  it('of a set is told once for each kind', () => {
    const world = deployed(3);
    world.options = { isSlow: true };
    world.edit(demoSet, { spec: { replicas: 1 } });
    world.stabilize();
    world.edit(
      { kind: 'PodClique', namespace: 'demo', name: 'demo-2-worker' },
      { metadata: { labels: { mark: 'x' } } },
    );
    world.stabilize();
    expect(reasons(world)).toEqual([
      'PodCliqueDeleteSuccessful',
      'PodCliqueScalingGroupDeleteSuccessful',
    ]);
  });
});

describe('a new spec of a group', () => {
  it('is a new chance for every replica where a write was refused', () => {
    const world = deployed();
    world.options = {
      refuse: (op, { name }) => (op === 'create' && name.includes('-1-') ? 'INVALID' : undefined),
    };
    world.remove({ kind: 'PodClique', namespace: 'demo', name: 'demo-0-engine-1-hand' });
    world.converge();
    const actor = { kind: 'scalinggroup', namespace: 'demo', name: group.name } as const;
    expect(world.why(actor).join()).toContain('INVALID');
    const object = world.get(group.kind, group.name);
    const before = world.snapshotOf(actor);
    if (object === undefined || before === undefined) throw new Error('no group');
    const generation = (object.metadata.generation ?? 0) + 1;
    const metadata = { ...object.metadata, generation, resourceVersion: 'next' };
    const observed = readGroup({ ...object, metadata });
    const news = { type: 'group.observed', observed };
    const { intents } = scalingGroup.reconcile(scalingGroup.reduce(before, news), world.now);
    const created = intents.flatMap((one) => (one.type === 'createObject' ? [one.ref.name] : []));
    expect(created).toEqual(['demo-0-engine-1-hand']);
  });
});
