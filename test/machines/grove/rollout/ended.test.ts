// When an update is over: that of a scaling group not while a replica that it has deleted is not
// there again (spec controllers 5.6), that of a PodClique not while the last old pod serves.
import { describe, expect, it } from 'vitest';
import { cliqueSet, groupedSet } from '#test/support/samples.ts';
import type { World } from '#test/support/world.ts';
import { groupKey } from '../../stuck/situation.ts';
import { refOf } from '#test/support/world-store.ts';
import {
  deployed,
  expectDone,
  progressOf,
  setImage,
  setStrategy,
  statusOf,
  unplace,
} from './stage.ts';

const member = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-engine-2-hand' } as const;
const held = ['grove.io/podclique.grove.io', 'backup.io/first'];

const hasEnded = (world: World, kind: Parameters<typeof progressOf>[1], name: string) =>
  'updateEndedAt' in progressOf(world, kind, name);

const areEnded = (world: World): readonly boolean[] => [
  hasEnded(world, 'PodCliqueScalingGroup', 'demo-0-engine'),
  hasEnded(world, 'PodCliqueSet', 'demo'),
];

describe('An update of a set with a scaling group', () => {
  it('has ended when all replicas are back, those that went at once too (10.2 gap 26)', () => {
    const world = deployed(groupedSet(1, { replicas: 3, minAvailable: 1 }));
    unplace(world, 'demo-0-engine-2-');
    world.edit(member, { metadata: { finalizers: held } });
    setImage(world, 'busybox:2', 'hand');
    for (let round = 0; round < 12; round++) world.live();
    // All others are of the template.
    expect(world.get('PodClique', member.name)?.metadata.deletionTimestamp).toBeDefined();
    expect(statusOf(world, 'PodCliqueScalingGroup', 'demo-0-engine')).toMatchObject({
      updatedReplicas: 2,
    });
    expect(areEnded(world)).toEqual([false, false]);
    expect(world.why(groupKey)).toContain(
      'the update is over once the replicas that it has deleted are back',
    );
    world.edit(member, { metadata: { finalizers: null } });
    world.converge(60);
    expect(areEnded(world)).toEqual([true, true]);
    expect(statusOf(world, 'PodCliqueSet', 'demo')).toMatchObject({ updatedReplicas: 1 });
  });
});

describe('An update of a PodClique', () => {
  it('has not ended while the last old pod serves, since nobody takes its deletion', () => {
    let isBusy = true;
    const set = cliqueSet(1, [{ name: 'worker', replicas: 2, minAvailable: 1 }]);
    const refuse = (op: string) => (isBusy && op === 'delete' ? 'THROTTLED' : undefined);
    const world = deployed(set, { refuse });
    setStrategy(world, 'OnDelete');
    setImage(world, 'busybox:2');
    for (const pod of world.all('Pod').slice(0, 1)) world.remove(refOf(pod));
    world.converge();
    setStrategy(world, 'RollingRecreate');
    world.live();
    const progress = () => progressOf(world, 'PodClique', 'demo-0-worker');
    expect(progress()).toHaveProperty('readyPodsSelectedToUpdate.current');
    expect(hasEnded(world, 'PodClique', 'demo-0-worker')).toBe(false);
    isBusy = false;
    world.pass(1_000);
    expectDone(world, '2');
    expect(hasEnded(world, 'PodClique', 'demo-0-worker')).toBe(true);
  });
});
