// The ComputeDomains of a PodCliqueSet that lives: which there are, and what pods get of them.
import { describe, expect, it } from 'vitest';
import { readSet } from '#machines/grove/objects/podcliqueset.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { enrolledSet, gpuContainer, groupKey } from '#test/support/domains.ts';
import type { EnrolledClique, EnrolledGroup } from '#test/support/domains.ts';
import { cliqueSet, demoSet, groupedSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';
import { deployed, domainRef, domainsIn, reasonsIn } from './domains-sample.ts';

const finalizer = 'grove.io/computedomain-finalizer';
const worker: readonly EnrolledClique[] = [{ name: 'worker' }];
const key = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;

const scale = (world: World, replicas: number): void => {
  world.edit(demoSet, { spec: { replicas } });
  world.converge();
};
/** Template of the claim of each PodClique's pods. */
const claims = (world: World): Record<string, string> =>
  Object.fromEntries(
    world
      .all('PodClique')
      .flatMap((clique) =>
        list(at(clique, 'spec', 'podSpec', 'resourceClaims')).map((claim) => [
          clique.metadata.name,
          text(at(claim, 'resourceClaimTemplateName')),
        ]),
      ),
  );

describe('the ComputeDomains of a set', () => {
  it('have a claim template in the channel, a number of nodes and a finalizer (rule 55)', () => {
    const world = deployed(enrolledSet(2, 'train', worker));
    expect(domainsIn(world)).toEqual(['demo-0-train', 'demo-1-train']);
    const one = world.get('ComputeDomain', 'demo-1-train');
    expect(one).toMatchObject({
      apiVersion: 'resource.nvidia.com/v1beta1',
      metadata: { finalizers: [finalizer], ownerReferences: [{ name: 'demo', controller: true }] },
      spec: { channel: { resourceClaimTemplate: { name: 'demo-1-train' } }, numNodes: 0 },
    });
    expect(one?.metadata.labels).toEqual({
      'app.kubernetes.io/managed-by': 'grove-operator',
      'app.kubernetes.io/part-of': 'demo',
      'app.kubernetes.io/name': 'demo-1-train',
      'app.kubernetes.io/component': 'pcs-computedomain',
      'grove.io/podcliqueset-replica-index': '1',
      [groupKey]: 'train',
    });
    expect(reasonsIn(world)).toEqual(['ComputeDomainCreateSuccessful']);
    expect(world.events.at(-1)).toBeDefined();
    expect(at(world.get('PodCliqueSet', 'demo'), 'status', 'observedGeneration')).toBe(1);
  });

  it('are told of in one sentence, however many there are and however long it takes', () => {
    const world = new World({ isSlow: true });
    world.create(enrolledSet(20, 'train', worker));
    world.stabilize();
    const landed = (): void => {
      for (let round = 0; round < 500; round++) world.land(round * 7);
    };
    const notes = (): string[] =>
      world.events.filter(({ reason }) => reason.startsWith('Comp')).map(({ note }) => note);
    landed();
    expect(notes()).toEqual([expect.stringMatching(/^created ComputeDomain \S+ and 19 more$/)]);
    world.edit(demoSet, { spec: { replicas: 0 } });
    landed();
    expect(notes().slice(1)).toEqual([
      expect.stringMatching(/^deleted ComputeDomain \S+ and 19 more$/),
    ]);
  });

  it('are created before the PodCliques whose pods need them, by one write each', () => {
    const { writes } = deployed(enrolledSet(1, 'train', worker));
    const made = writes.filter(({ op }) => op === 'create').map(({ ref: { kind } }) => kind);
    expect(made.indexOf('ComputeDomain')).toBeLessThan(made.indexOf('PodClique'));
    expect(writes.filter(({ ref: { kind } }) => kind === 'ComputeDomain')).toHaveLength(1);
  });

  it('are one for each group and replica, by the layers of the annotation', () => {
    const cliques = [
      { name: 'own', group: 'solo' },
      { name: 'set' },
      { name: 'out', group: 'none' },
      { name: 'cpu', podSpec: { containers: [{ name: 'main', image: 'x' }] } },
      { name: 'first' },
      { name: 'second', group: 'none' },
    ];
    const pack = { cliqueNames: ['first', 'second'], group: 'packed' };
    const world = deployed(enrolledSet(1, 'train', cliques, pack));
    expect(domainsIn(world)).toEqual(['demo-0-packed', 'demo-0-solo', 'demo-0-train']);
    expect(claims(world)).toEqual({
      'demo-0-own': 'demo-0-solo',
      'demo-0-set': 'demo-0-train',
      'demo-0-pack-0-first': 'demo-0-packed',
      'demo-0-pack-1-first': 'demo-0-packed',
    });
    const inherited = deployed(enrolledSet(1, 'train', cliques, { cliqueNames: ['first'] }));
    expect(claims(inherited)).toMatchObject({ 'demo-0-pack-1-first': 'demo-0-train' });
    const opted = deployed(enrolledSet(1, 'train', cliques, { ...pack, group: 'none' }));
    expect(domainsIn(opted)).toEqual(['demo-0-solo', 'demo-0-train']);
  });

  it('are none, and nothing is written for them, in sets without groups or GPUs', () => {
    const bare = { containers: [{ name: 'main', image: 'x' }] };
    for (const body of [
      groupedSet(2),
      enrolledSet(2, undefined, worker),
      enrolledSet(2, 'none', worker),
      enrolledSet(2, 'train', [{ name: 'worker', podSpec: bare }]),
    ]) {
      const world = deployed(body);
      expect(domainsIn(world)).toEqual([]);
      expect(world.writes.filter(({ ref: { kind } }) => kind === 'ComputeDomain')).toEqual([]);
      expect(claims(world)).toEqual({});
    }
  });

  it('go with their replica, and with a set that is scaled to 0 (10.2 gap 11)', () => {
    const world = deployed(enrolledSet(3, 'train', worker));
    scale(world, 1);
    expect(domainsIn(world)).toEqual(['demo-0-train']);
    scale(world, 0);
    expect(domainsIn(world)).toEqual([]);
    expect(at(world.get('PodCliqueSet', 'demo'), 'status', 'observedGeneration')).toBe(3);
    const gone = world.writes.filter(({ ref: { kind } }) => kind === 'ComputeDomain').slice(3);
    expect(gone.map(({ op }) => op)).toEqual([
      'patch',
      'patch',
      'delete',
      'delete',
      'patch',
      'delete',
    ]);
    expect(new Set(reasonsIn(world))).toEqual(
      new Set(['ComputeDomainCreateSuccessful', 'ComputeDomainDeleteSuccessful']),
    );
    scale(world, 2);
    expect(domainsIn(world)).toEqual(['demo-0-train', 'demo-1-train']);
  });

  it('go when no clique is in their group any more', () => {
    const world = deployed(enrolledSet(1, 'train', worker));
    world.edit(demoSet, { metadata: { annotations: { [groupKey]: 'other' } } });
    world.converge();
    expect(domainsIn(world)).toEqual(['demo-0-other']);
  });

  it('come back when somebody deletes one, and wait for whoever else holds it', () => {
    const world = deployed(enrolledSet(1, 'train', worker));
    const theirs = 'resource.nvidia.com/computeDomain';
    world.edit(domainRef('demo-0-train'), { metadata: { finalizers: [finalizer, theirs] } });
    const { uid } = world.get('ComputeDomain', 'demo-0-train')?.metadata ?? {};
    world.remove(domainRef('demo-0-train'));
    world.converge();
    expect(world.get('ComputeDomain', 'demo-0-train')?.metadata).toMatchObject({
      uid,
      finalizers: [theirs],
    });
    world.setPodStatus(world.all('Pod')[0]?.metadata.name ?? '', { phase: 'Pending' });
    world.stabilize();
    expect(world.why(key).join('\n')).toContain(
      `waiting for the old ComputeDomain demo-0-train to go, held by ${theirs}`,
    );
    world.edit(domainRef('demo-0-train'), { metadata: { finalizers: [] } });
    world.converge();
    const after = world.get('ComputeDomain', 'demo-0-train')?.metadata;
    expect(after?.uid).not.toBe(uid);
    expect(after?.finalizers).toEqual([finalizer]);
    expect(after?.deletionTimestamp).toBeUndefined();
  });

  it('are never changed once they are there, whatever others do to them', () => {
    const world = deployed(enrolledSet(1, 'train', worker));
    const writes = world.writes.length;
    world.edit(domainRef('demo-0-train'), {
      metadata: { labels: { theirs: 'x' }, finalizers: [finalizer, 'theirs/hold'] },
      status: { status: 'Ready' },
    });
    world.converge();
    expect(world.writes).toHaveLength(writes);
    scale(world, 0);
    expect(world.get('ComputeDomain', 'demo-0-train')?.metadata.finalizers).toEqual([
      'theirs/hold',
    ]);
  });

  it('of a name that somebody else has are told as an error, and follow when it is free', () => {
    const world = new World();
    world.create({
      apiVersion: 'resource.nvidia.com/v1beta1',
      kind: 'ComputeDomain',
      metadata: { name: 'demo-0-train', namespace: 'demo' },
    });
    world.create(enrolledSet(1, 'train', worker));
    world.converge();
    const status = at(world.get('PodCliqueSet', 'demo'), 'status');
    expect(at(status, 'lastErrors')).toMatchObject([{ code: 'ERR_SYNC_COMPUTEDOMAIN' }]);
    expect(at(status, 'observedGeneration')).toBeUndefined();
    expect(reasonsIn(world)).toEqual(['ComputeDomainCreateFailed']);
    expect(world.all('Pod')).toHaveLength(1);
    world.remove(domainRef('demo-0-train'));
    world.pass(120_000);
    world.converge();
    expect(at(world.get('PodCliqueSet', 'demo'), 'status', 'lastErrors')).toBeUndefined();
    expect(world.get('ComputeDomain', 'demo-0-train')?.metadata.finalizers).toEqual([finalizer]);
  });
});

describe('the pod spec of a PodClique', () => {
  it('has the claim by the annotation alone, in the containers that ask for GPUs', () => {
    const podSpec = { containers: [gpuContainer(), { name: 'log', image: 'x' }] };
    const world = deployed(enrolledSet(1, undefined, [{ name: 'worker', group: 'g', podSpec }]));
    const expected = {
      resourceClaims: [{ name: 'mnnvl-claim', resourceClaimTemplateName: 'demo-0-g' }],
      containers: [{ resources: { claims: [{ name: 'mnnvl-claim' }] } }, { name: 'log' }],
    };
    expect(at(world.get('PodClique', 'demo-0-worker'), 'spec', 'podSpec')).toMatchObject(expected);
    expect(at(world.all('Pod')[0], 'spec')).toMatchObject(expected);
  });

  it('keeps a claim of that name that the user made', () => {
    const podSpec = {
      resourceClaims: [{ name: 'mnnvl-claim', resourceClaimTemplateName: 'mine' }],
      containers: [gpuContainer()],
    };
    const world = deployed(enrolledSet(1, 'train', [{ name: 'worker', podSpec }]));
    expect(claims(world)).toEqual({ 'demo-0-worker': 'mine' });
    const pod = world.all('Pod')[0];
    expect(at(list(at(pod, 'spec', 'containers'))[0], 'resources', 'claims')).toBeUndefined();
  });

  it('changes no hash, and the template is not changed by it (rule 8)', () => {
    const hashes = (body: KubeObject): unknown => {
      const before = structuredClone(body);
      const observed = readSet({ ...body, metadata: { ...body.metadata, uid: 'u' } });
      expect(body).toEqual(before);
      return [
        at(observed, 'generationHash'),
        list(at(observed, 'cliques')).map((one) => at(one, 'hash')),
      ];
    };
    const plain = hashes(enrolledSet(1, undefined, worker));
    expect(hashes(enrolledSet(1, 'train', worker))).toEqual(plain);
    expect(hashes(enrolledSet(5, 'none', worker))).toEqual(plain);
    expect(plain).not.toEqual(hashes(cliqueSet(1)));
  });
});

describe('an annotation that names no group', () => {
  it.each([
    ['Train', undefined, undefined, 'the PodCliqueSet'],
    [undefined, 'a.b', undefined, 'clique "worker"'],
    [undefined, undefined, '', 'scaling group "pack"'],
  ])('is told, and nothing is planned (%j, %j, %j)', (onSet, onClique, onGroup, where) => {
    const clique = { name: 'worker', ...(onClique === undefined ? {} : { group: onClique }) };
    const pack: EnrolledGroup = {
      cliqueNames: ['packed'],
      ...(onGroup === undefined ? {} : { group: onGroup }),
    };
    const world = deployed(enrolledSet(1, onSet, [clique, { name: 'packed' }], pack));
    expect(world.all('PodClique')).toEqual([]);
    const errors = at(world.get('PodCliqueSet', 'demo'), 'status', 'lastErrors');
    expect(errors).toMatchObject([{ code: 'ERR_SYNC_COMPUTEDOMAIN' }]);
    expect(text(at(list(errors)[0], 'description'))).toContain(where);
  });
});
