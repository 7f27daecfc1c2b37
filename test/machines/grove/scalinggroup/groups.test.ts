// Sets with scaling groups in the little world: what appears, in which gangs, and what scaling out,
// scaling in, holes, edits and damage do to it.
import { describe, expect, it } from 'vitest';
import type { Kind } from '#machines/kinds.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import { applyPatch } from '#machines/kubernetes/merge.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
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
      conditions: [
        { type: 'MinAvailableBreached', status: 'False' },
        { type: 'Ready', status: 'True' },
      ],
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

  it('adds gangs as soon as members exist, whatever its status says (10.2 gap 6)', () => {
    const world = deployed();
    world.options = {
      refuse: (op, ref) => (op === 'status' && ref.kind === group.kind ? 'FORBIDDEN' : undefined),
    };
    world.edit(group, { spec: { replicas: 3 } });
    world.stabilize();
    expect(names(world, 'PodGang')).toContain('demo-0-engine-1');
    expect(statusOf(world, group)).toMatchObject({ replicas: 2 });
  });

  it('is scaled in by index, so that a hole leaks no replica (10.2 gap 9)', () => {
    const world = deployed();
    scale(world, 5);
    for (const name of ['demo-0-engine-3-leader', 'demo-0-engine-3-hand']) {
      world.drop({ kind: 'PodClique', namespace: 'demo', name });
    }
    world.edit(group, { spec: { replicas: 3 } });
    world.converge();
    expect(names(world, 'PodClique').map((name) => name.slice(0, 15))).not.toContain(
      'demo-0-engine-4',
    );
    expect(names(world, 'PodGang')).toEqual(['demo-0', 'demo-0-engine-0', 'demo-0-engine-1']);
    expect(statusOf(world, group)).toMatchObject({ replicas: 3, availableReplicas: 3 });
    const told = world.events.filter(({ reason }) => reason.endsWith('ReplicaDeleteSuccessful'));
    expect(told.map(({ regarding, note }) => [regarding.kind, note])).toEqual([
      ['PodCliqueSet', 'Scale-in of demo-0-engine to 3: deleting 1 replicas'],
    ]);
  });

  it('keeps the replicas that somebody gave it when the set is edited (10.2 gap 14)', () => {
    const world = deployed();
    scale(world, 4);
    const [, , hand] = list(at(world.get('PodCliqueSet', 'demo'), 'spec', 'template', 'cliques'));
    expect(at(hand, 'name')).toBe('hand');
    const { spec } = groupedSet(2, { replicas: 7, minAvailable: 1 });
    world.edit(demoSet, { spec: Object(spec) });
    world.converge();
    expect(at(world.get(group.kind, group.name), 'spec', 'replicas')).toBe(4);
    expect(at(world.get(group.kind, 'demo-1-engine'), 'spec', 'replicas')).toBe(7);
  });

  it('puts right what others change in spec and labels of a group', () => {
    const world = deployed();
    world.edit(group, {
      metadata: { labels: { 'app.kubernetes.io/name': null, other: 'kept' } },
      spec: { minAvailable: null, cliqueNames: ['worker'] },
    });
    world.converge();
    const one = world.get(group.kind, group.name);
    expect(one?.['spec']).toEqual({
      replicas: 2,
      minAvailable: 1,
      cliqueNames: ['leader', 'hand'],
    });
    expect(one?.metadata.labels).toMatchObject({
      'app.kubernetes.io/name': 'demo-0-engine',
      other: 'kept',
    });
  });

  it('makes again what is taken away: a member, a gang, the group itself', () => {
    const world = deployed();
    const before = names(world, 'PodClique');
    world.remove({ kind: 'PodClique', namespace: 'demo', name: 'demo-0-engine-1-hand' });
    world.converge();
    world.remove({ kind: 'PodGang', namespace: 'demo', name: 'demo-0-engine-0' });
    world.converge();
    scale(world, 3);
    world.remove(group);
    world.converge();
    expect(names(world, 'PodClique')).toEqual(before);
    expect(names(world, 'PodGang')).toEqual(['demo-0', 'demo-0-engine-0']);
    expect(statusOf(world, demoSet)).toMatchObject({ availableReplicas: 1 });
  });

  it('removes a group and its members that left the template', () => {
    const world = deployed();
    const { spec } = groupedSet(1, { name: 'motor' });
    world.edit(demoSet, { spec: Object(spec) });
    world.converge();
    expect(names(world, group.kind)).toEqual(['demo-0-motor']);
    expect(names(world, 'PodGang')).toEqual(['demo-0', 'demo-0-motor-0']);
    expect(names(world, 'PodClique').filter((name) => name.includes('engine'))).toEqual([]);
  });

  it('starts its base gang without the members that it was scaled below', () => {
    const world = new World();
    world.create(groupedSet(1, { replicas: 3, minAvailable: 3 }));
    world.stabilize();
    const there = world.get(group.kind, group.name);
    expect(there).toBeDefined();
    world.remove({ kind: 'PodGang', namespace: 'demo', name: 'demo-0' });
    world.edit(group, { spec: { replicas: 1 } });
    world.converge();
    const gang = world.get('PodGang', 'demo-0');
    expect(groupsOf(gang)).toHaveLength(1 + 3 * 2);
    expect(world.all('Pod')).toHaveLength(2 + 3);
    expect(statusOf(world, demoSet)).toMatchObject({ availableReplicas: 0 });
  });

  it('lists no pods of members that it was scaled below, and writes that once for each at most', () => {
    const world = deployed();
    world.writes.length = 0;
    scale(world, 0);
    world.pass(60_000);
    const groups = list(at(world.get('PodGang', 'demo-0'), 'spec', 'podgroups'));
    expect(groups.map((one) => list(at(one, 'podReferences')).length)).toEqual([2, 0, 0]);
    const patches = world.writes.filter(({ op, ref }) => op === 'patch' && ref.kind === 'PodGang');
    expect(patches.length).toBeLessThanOrEqual(2);
  });

  it('empties the list of a member that went while nobody was looking', () => {
    const world = deployed();
    for (const name of ['demo-0-engine-0-hand', 'demo-0-engine-1-hand']) {
      world.drop({ kind: 'PodClique', namespace: 'demo', name });
    }
    world.edit(group, { spec: { replicas: 0 } });
    world.restart();
    world.converge();
    const groups = list(at(world.get('PodGang', 'demo-0'), 'spec', 'podgroups'));
    expect(groups.map((one) => list(at(one, 'podReferences')).length)).toEqual([2, 0, 0]);
  });

  it('creates no group while the token Secret that members would mount is another’s', () => {
    const world = new World();
    world.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'demo-ic-sat', namespace: 'demo' },
    });
    const ordered = { cliqueStartupType: 'CliqueStartupTypeInOrder' };
    const { spec, ...rest } = groupedSet(1);
    world.create({ ...rest, spec: applyPatch(Object(spec), { template: ordered }) });
    world.converge();
    expect(world.all(group.kind)).toEqual([]);
    world.remove({ kind: 'Secret', namespace: 'demo', name: 'demo-ic-sat' });
    world.pass(30_000);
    world.converge();
    expect(statusOf(world, demoSet)).toMatchObject({ availableReplicas: 1 });
  });
});

describe('a new template', () => {
  const withImage = (image: string, updateStrategy: JsonObject): JsonObject => {
    const { spec } = groupedSet(1);
    const cliques = list(at(spec, 'template', 'cliques')).map((clique) => ({
      ...Object(clique),
      spec: { ...Object(at(clique, 'spec')), podSpec: { containers: [{ name: 'main', image }] } },
    }));
    return {
      ...Object(spec),
      updateStrategy,
      template: { ...Object(at(spec, 'template')), cliques },
    };
  };
  const imageOf = (world: World): unknown =>
    at(
      list(at(world.get('PodClique', 'demo-0-engine-1-hand'), 'spec', 'podSpec', 'containers'))[0],
      'image',
    );

  it('reaches members in place where the set updates on deletion, with their environment', () => {
    const world = deployed();
    world.edit(demoSet, { spec: withImage('new', { type: 'OnDelete' }) });
    world.converge();
    expect(imageOf(world)).toBe('new');
    const hand = world.get('PodClique', 'demo-0-engine-1-hand');
    const [container] = list(at(hand, 'spec', 'podSpec', 'containers'));
    expect(list(at(container, 'env')).map((one) => at(one, 'name'))).toEqual([
      'GROVE_PCSG_NAME',
      'GROVE_PCSG_TEMPLATE_NUM_PODS',
      'GROVE_PCSG_INDEX',
    ]);
  });

  it('leaves members as they are while an update is paused', () => {
    const world = deployed();
    const pause = { 'grove.io/pause-update': 'true' };
    const spec = withImage('new', { type: 'RollingRecreate' });
    world.edit(demoSet, { metadata: { annotations: pause }, spec });
    world.converge();
    expect(imageOf(world)).toBe('busybox:1');
    expect(statusOf(world, group)).toMatchObject({ availableReplicas: 2, updatedReplicas: 0 });
    world.edit(demoSet, { spec: withImage('busybox:1', { type: 'RollingRecreate' }) });
    world.converge();
    expect(statusOf(world, demoSet)).toMatchObject({ updatedReplicas: 1 });
  });
});
