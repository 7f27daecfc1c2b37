// The life of shared claims in a little world: when they come, when pods come, what is put right,
// and when they go.
import { describe, expect, it } from 'vitest';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import { outsideTemplates, sharingSet } from '#test/support/sharing.ts';
import { World } from '#test/support/world.ts';
import {
  claimRef,
  claimsIn,
  claimsOf,
  cliqueRef,
  errorsOf,
  groupRef,
  podAt,
  podRef,
  worldOf,
} from './stage.ts';

const ofOneReplica = [
  'demo-0-engine-0-card',
  'demo-0-engine-1-card',
  'demo-0-engine-all-cache',
  'demo-0-link',
  'demo-0-worker-0-card',
  'demo-0-worker-1-card',
  'demo-0-worker-all-disk',
  'demo-all-card',
];

describe('Shared claims', () => {
  it('are made before the PodCliques, members and pods that use them', () => {
    const world = worldOf(1);
    world.converge();
    expect(claimsIn(world)).toEqual(ofOneReplica);
    const created = world.writes.filter(({ op }) => op === 'create').map(({ ref }) => ref);
    const position = (name: string): number => created.findIndex((ref) => ref.name === name);
    const pairs = [
      ['demo-all-card', 'demo-0-worker'],
      ['demo-0-link', 'demo-0-engine'],
      ['demo-0-engine-all-cache', 'demo-0-engine-0-leader'],
      ['demo-0-engine-1-card', 'demo-0-engine-1-hand'],
      ['demo-0-worker-1-card', podAt(world, 'demo-0-worker-1')?.metadata.name ?? ''],
    ] as const;
    const early = pairs.filter(([claim, user]) => position(user) < position(claim));
    expect(early).toEqual([]);
  });

  it('cost one write each, and nothing when all is there or after a restart', () => {
    const world = worldOf(2);
    world.converge();
    const made = world.writes.filter(({ ref }) => ref.kind === 'ResourceClaim');
    expect(made.map(({ op }) => op)).toEqual(made.map(() => 'create'));
    expect(made).toHaveLength(claimsIn(world).length);
    world.writes.length = 0;
    world.restart();
    world.converge();
    expect(world.writes).toEqual([]);
  });

  it('are nothing to a set that shares nothing (10.1 rule 14)', () => {
    const world = new World({
      refuse: (_, { kind }) => (kind === 'ResourceClaim' ? 'NOT_FOUND' : undefined),
    });
    world.create(cliqueSet(2));
    world.converge();
    expect(world.writes.filter(({ ref }) => ref.kind === 'ResourceClaim')).toEqual([]);
    world.remove(demoSet);
    world.converge();
    expect(world.all('PodClique')).toEqual([]);
  });

  it('that cannot be made for want of the API are told, and keep no deletion (10.1 rule 14)', () => {
    const world = worldOf(1, {
      refuse: (_, { kind }) => (kind === 'ResourceClaim' ? 'NOT_FOUND' : undefined),
    });
    world.stabilize();
    world.pass(60_000);
    expect(world.all('PodClique')).toEqual([]);
    expect(errorsOf(world, 'PodCliqueSet', 'demo').map(({ code }) => code)).toContain(
      'ERR_SYNC_PCS_RESOURCE_CLAIM',
    );
    world.remove(demoSet);
    world.converge();
    expect(world.get('PodCliqueSet', 'demo')).toBeUndefined();
  });

  it('get their labels back, while spec and foreign labels stay (10.1 rule 13)', () => {
    const world = worldOf();
    world.converge();
    const label = 'grove.io/podclique-pod-index';
    const name = 'demo-0-worker-1-card';
    world.edit(claimRef(name), {
      metadata: { labels: { [label]: '7', theirs: 'yes' } },
      spec: { devices: { requests: [] } },
    });
    world.writes.length = 0;
    world.stabilize();
    expect(world.writes).toEqual([{ op: 'patch', ref: claimRef(name) }]);
    const claim = world.get('ResourceClaim', name);
    expect(claim?.metadata.labels).toMatchObject({ [label]: '1', theirs: 'yes' });
    expect(claim?.['spec']).toEqual({ devices: { requests: [] } });
  });

  it('that lost their owner get it back beside other owners (10.1 rule 13)', () => {
    const world = worldOf();
    world.converge();
    const other = { apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'other' };
    world.edit(claimRef('demo-all-card'), { metadata: { ownerReferences: [other] } });
    world.stabilize();
    expect(world.get('ResourceClaim', 'demo-all-card')?.metadata.ownerReferences).toEqual([
      other,
      expect.objectContaining({ kind: 'PodCliqueSet', name: 'demo', controller: true }),
    ]);
  });

  it('of another controller are left alone, and what needs them waits', () => {
    const world = new World();
    const foreign = { apiVersion: 'v1', kind: 'Job', name: 'x', uid: 'u', controller: true };
    for (const template of outsideTemplates()) world.create(template);
    world.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', namespace: 'demo' } });
    world.create({
      apiVersion: 'resource.k8s.io/v1',
      kind: 'ResourceClaim',
      metadata: {
        name: 'demo-all-card',
        namespace: 'demo',
        labels: { 'app.kubernetes.io/part-of': 'demo' },
        ownerReferences: [foreign],
      },
    });
    world.create(sharingSet());
    world.stabilize();
    expect(world.all('PodClique')).toEqual([]);
    expect(world.get('ResourceClaim', 'demo-all-card')?.metadata.ownerReferences).toEqual([
      foreign,
    ]);
    expect(world.why({ kind: 'podcliqueset', namespace: 'demo', name: 'demo' }).join()).toContain(
      'ResourceClaim demo-all-card belongs to Job x',
    );
  });

  it('that were deleted come back', () => {
    const world = worldOf();
    world.converge();
    for (const name of ofOneReplica) world.remove(claimRef(name));
    world.converge();
    expect(claimsIn(world)).toEqual(ofOneReplica);
  });

  it('of removed replicas go once no PodClique of them is left (10.2 gap 12)', () => {
    const world = worldOf(2);
    world.converge();
    expect(claimsIn(world)).toContain('demo-1-link');
    world.edit(cliqueRef('demo-1-worker'), {
      metadata: { finalizers: ['grove.io/podclique.grove.io', 'test/hold'] },
    });
    world.edit(demoSet, { spec: { replicas: 1 } });
    world.converge();
    expect(claimsIn(world)).toContain('demo-1-link');
    world.edit(cliqueRef('demo-1-worker'), { metadata: { finalizers: null } });
    world.converge();
    expect(claimsIn(world)).toEqual(ofOneReplica);
    world.edit(demoSet, { spec: { replicas: 2 } });
    world.converge();
    expect(claimsIn(world)).toHaveLength(15);
  });

  it('of removed group replicas go once no member of them is left (10.2 gap 12)', () => {
    const world = worldOf();
    world.converge();
    world.edit(cliqueRef('demo-0-engine-1-hand'), {
      metadata: { finalizers: ['grove.io/podclique.grove.io', 'test/hold'] },
    });
    world.edit(groupRef, { spec: { replicas: 1 } });
    world.converge();
    expect(claimsIn(world)).toContain('demo-0-engine-1-card');
    world.edit(cliqueRef('demo-0-engine-1-hand'), { metadata: { finalizers: null } });
    world.converge();
    expect(claimsIn(world)).not.toContain('demo-0-engine-1-card');
    world.edit(groupRef, { spec: { replicas: 3 } });
    world.converge();
    expect(claimsIn(world)).toContain('demo-0-engine-2-card');
    expect(claimsOf(world, 'demo-0-engine-2-leader-0')).toEqual([
      'demo-all-card',
      'demo-0-link',
      'demo-0-engine-all-cache',
      'demo-0-engine-2-card',
    ]);
  });

  it('of an index stay as long as a pod has it, and come back for it (10.2 gap 12)', () => {
    const world = worldOf();
    world.converge();
    // The pod with index 0 is the one to go: it is not ready.
    const victim = podAt(world, 'demo-0-worker-0')?.metadata.name ?? '';
    world.setPodStatus(victim, { phase: 'Pending', conditions: [] });
    world.edit(cliqueRef('demo-0-worker'), { spec: { replicas: 1 } });
    world.converge();
    expect(podAt(world, 'demo-0-worker-0')).toBeUndefined();
    expect(podAt(world, 'demo-0-worker-1')).toBeDefined();
    expect(claimsIn(world)).toEqual(ofOneReplica);
    world.remove(claimRef('demo-0-worker-1-card'));
    world.converge();
    expect(claimsIn(world)).toEqual(ofOneReplica);
    world.remove(podRef(podAt(world, 'demo-0-worker-1')?.metadata.name ?? ''));
    world.converge();
    expect(podAt(world, 'demo-0-worker-0')).toBeDefined();
    expect(claimsIn(world)).toEqual(ofOneReplica.filter((name) => name !== 'demo-0-worker-1-card'));
  });

  it('of an index that only a terminating pod has stay, but do not come back', () => {
    const world = worldOf();
    world.converge();
    const victim = podAt(world, 'demo-0-worker-1')?.metadata.name ?? '';
    world.setPodStatus(victim, { phase: 'Pending', conditions: [] });
    world.edit(cliqueRef('demo-0-worker'), { spec: { replicas: 1 } });
    world.stabilize();
    expect(world.get('Pod', victim)?.metadata.deletionTimestamp).toBeDefined();
    expect(claimsIn(world)).toEqual(ofOneReplica);
    world.remove(claimRef('demo-0-worker-1-card'));
    world.writes.length = 0;
    world.stabilize();
    expect(world.writes).toEqual([]);
    world.drop(podRef(victim));
    world.converge();
    expect(claimsIn(world)).toEqual(ofOneReplica.filter((name) => name !== 'demo-0-worker-1-card'));
  });

  it('go with their owners', () => {
    const world = worldOf();
    world.converge();
    world.remove(demoSet);
    world.converge();
    expect(claimsIn(world)).toEqual([]);
  });
});
