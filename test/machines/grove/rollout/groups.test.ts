// An update of scaling groups: replica by replica, the lowest first (spec controllers 5.5, 5.6,
// 10.3).
import { describe, expect, it } from 'vitest';
import { conditionsOf, conditionStatus } from '#machines/kubernetes/conditions.ts';
import { groupedSet } from '#test/support/samples.ts';
import type { World } from '#test/support/world.ts';
import {
  annotate,
  deletedSince,
  deployed,
  images,
  isReady,
  liveWithoutRoom,
  progressOf,
  setImage,
  setStrategy,
  statusOf,
} from './stage.ts';

const group = { kind: 'PodCliqueScalingGroup', namespace: 'demo', name: 'demo-0-engine' } as const;
const groupKey = { ...group, kind: 'scalinggroup' } as const;

const three = (): World => deployed(groupedSet(1, { replicas: 3, minAvailable: 1 }));

const readyReplicas = (world: World): number =>
  [0, 1, 2, 3].filter((index) => {
    const pods = world
      .all('Pod')
      .filter(({ metadata }) => metadata.name.startsWith(`demo-0-engine-${index}-`));
    return pods.filter(isReady).length >= 3;
  }).length;

function expectDone(world: World): void {
  world.converge(60);
  expect(statusOf(world, 'PodCliqueSet', 'demo')).toMatchObject({ updatedReplicas: 1 });
  const { replicas } = statusOf(world, group.kind, group.name);
  expect(statusOf(world, group.kind, group.name)).toMatchObject({ updatedReplicas: replicas });
  const { updatedPodCliquesCount, totalPodCliquesCount } = progressOf(
    world,
    group.kind,
    group.name,
  );
  expect(updatedPodCliquesCount).toBe(totalPodCliquesCount);
}

describe('An update of a scaling group', () => {
  it('replaces one replica at a time, from the lowest (10.3)', () => {
    const world = three();
    const since = world.writes.length;
    setImage(world, 'busybox:2', 'hand');
    for (let round = 0; round < 12; round++) {
      expect(readyReplicas(world)).toBeGreaterThanOrEqual(2);
      world.live();
    }
    expect(deletedSince(world, since, 'PodClique')).toEqual([
      'demo-0-engine-0-leader',
      'demo-0-engine-0-hand',
      'demo-0-engine-1-leader',
      'demo-0-engine-1-hand',
      'demo-0-engine-2-leader',
      'demo-0-engine-2-hand',
    ]);
    expect(new Set(images(world, 'demo-0-engine-2-hand'))).toEqual(
      new Set(['demo-0-engine-2-hand:2']),
    );
    expectDone(world);
  });

  it('says which replica it is at, and does not judge the breach meanwhile (5.10, 10.1 rule 33)', () => {
    const world = three();
    setImage(world, 'busybox:2', 'hand');
    world.live();
    world.live();
    expect(progressOf(world, group.kind, group.name)).toMatchObject({
      readyReplicaIndicesSelectedToUpdate: { current: 1, completed: [0] },
      totalPodCliquesCount: 6,
    });
    const breach = conditionStatus(
      conditionsOf(statusOf(world, group.kind, group.name)),
      'MinAvailableBreached',
    );
    expect(breach).toBe('Unknown');
    expect(world.why(groupKey).join()).toContain('the update goes on when replica 1 is up to date');
    expectDone(world);
    expect(progressOf(world, group.kind, group.name)).toHaveProperty('updateEndedAt');
  });

  it('deletes replicas that are not ready at once, and waits for none of them', () => {
    const world = three();
    for (const { metadata } of world.all('Pod')) {
      if (!metadata.name.startsWith('demo-0-engine-2-')) continue;
      world.setPodStatus(metadata.name, { phase: 'Pending', conditions: [] });
    }
    world.stabilize();
    const since = world.writes.length;
    setImage(world, 'busybox:2', 'hand');
    expect(deletedSince(world, since, 'PodClique').toSorted()).toEqual([
      'demo-0-engine-0-hand',
      'demo-0-engine-0-leader',
      'demo-0-engine-2-hand',
      'demo-0-engine-2-leader',
    ]);
    expectDone(world);
  });

  it('of a set has not ended while a replica that was deleted at once is not back (10.2 gap 26)', () => {
    const world = three();
    for (const { metadata } of world.all('Pod')) {
      if (!metadata.name.startsWith('demo-0-engine-2-')) continue;
      world.setPodStatus(metadata.name, { phase: 'Pending', conditions: [] });
    }
    world.options = {
      refuse: (op, { name }) =>
        op === 'create' && name === 'demo-0-engine-2-hand' ? 'FORBIDDEN' : undefined,
    };
    setImage(world, 'busybox:2', 'hand');
    world.converge(12);
    expect(images(world, 'demo-0-engine-1-hand')).toContain('demo-0-engine-1-hand:2');
    expect(world.get('PodClique', 'demo-0-engine-2-hand')).toBeUndefined();
    expect(progressOf(world, 'PodCliqueSet', 'demo')).not.toHaveProperty('updateEndedAt');
    world.options = {};
    world.pass(60_000);
    expectDone(world);
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toHaveProperty('updateEndedAt');
  });

  it('takes no second replica where there is no room for the first', () => {
    const world = three();
    const since = world.writes.length;
    setImage(world, 'busybox:2', 'hand');
    for (let round = 0; round < 10; round++) liveWithoutRoom(world);
    expect(deletedSince(world, since, 'PodClique')).toHaveLength(2);
    expectDone(world);
  });

  it('takes no second replica after a restart at any moment', () => {
    const world = three();
    setImage(world, 'busybox:2', 'hand');
    for (let round = 0; round < 12; round++) {
      world.restart();
      expect(readyReplicas(world)).toBeGreaterThanOrEqual(2);
      world.live();
    }
    expectDone(world);
  });

  it('makes replicas that come meanwhile of the new template, and ends where its own goes (10.1 rule 36)', () => {
    const world = three();
    setImage(world, 'busybox:2', 'hand');
    world.edit(group, { spec: { replicas: 4 } });
    world.stabilize();
    expect(images(world, 'demo-0-engine-3-hand')).toEqual([
      'demo-0-engine-3-hand:2',
      'demo-0-engine-3-hand:2',
    ]);
    world.live();
    world.live();
    world.edit(group, { spec: { replicas: 1 } });
    expectDone(world);
    expect(images(world, 'demo-0-engine')).toHaveLength(3);
  });

  it('makes no member anew before the last of the older ones goes, whatever is refused', () => {
    const world = three();
    const refused = 'demo-0-engine-0-hand';
    world.options = {
      refuse: (op, { name }) => (op === 'delete' && name === refused ? 'SERVER_ERROR' : undefined),
    };
    const since = world.writes.length;
    setImage(world, 'busybox:2', 'hand');
    for (let round = 0; round < 5; round++) world.live();
    const made = world.writes
      .slice(since)
      .filter(({ op, ref }) => op === 'create' && ref.kind === 'PodClique');
    expect(made).toEqual([]);
    world.options = {};
    world.pass(600_000);
    expectDone(world);
  });

  it('that is changed back replaces the replicas that it had replaced', () => {
    const world = three();
    const since = world.writes.length;
    setImage(world, 'busybox:2', 'hand');
    world.live();
    world.live();
    setImage(world, 'busybox:1', 'hand');
    expectDone(world);
    const deleted = deletedSince(world, since, 'PodClique');
    expect(deleted.filter((name) => name.startsWith('demo-0-engine-2-'))).toEqual([]);
  });

  it('waits where the set is paused', () => {
    const world = three();
    annotate(world, { 'grove.io/pause-update': 'true' });
    const since = world.writes.length;
    setImage(world, 'busybox:2', 'hand');
    for (let round = 0; round < 4; round++) world.live();
    expect(deletedSince(world, since, 'PodClique')).toEqual([]);
    expect(world.why(groupKey).join()).toContain('3 replicas are of an older template: the update');
    annotate(world, { 'grove.io/pause-update': null });
    expectDone(world);
  });

  it('under OnDelete patches its members in place and deletes none', () => {
    const world = three();
    setStrategy(world, 'OnDelete');
    const since = world.writes.length;
    setImage(world, 'busybox:2', 'hand');
    for (let round = 0; round < 4; round++) world.live();
    expect(deletedSince(world, since, 'PodClique')).toEqual([]);
    expect(deletedSince(world, since, 'Pod')).toEqual([]);
    const { updateStartedAt, updateEndedAt } = progressOf(world, group.kind, group.name);
    expect(updateStartedAt).toBeDefined();
    expect(updateEndedAt).toBe(updateStartedAt);
  });
});
