// Labels and annotations of everything that a PodCliqueSet makes, object by object as the tables of
// spec api 5.1 and 5.2 have them, and who wins where a template or a set uses the same keys.
import { describe, expect, it } from 'vitest';
import { baseLabels } from '#machines/grove/objects/labels.ts';
import type { Kind } from '#machines/kinds.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueSet, groupedSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';

function deployed(body: KubeObject): World {
  const world = new World();
  world.create(body);
  world.converge();
  return world;
}

const base = baseLabels('demo');
const labelled = (world: World, kind: Kind, name: string): unknown => {
  const labels = { ...world.get(kind, name)?.metadata.labels };
  // Opaque.
  delete labels['grove.io/pod-template-hash'];
  return labels;
};

const named = (name: string, part: string, more: Record<string, string> = {}) => ({
  ...base,
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/component': part,
  ...more,
});
const ofReplica = { 'grove.io/podcliqueset-replica-index': '0' };
const ofMember = (index: string, gang: string, role: string) => ({
  ...ofReplica,
  role,
  'grove.io/podcliquescalinggroup': 'demo-0-engine',
  'grove.io/podcliquescalinggroup-replica-index': index,
  'grove.io/podgang': gang,
});

describe('the labels (spec api 5.1)', () => {
  const world = deployed(groupedSet(1));

  it('of Service, ServiceAccount, Role, RoleBinding and Secret name the object and its part', () => {
    const role = 'grove.io:pcs:demo';
    const roleName = 'grove.io-pcs-demo';
    expect(labelled(world, 'Service', 'demo-0')).toEqual(
      named('demo-0', 'pcs-headless-service', ofReplica),
    );
    expect(labelled(world, 'ServiceAccount', 'demo')).toEqual(named('demo', 'pod-service-account'));
    expect(labelled(world, 'Role', role)).toEqual(named(roleName, 'pod-role'));
    expect(labelled(world, 'RoleBinding', role)).toEqual(named(roleName, 'pod-role-binding'));
    expect(labelled(world, 'Secret', 'demo-ic-sat')).toEqual(
      named('demo-ic-sat', 'pod-sa-token-secret'),
    );
  });

  it('of PodCliques tell standalone ones, members, and members of scaled gangs apart', () => {
    expect(labelled(world, 'PodClique', 'demo-0-worker')).toEqual(
      named('demo-0-worker', 'pcs-podclique', {
        ...ofReplica,
        role: 'worker',
        'grove.io/podgang': 'demo-0',
      }),
    );
    expect(labelled(world, 'PodClique', 'demo-0-engine-0-hand')).toEqual(
      named('demo-0-engine-0-hand', 'pcsg-podclique', ofMember('0', 'demo-0', 'hand')),
    );
    expect(labelled(world, 'PodClique', 'demo-0-engine-1-hand')).toEqual(
      named('demo-0-engine-1-hand', 'pcsg-podclique', {
        ...ofMember('1', 'demo-0-engine-0', 'hand'),
        'grove.io/base-podgang': 'demo-0',
      }),
    );
    expect(labelled(world, 'PodCliqueScalingGroup', 'demo-0-engine')).toEqual(
      named('demo-0-engine', 'pcs-podcliquescalinggroup', ofReplica),
    );
  });

  it('of a pod are those of its PodClique, with that and the index of the pod', () => {
    const pods = world.all('Pod').filter(({ metadata }) => metadata.name.includes('engine-1-hand'));
    expect(pods.map(({ metadata }) => metadata.labels)).toEqual(
      ['0', '1'].map((index) => ({
        ...world.get('PodClique', 'demo-0-engine-1-hand')?.metadata.labels,
        'grove.io/podclique': 'demo-0-engine-1-hand',
        'grove.io/podclique-pod-index': index,
      })),
    );
  });

  it('of a PodGang mirror those of the set, and have no name and no replica', () => {
    expect(labelled(world, 'PodGang', 'demo-0-engine-0')).toEqual({
      ...base,
      team: 'blue',
      'app.kubernetes.io/component': 'podgang',
      'grove.io/scheduler-name': 'default-scheduler',
    });
  });
});

/** Every key that the tables have, with a value that is nobody's. */
const hostile = Object.fromEntries(
  [
    'app.kubernetes.io/managed-by',
    'app.kubernetes.io/part-of',
    'app.kubernetes.io/name',
    'app.kubernetes.io/component',
    'grove.io/podcliqueset-replica-index',
    'grove.io/podclique',
    'grove.io/podclique-pod-index',
    'grove.io/podgang',
    'grove.io/base-podgang',
    'grove.io/podcliquescalinggroup',
    'grove.io/podcliquescalinggroup-replica-index',
    'grove.io/pod-template-hash',
    'grove.io/scheduler-name',
  ].map((key) => [key, 'x']),
);

describe('where a template or a set uses our keys', () => {
  const withLabels = (body: KubeObject, labels: Record<string, string>): KubeObject => {
    const copy = structuredClone(body);
    for (const clique of Object(copy['spec']).template.cliques)
      Object.assign(clique.labels, labels);
    return copy;
  };

  it('PodCliques and pods have ours, and come up as without', () => {
    const plain = deployed(groupedSet(1));
    const world = deployed(withLabels(groupedSet(1), { ...hostile, mine: 'y' }));
    for (const kind of ['PodClique', 'Pod'] as const) {
      const labels = (one: World) =>
        one
          .all(kind)
          .map(({ metadata }) => {
            const { 'grove.io/pod-template-hash': hash, ...others } = metadata.labels ?? {};
            expect(hash).not.toBe('x');
            return others;
          })
          .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
      const expected = labels(plain).map((one) => expect.objectContaining({ ...one, mine: 'y' }));
      expect(labels(world)).toEqual(expected);
      for (const one of labels(world)) {
        expect(Object.entries(one).filter(([, value]) => value === 'x')).toEqual([
          // Says nothing on these kinds, and is the user's.
          ['grove.io/scheduler-name', 'x'],
        ]);
      }
    }
    const ready = world.all('Pod').filter(({ status }) => Object(status).phase === 'Running');
    expect(ready).toHaveLength(plain.all('Pod').length);
  });

  it('a PodGang has ours, but for the name, which is mirrored', () => {
    const body = cliqueSet(1);
    const world = deployed({ ...body, metadata: { ...body.metadata, labels: hostile } });
    expect(labelled(world, 'PodGang', 'demo-0')).toEqual({
      ...base,
      'app.kubernetes.io/name': 'x',
      'app.kubernetes.io/component': 'podgang',
      'grove.io/scheduler-name': 'default-scheduler',
    });
  });
});

describe('the scheduler that a PodGang names', () => {
  const named = (...schedulers: readonly string[]): unknown => {
    const cliques = schedulers.map((schedulerName, index) => {
      const podSpec: JsonObject = { schedulerName, containers: [{ name: 'main', image: 'x' }] };
      return { name: `c${index}`, replicas: 1, podSpec };
    });
    const gang = deployed(cliqueSet(1, cliques)).get('PodGang', 'demo-0');
    return gang?.metadata.labels?.['grove.io/scheduler-name'];
  };

  it('is the first that a clique names, or else the default one, also for an unknown one', () => {
    expect(named('', 'kai-scheduler')).toBe('kai-scheduler');
    expect(named('', '')).toBe('default-scheduler');
    expect(named('their-scheduler')).toBe('default-scheduler');
  });
});

describe('the annotations (spec api 5.2)', () => {
  it('of a clique go to its PodClique and pods without the name of a topology', () => {
    const body = structuredClone(cliqueSet(1));
    const [clique] = Object(body['spec']).template.cliques;
    clique.annotations = { mine: 'y', 'grove.io/topology-name': 'x' };
    const world = deployed(body);
    const { 'grove.io/podcliqueset-generation-hash': hash, ...others } =
      world.get('PodClique', 'demo-0-worker')?.metadata.annotations ?? {};
    expect(hash).toBeTruthy();
    const lists = { 'grove.io/template-labels': 'role', 'grove.io/template-annotations': 'mine' };
    expect(others).toEqual({ mine: 'y', ...lists });
    expect(world.all('Pod')[0]?.metadata.annotations).toEqual({ mine: 'y' });
  });

  it('of a set go to its PodGangs without ours, and are gone where there are none', () => {
    const body = cliqueSet(1);
    const annotations = { mine: 'y', 'grove.io/reconcile-trigger': '1', 'grove.io/other': 'z' };
    const world = deployed({ ...body, metadata: { ...body.metadata, annotations } });
    const lists = { 'grove.io/template-labels': 'team', 'grove.io/template-annotations': 'mine' };
    expect(world.get('PodGang', 'demo-0')?.metadata.annotations).toEqual({ mine: 'y', ...lists });
    expect(world.get('Service', 'demo-0')?.metadata.annotations).toBeUndefined();
    const bare = deployed(cliqueSet(1)).get('PodGang', 'demo-0')?.metadata.annotations;
    expect(bare).toEqual({ 'grove.io/template-labels': 'team' });
  });
});
