// Children of a ComputeDomain that is not there: they go at once, but for what a view may not know
// yet, and nothing that has a domain is touched.
import { describe, expect, it } from 'vitest';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import {
  childOf,
  domainRef,
  labelledNode,
  labelOfDomain,
  labelsOf,
  mesh,
} from '#test/support/nvidia.ts';
import { NvidiaWorld } from '#test/support/nvidia-world.ts';
import type { NvidiaOptions } from '#test/support/nvidia-world.ts';

const uid = 'uid-lost';
const names = { namespace: 'driver', name: `computedomain-daemon-${uid}` };
const daemonSet = childOf('DaemonSet', names, labelsOf(uid));
const ofDaemons = childOf('ResourceClaimTemplate', names, labelsOf(uid, 'Daemon'));
const ofWorkload = childOf(
  'ResourceClaimTemplate',
  { namespace: 'demo', name: 'channels' },
  labelsOf(uid, 'Workload'),
);

function found(objects: readonly KubeObject[], options: NvidiaOptions = {}): NvidiaWorld {
  const world = new NvidiaWorld(options);
  for (const one of objects) world.create(one);
  return world.stabilize();
}

const left = (world: NvidiaWorld): readonly string[] =>
  [...world.objects.values()].map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe('A child without a ComputeDomain', () => {
  it('Q-27: is deleted, and let go as soon as that is seen', () => {
    const world = found([daemonSet, ofDaemons, ofWorkload]);
    expect(left(world)).toEqual([]);
    expect(world.writes.toSorted()).toEqual(
      [
        `DomainDaemonSet ${names.name}`,
        `DomainClaimTemplate ${names.name}`,
        'DomainClaimTemplate channels',
      ]
        .flatMap((one) => [`delete ${one}`, `patch ${one}`])
        .toSorted(),
    );
    expect(world.lists.map(({ kind, labels }) => [kind, labels])).toEqual(
      Array.from({ length: 3 }, () => ['ComputeDomain', {}]),
    );
  });

  it('that is being deleted already is let go, and keeps the finalizers of others', () => {
    const world = new NvidiaWorld({ list: 'isSlow' });
    const { metadata } = world.create(daemonSet);
    const ref = { kind: 'DomainDaemonSet', namespace: 'driver', name: metadata.name } as const;
    world.edit(ref, { metadata: { finalizers: ['theirs', labelOfDomain] } });
    world.remove(ref);
    world.options = {};
    world.stabilize();
    expect(world.find('DomainDaemonSet', metadata.name)?.metadata.finalizers).toEqual(['theirs']);
    expect(world.why('domaindaemonset', metadata.name, 'driver')).toEqual([
      `DaemonSet driver/${metadata.name} is being deleted; ` +
        'it is held by finalizer theirs (whoever set it must take it off)',
    ]);
  });

  it('HC-54, HC-56: which is a node, loses the label alone', () => {
    const world = found([labelledNode('a', uid)]);
    expect(world.find('DomainNode', 'a')?.metadata.labels).toEqual({
      'kubernetes.io/hostname': 'a',
    });
    expect(world.writes).toEqual(['patch DomainNode a']);
    expect(world.snapshotOf({ kind: 'domainnode', namespace: '', name: 'a' })).toBeUndefined();
  });

  it('is left alone outside the namespaces of the driver, but for what a workload has', () => {
    const elsewhere = { namespace: 'demo', name: 'theirs' };
    const world = found([
      childOf('DaemonSet', elsewhere, labelsOf(uid)),
      childOf('ResourceClaimTemplate', elsewhere, labelsOf(uid, 'Daemon')),
      childOf('ResourceClaimTemplate', { namespace: 'driver', name: 'other' }, labelsOf(uid)),
      ofWorkload,
    ]);
    expect(left(world)).toEqual([
      'DaemonSet theirs',
      'ResourceClaimTemplate theirs',
      'ResourceClaimTemplate other',
    ]);
    expect(world.why('domaindaemonset', 'theirs')).toEqual([
      'it is in no namespace of the driver, or for nothing that we know, so it is left alone',
    ]);
  });

  it('has an Event where it cannot be deleted', () => {
    const world = found([daemonSet], { refuse: () => 'FORBIDDEN' });
    expect(world.events.map(({ reason, regarding }) => [reason, regarding.kind])).toEqual([
      ['ComputeDomainChildFailed', 'DomainDaemonSet'],
    ]);
    expect(world.why('domaindaemonset', names.name, 'driver')[0]).toMatch(/delete refused/);
  });
});

describe('A child of which no domain is known', () => {
  it('HC-61: is not touched where a live list finds the domain', () => {
    const world = new NvidiaWorld({ hides: ({ kind }) => kind === 'ComputeDomain' });
    const { metadata } = world.create(mesh());
    world.create(labelledNode('a', metadata.uid ?? ''));
    world.create(childOf('DaemonSet', { namespace: 'driver', name: 'd' }, labelsOf('uid-1')));
    world.stabilize();
    expect(world.lists).toHaveLength(1);
    expect(world.writes.filter((write) => write.startsWith('delete'))).toEqual([]);
    expect(world.find('DomainNode', 'a')?.metadata.labels?.[labelOfDomain]).toBe('uid-1');
    expect(world.why('domainnode', 'a', '')).toEqual(['ComputeDomain demo/mesh looks after it']);
  });

  it('HC-61: is looked for anew at each loss of the domain', () => {
    const world = new NvidiaWorld();
    world.create(mesh());
    world.create(labelledNode('a', 'uid-1'));
    world.stabilize();
    const before = [...left(world)];
    for (const lists of [1, 2]) {
      world.lose(domainRef);
      expect(world.lists).toHaveLength(lists);
      expect(world.writes.filter((write) => write.startsWith('delete'))).toEqual([]);
      expect(world.find('DomainNode', 'a')?.metadata.labels?.[labelOfDomain]).toBe('uid-1');
    }
    expect(left(world)).toEqual(before);
  });

  it('HC-61: is not touched while no list succeeds, which is asked for after each pause', () => {
    const world = found([labelledNode('a', uid)], { list: 'fails' });
    expect(world.why('domainnode', 'a', '')).toEqual([
      'no ComputeDomain with its UID is known, and listing all of them failed: no answer',
    ]);
    for (let pause = 0; pause < 5; pause++) world.pass(1_000);
    expect(world.lists).toHaveLength(6);
    expect(new Set(world.lists.map(({ id }) => id)).size).toBe(1);
    expect(world.writes).toEqual([]);
    world.options = {};
    world.pass(60_000);
    expect(world.writes).toEqual(['patch DomainNode a']);
  });

  it('is looked for by one list, however late it is answered', () => {
    const world = found([labelledNode('a', uid)], { list: 'isSlow' });
    expect(world.why('domainnode', 'a', '')).toEqual([
      'no ComputeDomain with its UID is known; a list of all of them is awaited',
    ]);
    const ref = { kind: 'DomainNode', namespace: '', name: 'a' } as const;
    for (const size of ['large', 'small']) {
      world.edit(ref, { metadata: { labels: { size } } });
      world.pass(300_000);
    }
    expect(world.lists).toHaveLength(1);
    expect(world.writes).toEqual([]);
    world.answer();
    expect(world.writes).toEqual(['patch DomainNode a']);
  });

  it('HC-61: is not touched after a list from before the domain was lost once more', () => {
    const world = new NvidiaWorld({ list: 'isSlow' });
    world.create(mesh());
    world.create(labelledNode('a', 'uid-1'));
    world.stabilize();
    world.lose(domainRef);
    world.edit(domainRef, { metadata: { labels: { seen: 'again' } } });
    world.stabilize();
    expect(world.why('domainnode', 'a', '')).toEqual(['ComputeDomain demo/mesh looks after it']);
    world.lose(domainRef);
    const sent = world.lists.length;
    for (let list = 0; list < sent / 2; list++) world.answer({ isOld: true });
    expect(world.why('domainnode', 'a', '')).toEqual([
      'no ComputeDomain with its UID is known; a list of all of them is awaited',
    ]);
    expect(world.writes.filter((write) => write.startsWith('delete'))).toEqual([]);
    world.answer();
    expect(world.why('domainnode', 'a', '')).toEqual(['ComputeDomain demo/mesh looks after it']);
  });

  it('is looked for anew when its label names another', () => {
    const world = found([labelledNode('a', uid)], { list: 'isSlow' });
    const ref = { kind: 'DomainNode', namespace: '', name: 'a' } as const;
    world.edit(ref, { metadata: { labels: { [labelOfDomain]: 'uid-other' } } });
    world.stabilize();
    expect(new Set(world.lists.map(({ id }) => id)).size).toBe(2);
  });
});

describe('A child of a ComputeDomain', () => {
  it('is its own matter, also while it is being deleted', () => {
    const world = new NvidiaWorld();
    world.create(mesh());
    world.create(labelledNode('a', 'uid-1'));
    world.stabilize();
    expect(world.lists).toEqual([]);
    world.options = { refuse: (_, { kind }) => (kind === 'DomainNode' ? 'FORBIDDEN' : undefined) };
    world.remove(domainRef);
    world.stabilize();
    expect(world.events.map(({ regarding }) => regarding.kind)).toEqual(['ComputeDomain']);
    expect(world.lists).toEqual([]);
  });

  it('HC-57: goes where somebody takes the domain away by force', () => {
    const world = new NvidiaWorld();
    world.create(mesh());
    world.create(labelledNode('a', 'uid-1'));
    world.stabilize();
    world.drop(domainRef);
    world.stabilize();
    expect(left(world)).toEqual(['Node a']);
    expect(world.find('DomainNode', 'a')?.metadata.labels).toEqual({
      'kubernetes.io/hostname': 'a',
    });
  });
});
