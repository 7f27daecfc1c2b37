// What keeps shared claims from being made or handed to pods is told by the owner at whose level it
// is, and over as soon as its cause is.
import { describe, expect, it } from 'vitest';
import { claimTemplate, sharingSet } from '#test/support/sharing.ts';
import { World } from '#test/support/world.ts';
import { claimsIn, cliqueRef, errorsOf, groupRef, podAt, worldOf } from './stage.ts';

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
      const sharedClaims = [
        { name: 'late', scope: 'AllReplicas' },
        { name: 'later', namespace: 'shared', scope: 'PerReplica' },
      ];
      template.resourceSharing = kind === 'PodCliqueSet' ? sharedClaims : [];
      template.podCliqueScalingGroups[0].resourceSharing =
        kind === groupRef.kind ? sharedClaims : [];
      template.cliques[0].resourceSharing = kind === 'PodClique' ? sharedClaims : [];
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
    world.stabilize();
    world.drop({ kind: 'Pod', namespace: 'demo', name: pod });
    world.stabilize();
    expect(podAt(world, `${name}-0`)).toBeUndefined();
    expect(world.why({ kind: 'podclique', namespace: 'demo', name }).join()).toContain(
      'which claims its pods share is not known',
    );
  });
});
