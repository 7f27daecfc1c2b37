// Decoding is total: whatever an object holds, a route answers with a fact or says what is wrong,
// the actors take the event, and nothing throws or hangs.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { activator } from '#machines/activator/module.ts';
import { defaultSettings } from '#machines/activator/settings.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import { withSettings } from '#machines/contract/module.ts';
import { grove } from '#machines/grove/module.ts';
import type { ActorKind, Kind } from '#machines/kinds.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import { applyPatch } from '#machines/kubernetes/merge.ts';
import type { Json, JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { nvidia } from '#machines/nvidia/module.ts';
import { nvidiaSettings } from '#test/support/nvidia.ts';
import { allRoutes, routeOf } from '#test/support/modules.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { settings } from '#test/support/world.ts';
import { annotation } from '#machines/nvidia/objects/labels.ts';
import { cliqueObject, podObject } from './grove/podclique/sample.ts';
import {
  cliqueObject as computeDomainClique,
  daemon,
  namespace,
  ownedBy,
  row,
} from './nvidia/clique/objects.ts';

const routedKinds = allRoutes.map(({ kind }) => kind);

const words = fc.constantFrom(
  ...(
    'metadata spec status name namespace uid labels annotations cliques template podSpec ' +
    'containers conditions podgroups podReferences replicas ownerReferences controller kind ' +
    'finalizers schedulingGates containerStatuses lastState terminated exitCode hostname type ' +
    'reason data token __proto__ constructor toString hasOwnProperty length startsAfter env ' +
    'app.kubernetes.io/part-of grove.io/podgang updateProgress creationTimestamp'
  ).split(' '),
);

const hostile: fc.Arbitrary<Json> = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, '', 'demo', 'x'.repeat(5_000), 0, -1, 2_147_483_648, 1e308),
    fc.constantFrom<Json>('demo-0-worker', 'demo-4294967295-w', 'PodCliqueSet', 'True', 'Failed'),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc
      .array(fc.tuple(words, tie('tree')), { maxLength: 6 })
      .map((fields): Json => JSON.parse(`{${fields.map(asField).join(',')}}`)),
  ),
})).tree;

const asField = ([key, value]: [string, Json]): string =>
  `${JSON.stringify(key)}:${JSON.stringify(value)}`;

const meta: JsonObject = {
  name: 'demo-0-worker',
  namespace: 'demo',
  uid: 'u',
  labels: { 'app.kubernetes.io/part-of': 'demo', 'grove.io/podgang': 'demo-0' },
  ownerReferences: [{ kind: 'PodCliqueSet', name: 'demo', uid: 'u', controller: true }],
};

const samples: readonly KubeObject[] = [
  cliqueSet(2),
  cliqueObject(),
  podObject({ name: 'p' }),
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'demo-0' } },
];

const domainSamples: readonly KubeObject[] = [
  computeDomainClique([row({ node: 'a', index: 1 })], { ownerReferences: ownedBy('daemon-a') }),
  daemon({ node: 'a', ip: '10.0.0.1' }),
];

const asObject = (value: Json): KubeObject => {
  const isOne = (one: Json): one is Json & KubeObject => isObject(one) && one !== null;
  if (!isOne(value)) throw new Error('not an object');
  return value;
};

/** An object that is right but for one branch, or wrong altogether. */
const objects: fc.Arbitrary<KubeObject> = fc.oneof(
  fc.dictionary(fc.constantFrom('metadata', 'spec', 'status', 'data'), hostile).map(asObject),
  fc
    .tuple(fc.constantFrom(...samples), fc.constantFrom('spec', 'status', 'data'), hostile)
    .map(([sample, branch, value]) =>
      asObject(applyPatch(sample, { metadata: meta, [branch]: value })),
    ),
  fc
    .tuple(fc.constantFrom(...samples), hostile)
    .map(([sample, value]) => asObject(applyPatch(sample, { metadata: { ...meta, x: value } }))),
);

/** They are told by name and label, so these are right. */
const objectsOfDomains: fc.Arbitrary<KubeObject> = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(...domainSamples),
      fc.constantFrom('spec', 'status', 'daemons', 'ownerReferences'),
      hostile,
    )
    .map(([sample, branch, value]) => {
      const inside = branch === 'ownerReferences' ? { metadata: { [branch]: value } } : {};
      return asObject(applyPatch(sample, { [branch]: value, ...inside }));
    }),
  fc
    .tuple(fc.constantFrom(...Object.values(annotation)), hostile)
    .map(([name, value]) =>
      computeDomainClique([], { annotations: { [name]: JSON.stringify(value) } }),
    ),
);

const ofDriver = { ...nvidiaSettings, driverNamespace: namespace };
const bound = [
  withSettings(grove, settings),
  withSettings(nvidia, ofDriver),
  withSettings(activator, defaultSettings),
].flatMap(({ behaviours }) => behaviours);

function behaviourWithSettings(kind: ActorKind): Behaviour {
  const found = bound.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`no behaviour of ${kind}`);
  return found;
}

/** Starts the actor of each delivery, hands it the event, reconciles it, and asks it all. */
function hand(kind: Kind, object: KubeObject): void {
  const observed = routeOf(kind).decode(object);
  if (isObject(observed) && 'malformed' in observed) {
    expect(String(observed['malformed'])).not.toBe('');
    return;
  }
  routeOf(kind).show?.(observed);
  const deliveries = [
    ...routeOf(kind).deliver(observed, object),
    ...routeOf(kind).forget(observed, object),
  ];
  for (const { to, root, event } of deliveries) {
    const behaviour = behaviourWithSettings(to.kind);
    let snapshot = behaviour.reduce(behaviour.start({ key: to, root }), event);
    for (const now of [0, 1]) snapshot = behaviour.reconcile(snapshot, now).snapshot;
    behaviour.why(snapshot, 0);
    expect(JSON.stringify(behaviour.view(snapshot)).length).toBeLessThan(200_000);
    behaviour.isOver(snapshot);
  }
}

describe('decoding', () => {
  it('of any object of any kind yields a fact or says what is wrong, and harms no actor', () => {
    fc.assert(
      fc.property(fc.constantFrom(...routedKinds), objects, (kind, object) => hand(kind, object)),
      { numRuns: 1_500 },
    );
  });

  it('of a clique or a daemon of a ComputeDomain does so too, whatever its rows, owners and annotations', () => {
    const kinds = ['ComputeDomainClique', 'DaemonPod'] as const;
    fc.assert(fc.property(fc.constantFrom(...kinds), objectsOfDomains, hand), { numRuns: 500 });
  });

  it('says which field is missing', () => {
    const bare = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' } };
    expect(routeOf('Pod').decode(bare)).toEqual({
      malformed: 'metadata.uid is not a non-empty string',
    });
    const { spec: _, ...noSpec } = cliqueObject();
    expect(routeOf('PodClique').decode(noSpec)).toEqual({ malformed: 'spec is not an object' });
  });

  it('applies the defaults of the webhook', () => {
    const clique = { ...cliqueObject(), spec: { podSpec: {} } };
    expect(routeOf('PodClique').decode(clique)).toMatchObject({
      replicas: 1,
      minAvailable: 1,
      podSpec: { restartPolicy: 'Always', terminationGracePeriodSeconds: 30 },
    });
    const set = cliqueSet(1, [{ name: 'a', replicas: 0 }]);
    expect(
      routeOf('PodCliqueSet').decode({ ...set, metadata: { ...set.metadata, uid: 'u' } }),
    ).toMatchObject({
      publishNotReadyAddresses: true,
      cliques: [{ name: 'a', replicas: 1, minAvailable: 1 }],
    });
  });

  it('of an index of four billion costs nothing', () => {
    const metadata = { ...cliqueObject().metadata, name: 'demo-4294967295-worker' };
    hand('PodClique', { ...cliqueObject(), metadata });
  });
});

describe('routes', () => {
  const kindsOf = (object: KubeObject, kind: Kind): readonly string[] =>
    routeOf(kind)
      .deliver(routeOf(kind).decode(object), object)
      .map(({ to, event }) => `${to.kind}/${to.name} ${event.type}`);

  it('send a PodClique to itself and its set, a pod to its PodClique', () => {
    expect(kindsOf(cliqueObject(), 'PodClique')).toEqual([
      'podclique/demo-0-worker clique.observed',
      'podcliqueset/demo child.observed',
    ]);
    expect(kindsOf(podObject({ name: 'p' }), 'Pod')).toEqual([
      'podclique/demo-0-worker pod.observed',
    ]);
  });

  it('send a PodGang to the PodCliques that it names (10.2 gap 3)', () => {
    const gang = {
      apiVersion: 'x',
      kind: 'PodGang',
      metadata: { ...cliqueObject().metadata, name: 'demo-0' },
      spec: { podgroups: [{ name: 'demo-0-worker' }, { name: 'demo-0-w' }] },
    };
    expect(kindsOf(gang, 'PodGang')).toEqual([
      'podgang/demo-0 gang.observed',
      'podcliqueset/demo child.observed',
      'podclique/demo-0-worker gang.observed',
      'podclique/demo-0-w gang.observed',
    ]);
  });

  it('send nobody what belongs to no PodCliqueSet (10.1 rule 11)', () => {
    const metadata = { name: 'x', namespace: 'demo', uid: 'u' };
    for (const kind of ['Pod', 'PodClique', 'PodGang', 'Service', 'Role'] as const) {
      const object = { apiVersion: 'v1', kind, metadata, spec: { podSpec: {} } };
      expect(kindsOf(object, kind)).toEqual([]);
    }
  });
});
