// What a PodGang must look like when the controller is done (spec controllers 3.1 to 3.3). Part of
// expected.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, listAt, numberAt, textAt, uidOf } from '../fields.ts';
import { type Complaints, isOwnedBy, nameOf } from '../oracles/complaints.ts';
import { namespace } from '../users/workload.ts';
import { expectPlaces, placeOfClique, translation } from './places.ts';
import { expectPodGroup, schedulerOf } from './podgroup.ts';
import type { WantedClique, WantedGroup } from './wanted.ts';

export function expectGang(
  complaints: Complaints,
  set: Stored,
  name: string,
  cliques: readonly WantedClique[],
  wantedGroups: readonly WantedGroup[],
): void {
  const gang = complaints.child('scheduler.grove.io/podgangs', name, set, 'podgang');
  if (gang === undefined) return;
  complaints.labels(`PodGang ${name}`, gang, {
    ...mirrored(labelsOf(set)),
    'grove.io/scheduler-name': schedulerOf(set),
  });
  const toKeys = translation(complaints, set);
  expectPlaces(complaints, set, gang, cliques, wantedGroups);
  expectPodGroup(complaints, set, gang, cliques);
  const groups = cliques.map((wanted) => ({
    name: wanted.name,
    minReplicas: at(wanted.template, 'spec', 'minAvailable'),
    podReferences: livePods(complaints, wanted.name)
      .map(nameOf)
      .toSorted()
      .map((pod) => ({ namespace, name: pod })),
    ...placeOfClique(toKeys, wanted),
  }));
  complaints.same(`groups of PodGang ${name}`, at(gang, 'spec', 'podgroups'), groups);
  // Running is never taken back, so it may be from before where pods are held up now.
  const running = cliques.every(
    (wanted) =>
      runningPods(complaints, wanted.name) >= numberAt(wanted.template, 'spec', 'minAvailable'),
  );
  const phase = textAt(gang, 'status', 'phase');
  const isRight = phase === 'Running' || (phase === 'Pending' && !running);
  if (!isRight) complaints.say(`phase of PodGang ${name} is ${phase}, not Running`);
  const initialized = listAt(gang, 'status', 'conditions')
    .filter((row) => textAt(row, 'type') === 'Initialized')
    .map((row) => [textAt(row, 'status'), textAt(row, 'reason')]);
  complaints.same(`condition of PodGang ${name}`, initialized, [['True', 'PodGangPodsCreated']]);
}

function livePods({ store }: Complaints, clique: string): readonly Stored[] {
  const owner = store.collection('grove.io/podcliques').get(namespace, clique);
  if (owner === undefined) return [];
  return store
    .collection('/pods')
    .list(namespace)
    .filter((pod) => isOwnedBy(pod, uidOf(owner)))
    .filter((pod) => at(pod, 'metadata', 'deletionTimestamp') === undefined);
}

const runningPods = (complaints: Complaints, clique: string): number =>
  livePods(complaints, clique).filter((pod) => textAt(pod, 'status', 'phase') === 'Running').length;

const mirrored = (labels: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => !key.startsWith('grove.io/')));
