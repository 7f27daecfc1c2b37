// More replicas than are handled, of a scaling group or of its set: refused, said, and put right.
import { describe, expect, it } from 'vitest';
import { demoSet, groupedSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';

const group = { kind: 'PodCliqueScalingGroup', namespace: 'demo', name: 'demo-0-engine' } as const;

function deployed(): World {
  const world = new World();
  world.create(groupedSet(1));
  world.converge();
  return world;
}

const statusOf = (world: World, { kind, name }: typeof group | typeof demoSet): unknown =>
  world.get(kind, name)?.['status'];

const scale = (world: World, replicas: number): void => {
  world.edit(group, { spec: { replicas } });
  world.converge();
};

describe('A scaling group', () => {
  it('makes its members once a set that asked for too many replicas asks for few', () => {
    const world = new World();
    world.create(groupedSet(6_000));
    world.stabilize();
    expect(world.all('PodClique')).toEqual([]);
    world.edit(demoSet, { spec: { replicas: 1 } });
    world.converge();
    expect(world.all('Pod')).toHaveLength(8);
    expect(statusOf(world, demoSet)).toMatchObject({ availableReplicas: 1 });
  });

  it('asks for too many replicas in vain, is told so, and keeps what it has', () => {
    const world = deployed();
    scale(world, 6_000);
    expect(world.all('Pod')).toHaveLength(8);
    expect(statusOf(world, group)).toMatchObject({
      availableReplicas: 2,
      lastErrors: [{ code: 'ERR_CREATE_PODCLIQUES' }],
    });
    expect(world.why({ kind: 'scalinggroup', namespace: 'demo', name: group.name })[0]).toBe(
      'no member is created: spec.replicas is 6000; at most 5000 are handled',
    );
    scale(world, 3);
    expect(statusOf(world, group)).toMatchObject({ availableReplicas: 3 });
    expect(statusOf(world, group)).not.toHaveProperty('lastErrors');
  });
});
