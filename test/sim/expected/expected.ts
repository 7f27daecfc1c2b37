// What a cluster must look like when the controller is done, written from the specification and not
// from the code under test: which objects, whose, with which names and labels, and every status
// exactly. A healed simulation has to come to an empty list of complaints.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, fieldsAt, labelsOf, listAt, numberAt, textAt } from '../fields.ts';
import { Complaints, nameOf } from '../oracles/complaints.ts';
import { kaiGroups } from '../users/kai.ts';
import { namespace } from '../users/workload.ts';
import { orTermination, ownerReady, stated as statedReady } from '#test/support/statuses/ready.ts';
import { isHeldPod, isOutlivingPod, isTaken } from '../world/pending.ts';
import { expectAutoscalers } from './autoscaler.ts';
import { expectClaimsOfSet } from './claims.ts';
import { expectClique } from './clique.ts';
import { domainKind, expectDomains } from './domains.ts';
import { expectGang } from './gang.ts';
import { expectGroup, isSufficient } from './group.ts';
import { levelsCondition } from './places.ts';
import { wantedCliques, wantedGroups } from './wanted.ts';

/** Collections that hold children. */
const childKinds = [
  'grove.io/podcliques',
  'grove.io/podcliquescalinggroups',
  'scheduler.grove.io/podgangs',
  '/pods',
  '/services',
  '/serviceaccounts',
  '/secrets',
  'autoscaling/horizontalpodautoscalers',
  'resource.k8s.io/resourceclaims',
  'rbac.authorization.k8s.io/roles',
  'rbac.authorization.k8s.io/rolebindings',
  domainKind,
  kaiGroups,
] as const;

/** Sentences about what is not as it should be; empty: all is well. */
export function complaintsAbout(store: Store, isTopologyAware = false): readonly string[] {
  const complaints = new Complaints(store, isTopologyAware);
  for (const set of store.collection('grove.io/podcliquesets').list(namespace)) {
    expectSet(complaints, set);
  }
  for (const kind of childKinds) {
    for (const object of store.collection(kind).list(namespace)) {
      const isManaged = labelsOf(object)['app.kubernetes.io/managed-by'] === 'grove-operator';
      if (isManaged && !complaints.isExpected(object) && !isHeldPod(store, object)) {
        complaints.say(`${kind} ${nameOf(object)} is left over`);
      }
    }
  }
  return complaints.all;
}

function expectSet(complaints: Complaints, set: Stored): void {
  const name = nameOf(set);
  if (at(set, 'metadata', 'deletionTimestamp') !== undefined) {
    return complaints.say(`PodCliqueSet ${name} is still being deleted`);
  }
  const replicas = numberAt(set, 'spec', 'replicas');
  expectAccess(complaints, set);
  expectClaimsOfSet(complaints, set);
  let available = 0;
  let done = 0;
  for (let index = 0; index < replicas; index++) {
    expectService(complaints, set, index);
    expectDomains(complaints, set, index);
    if (!expectReplica(complaints, set, index)) continue;
    available++;
    if (isReplicaSufficient(complaints, set, index)) done++;
  }
  complaints.same(`finalizers of ${name}`, listAt(set, 'metadata', 'finalizers'), [
    'grove.io/podcliqueset.grove.io',
  ]);
  const { currentGenerationHash, conditions, updateProgress, ...status } = fieldsAt(set, 'status');
  complaints.ended(name, updateProgress);
  if (typeof currentGenerationHash !== 'string') complaints.say(`${name} has no generation hash`);
  const levels = ['TopologyLevelsUnavailable', ...levelsCondition(complaints, set)];
  const { store } = complaints;
  // It tells of the name that it cannot have; what else it says then is not judged.
  if (store.collection('/services').list(namespace).some(isTaken)) return;
  // Pods of an earlier PodClique are no excuse: they count for none.
  const hasHeld = store
    .collection('/pods')
    .list(namespace)
    .some((pod) => isHeldPod(store, pod) && !isOutlivingPod(store, pod));
  complaints.same(`status of ${name}`, status, {
    replicas,
    availableReplicas: available,
    updatedReplicas: hasHeld ? status['updatedReplicas'] : available,
    hpaPodSelector: `app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=${name}`,
    observedGeneration: numberAt(set, 'metadata', 'generation'),
  });
  const counts = { available, updated: numberAt(status, 'updatedReplicas'), done };
  const ready = orTermination(ownerReady(counts, { wanted: replicas }), at(set, 'status'));
  complaints.same(`conditions of ${name}`, ownConditions(conditions).map(stated), [
    ...(complaints.isTopologyAware ? [levels] : []),
    statedReady(ready),
  ]);
}

/** Says whether it is available: members count by their groups. */
function expectReplica(complaints: Complaints, set: Stored, index: number): boolean {
  const cliques = wantedCliques(complaints.store, set, index);
  expectAutoscalers(complaints, set, index);
  const areReady = cliques.map(
    (wanted) => expectClique(complaints, set, index, wanted) || wanted.member !== undefined,
  );
  const groups = wantedGroups(complaints.store, set, index);
  const areAvailable = groups.map((group) => expectGroup(complaints, set, index, group));
  const gangs = Map.groupBy(cliques, ({ gang }) => gang);
  for (const [name, members] of gangs) expectGang(complaints, set, name, members, groups);
  return [...areReady, ...areAvailable].every(Boolean);
}

/** Every PodClique and every group says so, judged for itself, and is up to date. */
function isReplicaSufficient({ store }: Complaints, set: Stored, index: number): boolean {
  const hash = at(set, 'status', 'currentGenerationHash');
  const children = [
    ...wantedCliques(store, set, index)
      .filter(({ member }) => member === undefined)
      .map(({ name }) => store.collection('grove.io/podcliques').get(namespace, name)),
    ...wantedGroups(store, set, index).map(({ name }) =>
      store.collection('grove.io/podcliquescalinggroups').get(namespace, name),
    ),
  ];
  return children.every(
    (one) => isSufficient(one) && at(one, 'status', 'currentPodCliqueSetGenerationHash') === hash,
  );
}

/** Without those of others. */
const ownConditions = (conditions: unknown): unknown[] =>
  listAt({ conditions }, 'conditions').filter((row) => !textAt(row, 'type').startsWith('foreign/'));

const stated = (condition: unknown): readonly string[] =>
  ['type', 'status', 'reason', 'message'].map((field) => textAt(condition, field));

function expectAccess(complaints: Complaints, set: Stored): void {
  const name = nameOf(set);
  const role = `grove.io:pcs:${name}`;
  const account = complaints.child('/serviceaccounts', name, set, 'pod-service-account');
  complaints.same(`mounting of ${name}`, at(account, 'automountServiceAccountToken'), true);
  const rights = 'rbac.authorization.k8s.io';
  const granted = complaints.child(`${rights}/roles`, role, set, 'pod-role');
  complaints.same(`rules of ${role}`, at(granted, 'rules'), [
    { apiGroups: [''], resources: ['pods', 'pods/status'], verbs: ['get', 'list', 'watch'] },
  ]);
  const binding = complaints.child(`${rights}/rolebindings`, role, set, 'pod-role-binding');
  complaints.same(`role of ${role}`, at(binding, 'roleRef'), {
    apiGroup: rights,
    kind: 'Role',
    name: role,
  });
  const secret = complaints.child('/secrets', `${name}-ic-sat`, set, 'pod-sa-token-secret');
  if (textAt(secret, 'data', 'token') === '') complaints.say(`${name}-ic-sat holds no token`);
}

function expectService(complaints: Complaints, set: Stored, index: number): void {
  const name = `${nameOf(set)}-${index}`;
  const service = complaints.child('/services', name, set, 'pcs-headless-service');
  // Missing, which was said, or not to be had.
  if (service === undefined) return;
  complaints.same(`replica label of Service ${name}`, replicaOf(service), String(index));
  complaints.same(`clusterIP of ${name}`, at(service, 'spec', 'clusterIP'), 'None');
  complaints.same(`selector of ${name}`, at(service, 'spec', 'selector'), {
    'app.kubernetes.io/managed-by': 'grove-operator',
    'app.kubernetes.io/part-of': nameOf(set),
    'grove.io/podcliqueset-replica-index': String(index),
  });
  complaints.same(
    `publishNotReadyAddresses of ${name}`,
    at(service, 'spec', 'publishNotReadyAddresses'),
    at(set, 'spec', 'template', 'headlessServiceConfig', 'publishNotReadyAddresses') ?? true,
  );
}

const replicaOf = (object: unknown): unknown =>
  labelsOf(object)['grove.io/podcliqueset-replica-index'];
