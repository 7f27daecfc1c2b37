// Deleting a PodCliqueSet or a PodClique: the actors delete the children themselves, all at once,
// and let go, so that nothing is left to a slow garbage collector (decision 0009).
import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '#machines/contract/address.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';
import type { Operation } from '#machines/contract/kind.ts';
import type { Kind } from '#machines/kinds.ts';
import { at } from '#machines/kubernetes/json.ts';
import { demoSet } from '#test/support/samples.ts';
import { runPods } from '#test/support/world-life.ts';
import { counts, deployed, of } from './written.ts';

const clique = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;
const setKey = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;

const refusing =
  (code: ErrorCode, ...kinds: readonly Kind[]) =>
  (op: Operation, { kind }: ObjectRef): ErrorCode | undefined =>
    op === 'delete' && kinds.includes(kind) ? code : undefined;

describe('a PodCliqueSet that is deleted', () => {
  it('is gone with all its children at once, its pods terminate', () => {
    const world = deployed(3);
    world.remove(demoSet);
    world.stabilize();
    expect(new Set([...world.objects.values()].map(({ kind }) => kind))).toEqual(new Set(['Pod']));
    expect(world.all('Pod').every((pod) => pod.metadata.deletionTimestamp !== undefined)).toBe(
      true,
    );
    runPods(world);
    world.stabilize();
    expect(world.objects.size).toBe(0);
    expect(world.states()).toEqual([]);
  });

  it('of 500 replicas of two pods costs one delete per object and one patch per finalizer', () => {
    const world = deployed(500);
    world.remove(demoSet);
    world.stabilize();
    expect(counts(world)).toEqual({
      'delete PodClique': 500,
      'delete PodGang': 500,
      'delete Service': 500,
      'delete ServiceAccount': 1,
      'delete Role': 1,
      'delete RoleBinding': 1,
      'delete Secret': 1,
      'delete Pod': 1000,
      'patch PodClique': 500,
      'patch PodCliqueSet': 1,
    });
  });

  it('asks for all deletions before the first is answered, and keeps its finalizer till then', () => {
    const world = deployed(20);
    world.options = { isSlow: true };
    world.remove(demoSet);
    world.stabilize();
    world.land();
    expect(of(world, 'delete')).toHaveLength(20 * 3 + 4);
    expect(of(world, 'patch')).toEqual([]);
    world.land();
    expect(of(world, 'patch')).toContain('PodCliqueSet demo');
  });

  it('deletes once what is terminating already', () => {
    const world = deployed(2);
    world.edit(clique, {
      metadata: { finalizers: ['somebody/else', 'grove.io/podclique.grove.io'] },
    });
    world.remove(clique);
    world.stabilize();
    world.writes.length = 0;
    world.remove(demoSet);
    world.stabilize();
    expect(of(world, 'delete').filter((name) => name.startsWith('PodClique '))).toEqual([
      'PodClique demo-1-worker',
    ]);
    expect(world.get('PodCliqueSet', 'demo')).toBeUndefined();
  });

  it.each(['FORBIDDEN', 'INVALID', 'SERVER_ERROR'] as const)(
    'goes although deletions are answered %s; the collector takes the rest',
    (code) => {
      const world = deployed(30);
      world.options = { refuse: refusing(code, 'Service', 'Secret') };
      world.remove(demoSet);
      world.stabilize();
      expect(world.get('PodCliqueSet', 'demo')).toBeUndefined();
      expect(world.all('Service')).toHaveLength(30);
      world.options = {};
      world.converge();
      expect(world.objects.size).toBe(0);
    },
  );

  it.each(['UNREACHABLE', 'THROTTLED', 'NOT_OWNER', 'CONFLICT'] as const)(
    'waits and asks again where a deletion meets %s',
    (code) => {
      const world = deployed(2);
      world.options = { refuse: refusing(code, 'Service') };
      world.remove(demoSet);
      world.stabilize();
      expect(world.get('PodCliqueSet', 'demo')).toBeDefined();
      expect(world.why(setKey)).toEqual([
        'PodCliqueSet demo is being deleted; it goes once the deletion of Service demo-0 and 1 more is accepted',
      ]);
      world.options = {};
      world.pass(1_000);
      expect(world.get('PodCliqueSet', 'demo')).toBeUndefined();
      expect(world.all('Service')).toEqual([]);
    },
  );

  it('that somebody else still holds asks again for what was refused', () => {
    const world = deployed(1);
    const finalizers = ['grove.io/podcliqueset.grove.io', 'somebody/else'];
    world.edit(demoSet, { metadata: { finalizers } });
    world.options = { refuse: refusing('FORBIDDEN', 'Service') };
    world.remove(demoSet);
    world.stabilize();
    expect(world.get('PodCliqueSet', 'demo')?.metadata.finalizers).toEqual(['somebody/else']);
    expect(world.events.map(({ reason }) => reason)).toContain('PodCliqueDeleteFailed');
    world.options = {};
    world.pass(60_000);
    expect(world.all('Service')).toEqual([]);
    expect(of(world, 'patch')).toHaveLength(2);
  });

  it('goes on after a restart in the middle, and deletes nothing twice', () => {
    const world = deployed(10);
    world.options = { isSlow: true };
    world.remove(demoSet);
    world.stabilize();
    for (let landed = 0; landed < 15; landed++) world.land(landed * 7);
    world.options = { isSlow: false };
    world.restart();
    world.land();
    world.stabilize();
    expect([...world.objects.values()].every(({ kind }) => kind === 'Pod')).toBe(true);
    const deleted = of(world, 'delete');
    expect(new Set(deleted).size).toBe(deleted.length);
    expect(deleted).toHaveLength(10 * 3 + 4 + 20);
  });
});

describe('a PodClique that is deleted', () => {
  it('is gone at once with its pods terminating, and comes back', () => {
    const world = deployed(1);
    const [first] = world.all('PodClique');
    world.remove(clique);
    world.stabilize();
    expect(of(world, 'delete')).toHaveLength(2);
    const pods = world
      .all('Pod')
      .filter((pod) => pod.metadata.ownerReferences?.[0]?.uid === first?.metadata.uid);
    expect(pods.every((pod) => pod.metadata.deletionTimestamp !== undefined)).toBe(true);
    world.converge();
    expect(world.all('Pod')).toHaveLength(2);
    expect(at(world.get('PodCliqueSet', 'demo'), 'status', 'availableReplicas')).toBe(1);
  });

  it('goes although its pods may not be deleted', () => {
    const world = deployed(1);
    const uid = world.get('PodClique', clique.name)?.metadata.uid;
    world.options = { refuse: refusing('FORBIDDEN', 'Pod') };
    world.remove(clique);
    world.stabilize();
    expect(world.get('PodClique', clique.name)?.metadata.uid).not.toBe(uid);
    expect(world.events.map(({ reason }) => reason)).toContain('PodDeleteFailed');
  });
});

describe('scale-in', () => {
  it('takes the pods with their PodCliques, without the garbage collector', () => {
    const world = deployed(5);
    world.edit(demoSet, { spec: { replicas: 2 } });
    world.stabilize();
    expect(world.all('PodClique')).toHaveLength(2);
    expect(of(world, 'delete').filter((name) => name.startsWith('Pod '))).toHaveLength(6);
  });
});
