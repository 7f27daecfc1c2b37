// When an update of a scaling group is over: not while a replica that it has deleted is not there
// again (spec controllers 5.6).
import { describe, expect, it } from 'vitest';
import { groupedSet } from '#test/support/samples.ts';
import type { World } from '#test/support/world.ts';
import { groupKey } from '../../stuck/situation.ts';
import { deployed, progressOf, setImage, statusOf, unplace } from './stage.ts';

const member = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-engine-2-hand' } as const;
const held = ['grove.io/podclique.grove.io', 'backup.io/first'];

const hasEnded = (world: World, kind: 'PodCliqueSet' | 'PodCliqueScalingGroup', name: string) =>
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
