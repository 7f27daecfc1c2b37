// What a PodClique and its pods must look like when the controller is done (spec controllers 1.1.5,
// 1.3.4, 2.1). Part of expected.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { type Complaints, isOwnedBy, nameOf } from './complaints.ts';
import { at, fieldsAt, labelsOf, listAt, numberAt, textAt, uidOf } from './dig.ts';
import { isHeldPod } from './pending.ts';
import { namespace } from './workload.ts';

const base = (set: Stored): Record<string, string> => ({
  'app.kubernetes.io/managed-by': 'grove-operator',
  'app.kubernetes.io/part-of': nameOf(set),
});

/** Says whether enough pods are ready. */
export function expectClique(
  complaints: Complaints,
  set: Stored,
  index: number,
  template: unknown,
): boolean {
  const name = `${nameOf(set)}-${index}-${textAt(template, 'name')}`;
  const clique = complaints.child('grove.io/podcliques', name, set, 'pcs-podclique');
  if (clique === undefined) return false;
  complaints.labels(name, clique, {
    ...labelsOf({ metadata: template }),
    'grove.io/podcliqueset-replica-index': String(index),
    'grove.io/podgang': `${nameOf(set)}-${index}`,
  });
  complaints.same(`finalizers of ${name}`, listAt(clique, 'metadata', 'finalizers'), [
    'grove.io/podclique.grove.io',
  ]);
  for (const field of ['roleName', 'minAvailable']) {
    complaints.same(`${field} of ${name}`, at(clique, 'spec', field), at(template, 'spec', field));
  }
  complaints.same(`startsAfter of ${name}`, listAt(clique, 'spec', 'startsAfter'), [
    ...parentsOf(set, template).map((parent) => `${nameOf(set)}-${index}-${parent}`),
  ]);
  expectPods(complaints, set, index, clique);
  const counts = countPods(complaints, clique);
  expectStatus(complaints, set, clique, counts);
  return counts.ready >= numberAt(clique, 'spec', 'minAvailable');
}

/** Names of the cliques that must be there first (spec controllers 6.1). */
function parentsOf(set: Stored, template: unknown): readonly string[] {
  const all = listAt(set, 'spec', 'template', 'cliques').map((each) => textAt(each, 'name'));
  switch (textAt(set, 'spec', 'template', 'cliqueStartupType')) {
    case 'CliqueStartupTypeInOrder':
      return all.slice(0, all.indexOf(textAt(template, 'name'))).slice(-1);
    case 'CliqueStartupTypeExplicit':
      return listAt(template, 'spec', 'startsAfter').map(String);
    default:
      return [];
  }
}

const podsOf = ({ store }: Complaints, clique: Stored): readonly Stored[] =>
  store
    .collection('/pods')
    .list(namespace)
    .filter((pod) => isOwnedBy(pod, uidOf(clique)));

/** What the status counts, pods on their way out included (spec controllers 2.1). */
interface Counts {
  readonly all: number;
  readonly ready: number;
  readonly scheduled: number;
}

function countPods(complaints: Complaints, clique: Stored): Counts {
  const pods = podsOf(complaints, clique);
  const count = (type: string): number =>
    pods.filter((pod) => conditionOf(pod, type) === 'True').length;
  return { all: pods.length, ready: count('Ready'), scheduled: count('PodScheduled') };
}

function expectPods(complaints: Complaints, set: Stored, index: number, clique: Stored): void {
  const name = nameOf(clique);
  const pods = podsOf(complaints, clique).filter((pod) => !isHeldPod(complaints.store, pod));
  complaints.same(`number of pods of ${name}`, pods.length, numberAt(clique, 'spec', 'replicas'));
  const taken = new Set<string>();
  for (const pod of pods) {
    complaints.owned('/pods', nameOf(pod), clique);
    const podIndex = labelsOf(pod)['grove.io/podclique-pod-index'] ?? '';
    if (taken.has(podIndex)) complaints.say(`two pods of ${name} have the index ${podIndex}`);
    taken.add(podIndex);
    expectPod(complaints, set, index, clique, pod, podIndex);
  }
}

function expectPod(
  complaints: Complaints,
  set: Stored,
  index: number,
  clique: Stored,
  pod: Stored,
  podIndex: string,
): void {
  const name = nameOf(pod);
  const domain = `${nameOf(set)}-${index}`;
  complaints.labels(`pod ${name}`, pod, {
    ...base(set),
    'grove.io/podclique': nameOf(clique),
    'grove.io/podgang': domain,
    'grove.io/podcliqueset-replica-index': String(index),
    'grove.io/pod-template-hash': labelsOf(clique)['grove.io/pod-template-hash'] ?? 'none',
  });
  complaints.same(`host of ${name}`, at(pod, 'spec', 'hostname'), `${nameOf(clique)}-${podIndex}`);
  complaints.same(`subdomain of ${name}`, at(pod, 'spec', 'subdomain'), domain);
  complaints.same(`gates of ${name}`, listAt(pod, 'spec', 'schedulingGates'), []);
  const variables = listAt(listAt(pod, 'spec', 'containers')[0], 'env').slice(0, 4);
  complaints.same(`environment of ${name}`, variables, [
    { name: 'GROVE_PCS_NAME', value: nameOf(set) },
    { name: 'GROVE_PCS_INDEX', value: String(index) },
    { name: 'GROVE_PCLQ_NAME', value: nameOf(clique) },
    { name: 'GROVE_HEADLESS_SERVICE', value: `${domain}.${namespace}.svc.cluster.local` },
  ]);
  const phase = textAt(pod, 'status', 'phase');
  if (['Failed', 'Succeeded'].includes(phase)) complaints.say(`${name} is there and ${phase}`);
  if (conditionOf(pod, 'PodScheduled') !== 'True') {
    if (!waitsForGang(complaints, pod)) complaints.say(`${name} is not scheduled`);
  } else if (conditionOf(pod, 'Ready') !== 'True' && !waitsForParents(complaints, pod, clique)) {
    complaints.say(`${name} is not ready`);
  }
}

/** A gang is placed as a whole: for ever not, where a clique was scaled below its minimum. */
function waitsForGang({ store }: Complaints, pod: Stored): boolean {
  const name = labelsOf(pod)['grove.io/podgang'] ?? '';
  const gang = store.collection('scheduler.grove.io/podgangs').get(namespace, name);
  return listAt(gang, 'spec', 'podgroups').some(
    (group) => listAt(group, 'podReferences').length < numberAt(group, 'minReplicas'),
  );
}

/** A pod may wait for ever for a clique that was scaled below its minimum. */
const waitsForParents = ({ store }: Complaints, pod: Stored, clique: Stored): boolean =>
  conditionOf(pod, 'Initialized') !== 'True' &&
  listAt(clique, 'spec', 'startsAfter').some((parent) => {
    const other = store.collection('grove.io/podcliques').get(namespace, String(parent));
    return numberAt(other, 'status', 'readyReplicas') < numberAt(other, 'spec', 'minAvailable');
  });

function expectStatus(complaints: Complaints, set: Stored, clique: Stored, counts: Counts): void {
  const name = nameOf(clique);
  const { conditions, ...status } = fieldsAt(clique, 'status');
  const replicas = numberAt(clique, 'spec', 'replicas');
  // The hashes move only when no pod is left that is one too many (rule 39).
  const hash = (field: string, wanted: unknown): unknown =>
    counts.all > replicas ? status[field] : wanted;
  const template = labelsOf(clique)['grove.io/pod-template-hash'];
  const generation = at(set, 'status', 'currentGenerationHash');
  complaints.same(`status of ${name}`, status, {
    replicas,
    readyReplicas: counts.ready,
    scheduledReplicas: counts.scheduled,
    scheduleGatedReplicas: 0,
    updatedReplicas: counts.all,
    currentPodTemplateHash: hash('currentPodTemplateHash', template),
    currentPodCliqueSetGenerationHash: hash('currentPodCliqueSetGenerationHash', generation),
    hpaPodSelector: [
      'app.kubernetes.io/managed-by=grove-operator',
      `app.kubernetes.io/part-of=${nameOf(set)}`,
      `grove.io/podclique=${name}`,
    ].join(','),
    observedGeneration: numberAt(clique, 'metadata', 'generation'),
  });
  const least = numberAt(clique, 'spec', 'minAvailable');
  const own = listAt({ conditions }, 'conditions')
    .map((row) => ['type', 'status', 'reason', 'message'].map((field) => textAt(row, field)))
    .filter(([type = '']) => !type.startsWith('foreign/'))
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  complaints.same(`conditions of ${name}`, own, [
    breached(counts.scheduled, least),
    scheduled(counts.scheduled, least),
  ]);
}

/** All pods are scheduled, and none of them has failed or started without being ready. */
const breached = (found: number, least: number): readonly string[] =>
  found < least
    ? [
        'MinAvailableBreached',
        'True',
        'ScheduledReplicasBelowMinAvailable',
        `Scheduled replicas (${found}) below MinAvailable (${least})`,
      ]
    : [
        'MinAvailableBreached',
        'False',
        'SufficientReadyPods',
        'Either sufficient ready or starting pods found. ' +
          `expected at least: ${least}, found: ${found}`,
      ];

const scheduled = (found: number, least: number): readonly string[] => {
  const numbers = `expected at least: ${least}, found: ${found}`;
  return found < least
    ? [
        'PodCliqueScheduled',
        'False',
        'InsufficientScheduledPods',
        `Insufficient scheduled pods. ${numbers}`,
      ]
    : [
        'PodCliqueScheduled',
        'True',
        'SufficientScheduledPods',
        `Sufficient scheduled pods found. ${numbers}`,
      ];
};

const conditionOf = (object: unknown, type: string): string =>
  textAt(
    listAt(object, 'status', 'conditions').find((row) => textAt(row, 'type') === type),
    'status',
  );
