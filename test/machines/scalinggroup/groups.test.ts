// Sets with scaling groups in the little world: what appears, in which gangs, and what scaling out,
// in, holes and deletion do to it.
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/json.ts';
import type { Kind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/objects.ts';
import { demoSet, groupedSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';

const group = { kind: 'PodCliqueScalingGroup', namespace: 'demo', name: 'demo-0-engine' } as const;

function deployed(replicas = 1, options = {}): World {
  const world = new World();
  world.create(groupedSet(replicas, options));
  world.converge();
  return world;
}

const names = (world: World, kind: Kind): readonly string[] =>
  world
    .all(kind)
    .map(({ metadata }) => metadata.name)
    .toSorted();

const statusOf = (world: World, { kind, name }: { kind: Kind; name: string }): unknown =>
  world.get(kind, name)?.['status'];

const scale = (world: World, replicas: number): void => {
  world.edit(group, { spec: { replicas } });
  world.converge();
};

const groupsOf = (gang: KubeObject | undefined): readonly unknown[] =>
  list(at(gang, 'spec', 'podgroups')).map((one) => at(one, 'name'));

describe('a set with a scaling group', () => {
  it('has members and gangs as the spec says, all pods ready and all statuses right', () => {
    const world = deployed();
    expect(names(world, 'PodClique')).toEqual([
      'demo-0-engine-0-hand',
      'demo-0-engine-0-leader',
      'demo-0-engine-1-hand',
      'demo-0-engine-1-leader',
      'demo-0-worker',
    ]);
    expect(names(world, 'PodGang')).toEqual(['demo-0', 'demo-0-engine-0']);
    expect(groupsOf(world.get('PodGang', 'demo-0'))).toEqual([
      'demo-0-worker',
      'demo-0-engine-0-leader',
      'demo-0-engine-0-hand',
    ]);
    expect(groupsOf(world.get('PodGang', 'demo-0-engine-0'))).toEqual([
      'demo-0-engine-1-leader',
      'demo-0-engine-1-hand',
    ]);
    expect(world.all('Pod')).toHaveLength(8);
    expect(statusOf(world, group)).toMatchObject({
      replicas: 2,
      scheduledReplicas: 2,
      availableReplicas: 2,
      updatedReplicas: 2,
      observedGeneration: 1,
      conditions: [{ type: 'MinAvailableBreached', status: 'False' }],
    });
    expect(statusOf(world, demoSet)).toMatchObject({
      availableReplicas: 1,
      updatedReplicas: 1,
      observedGeneration: 1,
    });
    expect(world.events.filter(({ severity }) => severity === 'Warning')).toEqual([]);
  });

  it('makes a gang for each replica above the minimum as it is scaled, and takes it away again', () => {
    const world = deployed();
    scale(world, 4);
    expect(names(world, 'PodGang')).toEqual([
      'demo-0',
      'demo-0-engine-0',
      'demo-0-engine-1',
      'demo-0-engine-2',
    ]);
    expect(world.all('Pod')).toHaveLength(14);
    scale(world, 1);
    expect(names(world, 'PodGang')).toEqual(['demo-0']);
    expect(names(world, 'PodClique')).toEqual([
      'demo-0-engine-0-hand',
      'demo-0-engine-0-leader',
      'demo-0-worker',
    ]);
    expect(world.all('Pod')).toHaveLength(5);
    expect(statusOf(world, group)).toMatchObject({ replicas: 1, availableReplicas: 1 });
  });

  it('leaves nothing behind when it is deleted', () => {
    const world = deployed(2);
    world.remove(demoSet);
    world.converge();
    expect(world.objects.size).toBe(0);
    expect(world.states()).toEqual([]);
  });
});
