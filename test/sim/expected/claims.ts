// Which ResourceClaims a set must share when the controller is done, and which of them each pod has
// (spec controllers 8.2), worked out from the set as it is stored. Part of expected.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { claimSpec } from '#test/support/sharing.ts';
import { at, labelsOf, listAt, numberAt, textAt, uidOf } from '../fields.ts';
import { type Complaints, isOwnedBy, nameOf } from '../oracles/complaints.ts';
import { indexOf } from '../oracles/decisions.ts';
import { isGoing } from '../oracles/shown.ts';
import { namespace } from '../users/workload.ts';
import type { WantedClique, WantedGroup } from './wanted.ts';

interface Level {
  readonly owner: Stored;
  readonly shares: readonly unknown[];
  /** Of all its claims. */
  readonly labels: Readonly<Record<string, string>>;
  readonly indexLabel: string;
  /** Numbers of the replicas that must have claims. */
  readonly indices: readonly number[];
}

const kind = 'resource.k8s.io/resourceclaims';

function expectLevel(complaints: Complaints, set: Stored, level: Level): void {
  for (const share of level.shares) {
    const all = textAt(share, 'scope') === 'AllReplicas';
    for (const index of all ? [undefined] : level.indices) {
      expectClaim(complaints, set, level, share, index);
    }
  }
}

function expectClaim(
  complaints: Complaints,
  set: Stored,
  { owner, labels, indexLabel }: Level,
  share: unknown,
  index: number | undefined,
): void {
  const template = textAt(share, 'name');
  const name = `${nameOf(owner)}-${index ?? 'all'}-${template}`;
  const claim = complaints.owned(kind, name, owner);
  if (claim === undefined) return;
  complaints.same(`labels of ResourceClaim ${name}`, own(labelsOf(claim)), {
    ...own({
      'app.kubernetes.io/managed-by': 'grove-operator',
      'app.kubernetes.io/part-of': nameOf(set),
      'app.kubernetes.io/component': 'resource-claim',
      ...labels,
      ...(index === undefined ? {} : { [indexLabel]: String(index) }),
    }),
  });
  const isOwn = listAt(set, 'spec', 'template', 'resourceClaimTemplates').some(
    (one) => textAt(one, 'name') === template,
  );
  const device = isOwn ? template : `${template}.example.com`;
  const requested = listAt(claim, 'spec', 'devices', 'requests')[0];
  const wanted = listAt(claimSpec(device), 'devices', 'requests')[0];
  complaints.same(
    `device of ResourceClaim ${name}`,
    at(requested, 'exactly', 'deviceClassName'),
    at(wanted, 'exactly', 'deviceClassName'),
  );
}

/** Without the labels of strangers, sorted. */
const own = (labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(labels)
      .filter(([key]) => !key.startsWith('foreign/'))
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );

const range = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);

export function expectClaimsOfSet(complaints: Complaints, set: Stored): void {
  expectLevel(complaints, set, {
    owner: set,
    shares: listAt(set, 'spec', 'template', 'resourceSharing'),
    labels: {},
    indexLabel: 'grove.io/podcliqueset-replica-index',
    indices: range(numberAt(set, 'spec', 'replicas')),
  });
}

export function expectClaimsOfGroup(
  complaints: Complaints,
  set: Stored,
  owner: Stored,
  { name, config, replicas }: WantedGroup,
): void {
  expectLevel(complaints, set, {
    owner,
    shares: listAt(config, 'resourceSharing'),
    labels: { 'grove.io/podcliquescalinggroup': name },
    indexLabel: 'grove.io/podcliquescalinggroup-replica-index',
    indices: range(replicas),
  });
}

/** Also of the indices that its live pods have, which may be higher. Those of a pod on its way out
 *  stay, but are not made again where somebody deletes them. */
export function expectClaimsOfClique(
  complaints: Complaints,
  set: Stored,
  owner: Stored,
  { name, template }: WantedClique,
): void {
  const pods = complaints.store
    .collection('/pods')
    .list(namespace)
    .filter((pod) => isOwnedBy(pod, uidOf(owner)));
  const shares = listAt(template, 'resourceSharing');
  const perReplica = shares.filter((share) => textAt(share, 'scope') === 'PerReplica');
  for (const pod of pods.filter(isGoing)) {
    for (const share of perReplica) {
      complaints.allow(kind, `${nameOf(owner)}-${indexOf(pod)}-${textAt(share, 'name')}`);
    }
  }
  const used = pods.filter((pod) => !isGoing(pod)).map((pod) => Number(indexOf(pod)));
  expectLevel(complaints, set, {
    owner,
    shares,
    labels: { 'grove.io/podclique': name },
    indexLabel: 'grove.io/podclique-pod-index',
    indices: [...new Set([...range(numberAt(owner, 'spec', 'replicas')), ...used])],
  });
}

/** Names of the claims that a pod with this index has, in order. */
export function claimsOfPod(
  set: Stored,
  replica: string,
  { name, template, member }: WantedClique,
  podIndex: string,
): readonly string[] {
  const clique = textAt(template, 'name');
  const group = listAt(set, 'spec', 'template', 'podCliqueScalingGroups').find(
    (one) => `${nameOf(set)}-${replica}-${textAt(one, 'name')}` === member?.group,
  );
  const called = [clique, textAt(group, 'name')];
  return [
    ...named(listAt(set, 'spec', 'template', 'resourceSharing'), nameOf(set), replica, called),
    ...named(listAt(group, 'resourceSharing'), member?.group ?? '', String(member?.index), called),
    ...named(listAt(template, 'resourceSharing'), name, podIndex, called),
  ];
}

const named = (
  shares: readonly unknown[],
  owner: string,
  index: string,
  called: readonly string[],
): readonly string[] =>
  ['AllReplicas', 'PerReplica'].flatMap((scope) =>
    shares
      .filter((share) => textAt(share, 'scope') === scope)
      .filter((share) => isLetThrough(at(share, 'filter'), called))
      .map(
        (share) => `${owner}-${scope === 'PerReplica' ? index : 'all'}-${textAt(share, 'name')}`,
      ),
  );

const isLetThrough = (filter: unknown, called: readonly string[]): boolean =>
  filter === undefined ||
  listAt(filter, 'childCliqueNames').some((name) => called.includes(String(name)));
