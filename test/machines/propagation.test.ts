// Who is spared by a deletion, and who goes first: the propagation policies that a user may ask
// for, and objects that are not ours (decision 0009).
import { describe, expect, it } from 'vitest';
import { label } from '#machines/grove/objects/labels.ts';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import { refOf } from '#test/support/world-store.ts';
import { counts, deployed, of } from './written.ts';

const clique = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;
const childKinds = [
  'PodClique',
  'PodGang',
  'Service',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'Secret',
] as const;

describe('a PodCliqueSet that is deleted', () => {
  it('with the children to be kept writes its finalizer only', () => {
    const world = deployed(3);
    const before = childKinds.map((kind) => world.all(kind).length);
    world.remove(demoSet, 'Orphan');
    world.stabilize();
    expect(counts(world)).toEqual({ 'patch PodCliqueSet': 1 });
    world.converge();
    expect(world.get('PodCliqueSet', 'demo')).toBeUndefined();
    expect(childKinds.map((kind) => world.all(kind).length)).toEqual(before);
    expect(world.all('Pod')).toHaveLength(6);
    expect(of(world, 'delete')).toEqual([]);
  });

  it('with the children to be kept keeps them although the collector was faster', () => {
    const world = deployed(3);
    world.options = { isSlow: true };
    world.remove(demoSet, 'Orphan');
    world.stabilize();
    // The mark is taken away while children still look like ours: news of them may be late.
    world.edit(demoSet, { metadata: { finalizers: ['grove.io/podcliqueset.grove.io'] } });
    world.stabilize();
    world.land();
    world.land();
    expect(of(world, 'delete')).toEqual([]);
  });

  it('in the foreground goes after its pods', () => {
    const world = deployed(3);
    world.remove(demoSet, 'Foreground');
    world.stabilize();
    expect(counts(world)['delete Pod']).toBe(6);
    expect(world.get('PodCliqueSet', 'demo')?.metadata.finalizers).toEqual(['foregroundDeletion']);
    expect(world.all('PodClique').map(({ metadata }) => metadata.finalizers)).toEqual(
      Array.from({ length: 3 }, () => ['foregroundDeletion']),
    );
    world.converge();
    expect(world.objects.size).toBe(0);
    expect(counts(world)['delete PodClique']).toBe(3);
  });

  it('leaves alone what it does not control, also under the names of its children', () => {
    const world = deployed(2);
    const foreign = [
      world.get('Service', 'demo-0'),
      world.get('PodClique', 'demo-1-worker'),
    ].filter((one) => one !== undefined);
    for (const one of foreign) world.edit(refOf(one), { metadata: { ownerReferences: null } });
    world.writes.length = 0;
    world.remove(demoSet);
    world.stabilize();
    expect(of(world, 'delete')).not.toContain('Service demo-0');
    expect(of(world, 'delete')).not.toContain('PodClique demo-1-worker');
    expect(world.get('PodCliqueSet', 'demo')).toBeUndefined();
  });

  it('leaves alone the children of an earlier set of its name', () => {
    const world = deployed(1);
    const service = world.get('Service', 'demo-0');
    const old = service?.metadata.ownerReferences?.map((owner) => ({ ...owner, uid: 'earlier' }));
    world.edit(
      { kind: 'Service', namespace: 'demo', name: 'demo-0' },
      { metadata: { ownerReferences: old ?? [] } },
    );
    world.stabilize();
    world.writes.length = 0;
    world.remove(demoSet);
    world.stabilize();
    expect(of(world, 'delete')).not.toContain('Service demo-0');
  });

  it('that comes back under its name while the old one goes is a new set', () => {
    const world = deployed(2);
    world.remove(demoSet, 'Orphan');
    world.converge();
    world.create(cliqueSet(1));
    world.stabilize();
    world.remove(demoSet);
    world.converge();
    expect(world.get('PodCliqueSet', 'demo')).toBeUndefined();
  });
});

describe('a PodClique that is deleted', () => {
  it('with the pods to be kept writes its finalizer only, and its gang lists them no more', () => {
    const world = deployed(1);
    const pods = world.all('Pod').map(({ metadata }) => metadata.uid);
    world.remove(clique, 'Orphan');
    world.stabilize();
    expect(of(world, 'patch')).toEqual([`PodClique ${clique.name}`, 'PodGang demo-0']);
    world.converge();
    expect(of(world, 'delete')).toEqual([]);
    const left = world.all('Pod').map(({ metadata }) => metadata.uid);
    expect(left).toEqual(expect.arrayContaining(pods));
  });

  it('leaves pods alone that only carry its labels', () => {
    const world = deployed(1);
    const [pod] = world.all('Pod');
    if (pod === undefined) throw new Error('no pod');
    expect(pod.metadata.labels?.[label.podClique]).toBe(clique.name);
    world.edit(refOf(pod), { metadata: { ownerReferences: null } });
    world.stabilize();
    world.writes.length = 0;
    world.remove(clique);
    world.stabilize();
    expect(of(world, 'delete')).not.toContain(`Pod ${pod.metadata.name}`);
  });
});
