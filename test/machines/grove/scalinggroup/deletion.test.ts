// Deletion of sets with scaling groups and of groups: what goes, what waits, what is kept.
import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '#machines/contract/address.ts';
import type { Operation } from '#machines/contract/kind.ts';
import type { Kind } from '#machines/kinds.ts';
import { demoSet, groupedSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';
import { counts } from '../../written.ts';

const group = { kind: 'PodCliqueScalingGroup', namespace: 'demo', name: 'demo-0-engine' } as const;
const groupKey = { kind: 'scalinggroup', namespace: 'demo', name: group.name } as const;

function deployed(replicas = 1): World {
  const world = new World();
  world.create(groupedSet(replicas));
  world.converge();
  world.writes.length = 0;
  return world;
}

const refusing =
  (kind: Kind, code: 'FORBIDDEN' | 'UNREACHABLE') =>
  (op: Operation, ref: ObjectRef): typeof code | undefined =>
    op === 'delete' && ref.kind === kind ? code : undefined;

describe('a set with scaling groups that is deleted', () => {
  it('leaves nothing behind, without the garbage collector but for what it is left', () => {
    const world = deployed(3);
    world.remove(demoSet);
    world.stabilize();
    expect([...new Set([...world.objects.values()].map(({ kind }) => kind))]).toEqual(['Pod']);
    expect(counts(world)).toMatchObject({
      'delete PodCliqueScalingGroup': 3,
      'delete PodClique': 3 * 5,
      'delete PodGang': 3 * 2,
      'delete Pod': 3 * 8,
    });
    world.converge();
    expect(world.objects.size).toBe(0);
    expect(world.states()).toEqual([]);
  });

  it.each(['Foreground', 'Background'] as const)('goes with policy %s', (propagation) => {
    const world = deployed(2);
    world.remove(demoSet, propagation);
    world.converge();
    expect(world.objects.size).toBe(0);
    expect(world.states()).toEqual([]);
  });

  it('keeps groups, members and pods with policy Orphan', () => {
    const world = deployed();
    world.remove(demoSet, 'Orphan');
    world.converge();
    expect(world.get('PodCliqueSet', 'demo')).toBeUndefined();
    expect(world.all('Pod')).toHaveLength(8);
    expect(world.all('PodClique')).toHaveLength(5);
    expect(world.why(groupKey)).toEqual([
      'PodCliqueSet demo was not seen: members are made from its template',
    ]);
    world.edit(group, { spec: { replicas: 1 } });
    world.converge();
    // Scaling in needs no template.
    expect(world.all('PodClique')).toHaveLength(3);
  });

  it('comes up again under its name, with groups and members of its own', () => {
    const world = deployed(2);
    world.remove(demoSet);
    world.stabilize();
    world.create(groupedSet(2));
    world.converge();
    expect(world.get('PodCliqueSet', 'demo')?.['status']).toMatchObject({ availableReplicas: 2 });
    expect(world.all('Pod')).toHaveLength(16);
  });
});

describe('a scaling group that is deleted', () => {
  it('waits for the answers to the deletion of its members and says so', () => {
    const world = deployed();
    world.options = { refuse: refusing('PodClique', 'UNREACHABLE') };
    world.remove(group);
    world.stabilize();
    expect(world.why(groupKey)).toEqual([
      'PodCliqueScalingGroup demo-0-engine is being deleted; it goes once the deletion of PodClique demo-0-engine-0-leader and 3 more is accepted',
    ]);
    world.options = {};
    world.pass(1_000);
    world.converge();
    expect(world.get(group.kind, group.name)?.['status']).toMatchObject({ availableReplicas: 2 });
  });

  it('goes although its members may not be deleted, and tells of it', () => {
    const world = deployed();
    const uid = world.get(group.kind, group.name)?.metadata.uid;
    world.options = { refuse: refusing('PodClique', 'FORBIDDEN') };
    world.remove(group);
    world.stabilize();
    expect(world.get(group.kind, group.name)?.metadata.uid).not.toBe(uid);
    expect(world.events.map(({ reason }) => reason)).toContain('PodCliqueDeleteFailed');
  });

  it('leaves finalizers of others in place', () => {
    const world = deployed();
    const finalizers = ['somebody/else', 'grove.io/podcliquescalinggroup.grove.io'];
    world.edit(group, { metadata: { finalizers } });
    world.remove(group);
    world.stabilize();
    const there = world.get(group.kind, group.name);
    expect(there?.metadata.finalizers).toEqual(['somebody/else']);
    expect(world.why(groupKey)[0]).toContain('it is held by finalizer somebody/else');
  });
});
