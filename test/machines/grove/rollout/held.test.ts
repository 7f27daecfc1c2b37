// Updates that are held: paused by somebody, or left to whoever deletes pods (spec controllers
// 5.8).
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { refOf } from '#test/support/world-store.ts';
import type { World } from '#test/support/world.ts';
import {
  annotate,
  breachOf,
  deletedSince,
  deployed,
  expectDone,
  images,
  isReady,
  liveWithoutRoom,
  progressOf,
  setImage,
  setStrategy,
  statusOf,
} from './stage.ts';

const pause = 'grove.io/pause-update';
const clique = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;
const setKey = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;

describe('An update of a PodCliqueSet', () => {
  it('that is paused replaces nothing, judges breaches, and goes on where it was', () => {
    const world = deployed(cliqueSet(2));
    setImage(world, 'busybox:2');
    annotate(world, { [pause]: 'true' });
    const since = world.writes.length;
    for (let round = 0; round < 5; round++) world.live();
    expect(deletedSince(world, since, 'Pod')).toEqual([]);
    expect(breachOf(world, 'demo-0-worker')).toBe('False');
    expect(world.why(setKey).join()).toContain('the update is paused, 0 of 2 are done');
    annotate(world, { [pause]: null });
    expectDone(world, '2');
  });
});

describe('An update under OnDelete', () => {
  function onDelete(): World {
    const world = deployed(cliqueSet(1, [{ name: 'worker', replicas: 3, minAvailable: 1 }]));
    setStrategy(world, 'OnDelete');
    return world;
  }

  it('deletes nothing, is over when it begins, and lets breaches be judged (10.3, 10.1 rule 41)', () => {
    const world = onDelete();
    const since = world.writes.length;
    setImage(world, 'busybox:2');
    for (let round = 0; round < 5; round++) world.live();
    expect(deletedSince(world, since, 'Pod')).toEqual([]);
    for (const [kind, name] of [
      ['PodCliqueSet', 'demo'],
      ['PodClique', 'demo-0-worker'],
    ] as const) {
      const { updateStartedAt, updateEndedAt } = progressOf(world, kind, name);
      expect(updateEndedAt).toBe(updateStartedAt);
      expect(updateStartedAt).toBeDefined();
    }
    expect(breachOf(world, 'demo-0-worker')).toBe('False');
    expect(statusOf(world, 'PodCliqueSet', 'demo')).toMatchObject({ updatedReplicas: 0 });
  });

  it('makes a deleted pod of the new template, and deletes old ones first on scale-in (10.1 rule 42)', () => {
    const world = onDelete();
    setImage(world, 'busybox:2');
    for (const pod of world.all('Pod').slice(0, 1)) world.remove(refOf(pod));
    world.converge();
    expect(images(world)).toEqual(['demo-0-worker:1', 'demo-0-worker:1', 'demo-0-worker:2']);
    world.edit(clique, { spec: { replicas: 2 } });
    world.converge();
    expect(images(world)).toEqual(['demo-0-worker:1', 'demo-0-worker:2']);
    world.edit(clique, { spec: { replicas: 1 } });
    expectDone(world, '2');
  });

  it('closes an update that ran when it was asked for (10.2 gap 25)', () => {
    const world = deployed(cliqueSet(2));
    setImage(world, 'busybox:2');
    setStrategy(world, 'OnDelete');
    expect(progressOf(world, 'PodCliqueSet', 'demo')).toHaveProperty('updateEndedAt');
    expect(progressOf(world, 'PodClique', 'demo-0-worker')).toHaveProperty('updateEndedAt');
    world.converge();
    expect(breachOf(world, 'demo-0-worker')).toBe('False');
    const since = world.writes.length;
    world.converge();
    expect(deletedSince(world, since, 'Pod')).toEqual([]);
    setStrategy(world, 'RollingRecreate');
    expectDone(world, '2');
  });

  it('leaves older pods to another update, which goes from replica to replica', () => {
    const world = deployed(cliqueSet(3));
    setStrategy(world, 'OnDelete');
    setImage(world, 'busybox:2');
    world.converge();
    setStrategy(world, 'RollingRecreate');
    const turns = new Set<unknown>();
    for (let round = 0; round < 12; round++) {
      const ready = world.all('Pod').filter((pod) => isReady(pod)).length;
      expect(ready).toBeGreaterThanOrEqual(5);
      turns.add(
        at(list(progressOf(world, 'PodCliqueSet', 'demo')['currentlyUpdating'])[0], 'replicaIndex'),
      );
      liveWithoutRoom(world, () => false);
    }
    expect([...turns]).toEqual([0, 1, 2, undefined]);
    expectDone(world, '2');
  });
});
