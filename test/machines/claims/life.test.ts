// The life of shared claims in a little world: when they come, when pods come, what is put right,
// when they go, and what is said while a template is missing.
import { describe, expect, it } from 'vitest';
import { at, list, text } from '#machines/json.ts';
import type { JsonObject, ObjectRef } from '#machines/objects.ts';
import { claimTemplate, outsideTemplates, sharingSet } from '#test/support/sharing.ts';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';
import type { WorldOptions } from '#test/support/world.ts';

const claimRef = (name: string): ObjectRef => ({ kind: 'ResourceClaim', namespace: 'demo', name });
const cliqueRef = (name: string): ObjectRef => ({ kind: 'PodClique', namespace: 'demo', name });
const groupRef: ObjectRef = {
  kind: 'PodCliqueScalingGroup',
  namespace: 'demo',
  name: 'demo-0-engine',
};

function worldOf(replicas = 1, options: WorldOptions = {}): World {
  const world = new World(options);
  for (const template of outsideTemplates()) world.create(template);
  world.create(sharingSet(replicas));
  return world;
}

const claimsIn = (world: World): readonly string[] =>
  world
    .all('ResourceClaim')
    .map(({ metadata }) => metadata.name)
    .toSorted();

const podAt = (world: World, hostname: string) =>
  world.all('Pod').find((pod) => text(at(pod, 'spec', 'hostname')) === hostname);

const claimsOf = (world: World, hostname: string): readonly unknown[] =>
  list(at(podAt(world, hostname), 'spec', 'resourceClaims')).map((claim) =>
    at(claim, 'resourceClaimName'),
  );

const errorsOf = (world: World, kind: ObjectRef['kind'], name: string): readonly JsonObject[] =>
  list(at(world.get(kind, name), 'status', 'lastErrors')).filter(
    (entry): entry is JsonObject => typeof entry === 'object',
  );

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
    world.settle();
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
    world.settle();
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
    world.settle();
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
    world.settle();
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
    world.remove({
      kind: 'Pod',
      namespace: 'demo',
      name: podAt(world, 'demo-0-worker-1')?.metadata.name ?? '',
    });
    world.converge();
    expect(podAt(world, 'demo-0-worker-0')).toBeDefined();
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

describe('A template that is missing', () => {
  const levels = [
    ['the set', 'PodCliqueSet', 'demo', 'ERR_SYNC_PCS_RESOURCE_CLAIM', 'podcliqueset'],
    ['a group', groupRef.kind, groupRef.name, 'ERR_SYNC_PCSG_RESOURCE_CLAIM', 'scalinggroup'],
    ['a clique', 'PodClique', 'demo-0-worker', 'ERR_SYNC_PCLQ_RESOURCE_CLAIM', 'podclique'],
  ] as const;

  it.each(levels)(
    'is told by the owner at the level of %s, and noticed when it comes',
    (...row) => {
      const [, kind, name, code, actor] = row;
      const world = new World();
      const set = sharingSet();
      const template = Object(structuredClone(set['spec'])).template;
      const shares = [
        { name: 'late', scope: 'AllReplicas' },
        { name: 'later', namespace: 'shared', scope: 'PerReplica' },
      ];
      template.resourceSharing = kind === 'PodCliqueSet' ? shares : [];
      template.podCliqueScalingGroups[0].resourceSharing = kind === groupRef.kind ? shares : [];
      template.cliques[0].resourceSharing = kind === 'PodClique' ? shares : [];
      world.create({ ...set, spec: { replicas: 1, template } });
      world.converge();
      const errors = errorsOf(world, kind, name);
      expect(errors.map((entry) => entry['code'])).toEqual([code, code]);
      expect(String(errors[1]?.['description'])).toContain('ResourceClaimTemplate shared/later');
      const why = world.why({ kind: actor, namespace: 'demo', name }).join('\n');
      expect(why).toContain('names ResourceClaimTemplate demo/late, which is not there');
      expect(world.why({ kind: actor, namespace: 'demo', name }).length).toBeGreaterThan(1);
      // What can be made is made, though another reference fails.
      world.create(claimTemplate('shared', 'later'));
      world.converge();
      expect(claimsIn(world).length).toBeGreaterThan(0);
      expect(errorsOf(world, kind, name)).toHaveLength(1);
      world.create(claimTemplate('demo', 'late'));
      world.converge();
      expect(errorsOf(world, kind, name)).toEqual([]);
      expect(world.all('Pod')).toHaveLength(6);
      expect(claimsIn(world)).toContain(`${name}-all-late`);
      // What was made needs its template no more.
      world.remove({ kind: 'ResourceClaimTemplate', namespace: 'demo', name: 'late' });
      world.restart();
      world.converge();
      expect(errorsOf(world, kind, name)).toEqual([]);
    },
  );
});

describe('A PodClique whose labels do not say where it belongs', () => {
  it.each([
    ['grove.io/podcliqueset-replica-index', 'x'],
    ['grove.io/podcliquescalinggroup-replica-index', null],
    ['grove.io/podcliquescalinggroup', 'demo-0-other'],
  ])('gets no pods: %s', (label, value) => {
    const world = worldOf(1, {
      // Nobody puts the label right.
      refuse: (op, { kind }) => (op === 'patch' && kind === 'PodClique' ? 'FORBIDDEN' : undefined),
    });
    world.converge();
    const name = 'demo-0-engine-0-leader';
    const pod = podAt(world, `${name}-0`)?.metadata.name ?? '';
    world.edit(cliqueRef(name), { metadata: { labels: { [label]: value } } });
    world.settle();
    world.drop({ kind: 'Pod', namespace: 'demo', name: pod });
    world.settle();
    expect(podAt(world, `${name}-0`)).toBeUndefined();
    expect(world.why({ kind: 'podclique', namespace: 'demo', name }).join()).toContain(
      'which claims its pods share is not known',
    );
  });
});
