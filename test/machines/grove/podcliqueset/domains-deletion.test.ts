// The ComputeDomains of a PodCliqueSet that goes: by whichever way, none stays because of us.
import { describe, expect, it } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import { enrolledSet } from '#test/support/domains.ts';
import { demoSet } from '#test/support/samples.ts';
import type { World } from '#test/support/world.ts';
import { deployed, domainRef, domainsIn, reasonsIn } from './domains-sample.ts';

const finalizer = 'grove.io/computedomain-finalizer';
const worker = [{ name: 'worker' }];
const key = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;

describe('a set that is deleted', () => {
  const remove = (world: World, how: 'Background' | 'Foreground' | 'Orphan'): void => {
    world.remove(demoSet, how);
    world.converge();
  };

  it.each(['Background', 'Foreground'] as const)(
    'in the %s takes its ComputeDomains along, finalizers first (10.2 gap 11)',
    (how) => {
      const world = deployed(enrolledSet(2, 'train', worker));
      remove(world, how);
      expect(world.objects.size).toBe(0);
      expect(world.states()).toEqual([]);
    },
  );

  it('lets go of ComputeDomains that it leaves behind', () => {
    const world = deployed(enrolledSet(1, 'train', worker));
    remove(world, 'Orphan');
    expect(world.get('PodCliqueSet', 'demo')).toBeUndefined();
    expect(world.get('ComputeDomain', 'demo-0-train')?.metadata).toMatchObject({ finalizers: [] });
  });

  it('waits until it could let go of each, and says in its status why it cannot', () => {
    const world = deployed(enrolledSet(1, 'train', worker), {
      refuse: (op, { kind }) =>
        op === 'patch' && kind === 'ComputeDomain' ? 'FORBIDDEN' : undefined,
    });
    remove(world, 'Background');
    expect(at(world.get('PodCliqueSet', 'demo'), 'status', 'lastErrors')).toMatchObject([
      { code: 'ERR_DELETE_COMPUTEDOMAIN' },
    ]);
    expect(reasonsIn(world)).toContain('ComputeDomainDeleteFailed');
    expect(world.why(key)[0]).toContain('ComputeDomain demo-0-train');
    world.options = {};
    world.pass(600_000);
    world.converge();
    expect(world.objects.size).toBe(0);
  });

  it('leaves a refused deletion to the garbage collector once our finalizer is off', () => {
    const world = deployed(enrolledSet(1, 'train', worker), {
      refuse: (op, { kind }) =>
        op === 'delete' && kind === 'ComputeDomain' ? 'FORBIDDEN' : undefined,
    });
    remove(world, 'Background');
    expect(world.objects.size).toBe(0);
  });

  it('goes although a ComputeDomain is being deleted that others hold', () => {
    const world = deployed(enrolledSet(1, 'train', worker));
    world.edit(domainRef('demo-0-train'), { metadata: { finalizers: [finalizer, 'theirs/hold'] } });
    remove(world, 'Background');
    expect(world.get('PodCliqueSet', 'demo')).toBeUndefined();
    expect(world.get('ComputeDomain', 'demo-0-train')?.metadata).toMatchObject({
      finalizers: ['theirs/hold'],
    });
  });

  it('by force leaves no ComputeDomain that our finalizer holds (10.2 gap 11)', () => {
    const world = deployed(enrolledSet(1, 'train', worker));
    world.drop(demoSet);
    world.converge();
    expect(domainsIn(world)).toEqual([]);
    expect(world.states().filter((one) => one.key.kind === 'podcliqueset')).toEqual([]);
  });

  it('or cannot be acted upon holds no ComputeDomain that somebody deletes', () => {
    const world = deployed(enrolledSet(1, 'train', worker));
    world.edit(demoSet, { spec: { replicas: 1_000_000 } });
    world.remove(domainRef('demo-0-train'));
    world.converge();
    expect(domainsIn(world)).toEqual([]);
    world.edit(demoSet, { spec: { replicas: 1 } });
    world.converge();
    expect(domainsIn(world)).toEqual(['demo-0-train']);
  });

  it('makes room for the next of its name, whose ComputeDomains are new', () => {
    const world = deployed(enrolledSet(1, 'train', worker));
    const { uid } = world.get('ComputeDomain', 'demo-0-train')?.metadata ?? {};
    world.drop(demoSet);
    world.create(enrolledSet(1, 'train', worker));
    world.converge();
    expect(world.get('ComputeDomain', 'demo-0-train')?.metadata.uid).not.toBe(uid);
  });
});
