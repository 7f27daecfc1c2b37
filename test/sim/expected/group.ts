// What a PodCliqueScalingGroup must look like when the controller is done (spec controllers 1.1.5,
// 2.2), judged by its members as they are. Part of expected.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { at, fieldsAt, listAt, numberAt, textAt } from '../fields.ts';
import { ownerReady, stated } from '#test/support/statuses/ready.ts';
import { type Complaints, nameOf } from '../oracles/complaints.ts';
import { namespace } from '../users/workload.ts';
import { expectClaimsOfGroup } from './claims.ts';
import type { WantedGroup } from './wanted.ts';

/** Says whether enough replicas are available. */
export function expectGroup(
  complaints: Complaints,
  set: Stored,
  index: number,
  wanted: WantedGroup,
): boolean {
  const { name, config, minAvailable } = wanted;
  const kind = 'grove.io/podcliquescalinggroups';
  const group = complaints.child(kind, name, set, 'pcs-podcliquescalinggroup');
  if (group === undefined) return false;
  complaints.labels(name, group, { 'grove.io/podcliqueset-replica-index': String(index) });
  complaints.same(`finalizers of ${name}`, listAt(group, 'metadata', 'finalizers'), [
    'grove.io/podcliquescalinggroup.grove.io',
  ]);
  for (const field of ['minAvailable', 'cliqueNames']) {
    complaints.same(`${field} of ${name}`, at(group, 'spec', field), at(config, field));
  }
  const replicas = Array.from({ length: wanted.replicas }, (_, place) =>
    membersOf(complaints, wanted, place),
  );
  expectClaimsOfGroup(complaints, set, group, wanted);
  expectStatus(complaints, set, group, replicas);
  return replicas.filter(isAvailable).length >= minAvailable;
}

type Members = readonly (Stored | undefined)[];

const membersOf = ({ store }: Complaints, { name, cliqueNames }: WantedGroup, place: number) =>
  cliqueNames.map((clique) =>
    store.collection('grove.io/podcliques').get(namespace, `${name}-${place}-${clique}`),
  );

const isScheduled = (members: Members): boolean =>
  members.every((one) => conditionOf(one, 'PodCliqueScheduled') === 'True');

const isAvailable = (members: Members): boolean =>
  isScheduled(members) &&
  members.every(
    (one) => numberAt(one, 'status', 'readyReplicas') >= numberAt(one, 'spec', 'minAvailable'),
  );

function expectStatus(
  complaints: Complaints,
  set: Stored,
  group: Stored,
  replicas: readonly Members[],
): void {
  const name = nameOf(group);
  const { conditions: said, updateProgress, ...status } = fieldsAt(group, 'status');
  complaints.ended(name, updateProgress);
  const hash = at(set, 'status', 'currentGenerationHash');
  const isReached = (one: Stored | undefined): boolean =>
    at(one, 'status', 'currentPodCliqueSetGenerationHash') === hash &&
    numberAt(one, 'status', 'updatedReplicas') >= numberAt(one, 'spec', 'minAvailable');
  const areAllReached = replicas.flat().every(isReached);
  const available = replicas.filter(isAvailable);
  const updated = available.filter((one) => one.every(isReached));
  complaints.same(`status of ${name}`, status, {
    replicas: replicas.length,
    scheduledReplicas: replicas.filter(isScheduled).length,
    availableReplicas: available.length,
    updatedReplicas: updated.length,
    currentPodCliqueSetGenerationHash: areAllReached
      ? hash
      : status['currentPodCliqueSetGenerationHash'],
    selector: [
      'app.kubernetes.io/managed-by=grove-operator',
      `app.kubernetes.io/part-of=${nameOf(set)}`,
      `grove.io/podcliquescalinggroup=${name}`,
    ].join(','),
    observedGeneration: numberAt(group, 'metadata', 'generation'),
  });
  const sound = replicas.filter((members) =>
    members.every((one) => conditionOf(one, 'MinAvailableBreached') === 'False'),
  ).length;
  const least = numberAt(group, 'spec', 'minAvailable');
  const own = listAt({ said }, 'said')
    .map((row) => ['type', 'status', 'reason', 'message'].map((field) => textAt(row, field)))
    .filter(([type = '']) => !type.startsWith('foreign/'))
    // It stays until there is the minimum again.
    .filter(([type = '']) => type !== terminated || sound >= least);
  const counts = {
    available: available.length,
    updated: updated.length,
    done: updated.filter((one) => one.every(isSufficient)).length,
  };
  complaints.same(`conditions of ${name}`, own, [
    breached(sound, least),
    stated(ownerReady(counts, { wanted: replicas.length, least })),
  ]);
}

const terminated = 'GangTerminationInProgress';

/** The status of a PodClique is judged for itself. */
export const isSufficient = (one: unknown): boolean =>
  conditionOf(one, 'Ready') === 'True' ||
  listAt(one, 'status', 'conditions').some((row) => textAt(row, 'reason') === 'MinAvailableReady');

const breached = (sound: number, least: number): readonly string[] => [
  'MinAvailableBreached',
  sound < least ? 'True' : 'False',
  `${sound < least ? 'Insufficient' : 'Sufficient'}AvailablePodCliqueScalingGroupReplicas`,
  `PCSG replicas not in breach (${sound}) ${sound < least ? 'below' : 'meets'} MinAvailable (${least})`,
];

const conditionOf = (object: unknown, type: string): string =>
  textAt(
    listAt(object, 'status', 'conditions').find((row) => textAt(row, 'type') === type),
    'status',
  );
