// Who owns what a PodCliqueSet makes, and which finalizers there are (spec controllers 0.1, api 1.8
// and 5.3): of every kind, in a set that has them all.
import { describe, expect, it } from 'vitest';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { gpuContainer } from '#test/support/domains.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';

const world = new World();
const podSpec = { containers: [gpuContainer(1)] };
const shared = [{ name: 'card', scope: 'AllReplicas' }];
const given = cliqueSet(
  1,
  [
    { name: 'front', replicas: 1 },
    { name: 'hand', replicas: 1, podSpec },
  ],
  {
    podCliqueScalingGroups: [
      {
        name: 'engine',
        cliqueNames: ['hand'],
        replicas: 2,
        minAvailable: 1,
        scaleConfig: { maxReplicas: 3 },
        resourceSharing: shared,
      },
    ],
    resourceClaimTemplates: [{ name: 'card', templateSpec: { spec: { devices: {} } } }],
    resourceSharing: shared,
  },
);
const annotations = { 'grove.io/mnnvl-group': 'rack' };
world.create({ ...given, metadata: { ...given.metadata, annotations } });
world.converge();

const all = [...world.objects.values()].filter(({ kind }) => kind !== 'PodCliqueSet');
const wordOf = (one: KubeObject): string =>
  `${one.kind} ${controllerOf(one)?.kind} ${controllerOf(one)?.name}`;

describe('everything that a set makes', () => {
  it('has one owner, which controls it and does not go before it', () => {
    const { uid } = world.get('PodCliqueSet', 'demo')?.metadata ?? {};
    const uids = new Set([uid, ...all.map(({ metadata }) => metadata.uid)]);
    for (const one of all) {
      const [owner, ...others] = one.metadata.ownerReferences ?? [];
      const { apiVersion, controller, blockOwnerDeletion } = owner ?? {};
      expect([wordOf(one), apiVersion, controller, blockOwnerDeletion, ...others]).toEqual([
        wordOf(one),
        'grove.io/v1alpha1',
        true,
        true,
      ]);
      expect(uids).toContain(controllerOf(one)?.uid);
    }
  });

  it('is owned by the set, but for members, their pods, and what belongs to a group', () => {
    const ofOthers = all.filter((one) => controllerOf(one)?.kind !== 'PodCliqueSet');
    expect([...new Set(ofOthers.map(wordOf))].toSorted()).toEqual([
      'Pod PodClique demo-0-engine-0-hand',
      'Pod PodClique demo-0-engine-1-hand',
      'Pod PodClique demo-0-front',
      'PodClique PodCliqueScalingGroup demo-0-engine',
      'ResourceClaim PodCliqueScalingGroup demo-0-engine',
    ]);
    const kinds = new Set(all.map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual([
      'ComputeDomain',
      'HorizontalPodAutoscaler',
      'Pod',
      'PodClique',
      'PodCliqueScalingGroup',
      'PodGang',
      'ResourceClaim',
      'Role',
      'RoleBinding',
      'Secret',
      'Service',
      'ServiceAccount',
    ]);
  });

  it('has a finalizer of ours only where an actor or a set must let it go', () => {
    const held = [...world.objects.values()].flatMap(({ kind, metadata }) =>
      (metadata.finalizers ?? []).map((name) => `${kind} ${name}`),
    );
    expect([...new Set(held)].toSorted()).toEqual([
      'ComputeDomain grove.io/computedomain-finalizer',
      'PodClique grove.io/podclique.grove.io',
      'PodCliqueScalingGroup grove.io/podcliquescalinggroup.grove.io',
      'PodCliqueSet grove.io/podcliqueset.grove.io',
    ]);
  });

  it('leaves a Role and a RoleBinding as they are once they are there', () => {
    const name = 'grove.io:pcs:demo';
    const writes = world.writes.length;
    world.edit({ kind: 'Role', namespace: 'demo', name }, { rules: [] });
    world.edit({ kind: 'RoleBinding', namespace: 'demo', name }, { subjects: [] });
    world.converge();
    expect(world.writes).toHaveLength(writes);
  });
});
