// What a PodClique and its pods must look like when the controller is done (spec controllers 1.1.5,
// 1.3.4, 2.1). Part of expected.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { at, fieldsAt, labelsOf, listAt, numberAt, templateHashOf, textAt } from '../fields.ts';
import { type Complaints, nameOf } from '../oracles/complaints.ts';
import { namespace } from '../users/workload.ts';
import { isHeldPod } from '../world/pending.ts';
import { podsReady, stated } from '#test/support/statuses/ready.ts';
import { claimsOfPod, expectClaimsOfClique } from './claims.ts';
import {
  breached,
  conditionOf,
  countPods,
  type Counts,
  podsOf,
  scheduled,
} from './clique-counts.ts';
import { expectClaim } from './domains.ts';
import { expectMarks } from './podgroup.ts';
import type { WantedClique } from './wanted.ts';

const base = (set: Stored): Record<string, string> => ({
  'app.kubernetes.io/managed-by': 'grove-operator',
  'app.kubernetes.io/part-of': nameOf(set),
});

/** Says whether enough pods are ready. */
export function expectClique(
  complaints: Complaints,
  set: Stored,
  index: number,
  wanted: WantedClique,
): boolean {
  const { name, template, owner, member, gang, parents } = wanted;
  if (owner === undefined) return false;
  const component = member === undefined ? 'pcs-podclique' : 'pcsg-podclique';
  const clique = complaints.child('grove.io/podcliques', name, set, component, owner);
  if (clique === undefined) return false;
  complaints.labels(name, clique, {
    ...labelsOf({ metadata: template }),
    'grove.io/podcliqueset-replica-index': String(index),
    'grove.io/podgang': gang,
    ...memberLabels(wanted),
  });
  complaints.same(`finalizers of ${name}`, listAt(clique, 'metadata', 'finalizers'), [
    'grove.io/podclique.grove.io',
  ]);
  for (const field of ['roleName', 'minAvailable']) {
    complaints.same(`${field} of ${name}`, at(clique, 'spec', field), at(template, 'spec', field));
  }
  complaints.same(`startsAfter of ${name}`, listAt(clique, 'spec', 'startsAfter'), parents);
  const podSpec = at(clique, 'spec', 'podSpec');
  expectClaim(complaints, name, podSpec, { set, index: String(index), template });
  expectPods(complaints, set, index, clique, wanted);
  expectClaimsOfClique(complaints, set, clique, wanted);
  const counts = countPods(complaints, clique);
  expectStatus(complaints, set, clique, counts, member !== undefined);
  return counts.ready >= numberAt(clique, 'spec', 'minAvailable');
}

/** What a member carries besides, and its pods. */
function memberLabels({ member }: WantedClique): Record<string, string> {
  if (member === undefined) return {};
  return {
    'grove.io/podcliquescalinggroup': member.group,
    'grove.io/podcliquescalinggroup-replica-index': String(member.index),
    ...(member.base === undefined ? {} : { 'grove.io/base-podgang': member.base }),
  };
}

function expectPods(
  complaints: Complaints,
  set: Stored,
  index: number,
  clique: Stored,
  wanted: WantedClique,
): void {
  const name = nameOf(clique);
  const pods = podsOf(complaints, clique).filter((pod) => !isHeldPod(complaints.store, pod));
  complaints.same(`number of pods of ${name}`, pods.length, numberAt(clique, 'spec', 'replicas'));
  const taken = new Set<string>();
  for (const pod of pods) {
    complaints.owned('/pods', nameOf(pod), clique);
    const podIndex = labelsOf(pod)['grove.io/podclique-pod-index'] ?? '';
    if (taken.has(podIndex)) complaints.say(`two pods of ${name} have the index ${podIndex}`);
    taken.add(podIndex);
    const domain = `${nameOf(set)}-${index}`;
    expectPod(complaints, set, domain, clique, pod, wanted);
  }
}

function expectPod(
  complaints: Complaints,
  set: Stored,
  domain: string,
  clique: Stored,
  pod: Stored,
  wanted: WantedClique,
): void {
  const name = nameOf(pod);
  const index = domain.slice(nameOf(set).length + 1);
  const podIndex = labelsOf(pod)['grove.io/podclique-pod-index'] ?? '';
  complaints.labels(`pod ${name}`, pod, {
    ...labelsOf({ metadata: wanted.template }),
    ...base(set),
    'grove.io/podclique': nameOf(clique),
    'grove.io/podgang': wanted.gang,
    'grove.io/podcliqueset-replica-index': index,
    ...memberLabels(wanted),
    'grove.io/pod-template-hash': templateHashOf(clique) ?? 'none',
  });
  complaints.same(`host of ${name}`, at(pod, 'spec', 'hostname'), `${nameOf(clique)}-${podIndex}`);
  complaints.same(`subdomain of ${name}`, at(pod, 'spec', 'subdomain'), domain);
  expectMarks(complaints, set, pod, wanted.gang);
  // The pods of a scaled gang wait for a base gang that cannot be placed (spec controllers 3.4).
  const isHeld = wanted.member?.base !== undefined && !isPlaced(complaints, wanted.member.base);
  if (!isHeld) {
    complaints.same(`gates of ${name}`, listAt(pod, 'spec', 'schedulingGates'), []);
  }
  const variables = listAt(listAt(pod, 'spec', 'containers')[0], 'env').slice(0, 4);
  complaints.same(`environment of ${name}`, variables, [
    { name: 'GROVE_PCS_NAME', value: nameOf(set) },
    { name: 'GROVE_PCS_INDEX', value: index },
    { name: 'GROVE_PCLQ_NAME', value: nameOf(clique) },
    { name: 'GROVE_HEADLESS_SERVICE', value: `${domain}.${namespace}.svc.cluster.local` },
  ]);
  const { template } = wanted;
  const shared = claimsOfPod(set, index, wanted, podIndex);
  expectClaim(complaints, name, at(pod, 'spec'), { set, index, template }, shared);
  const phase = textAt(pod, 'status', 'phase');
  if (['Failed', 'Succeeded'].includes(phase)) complaints.say(`${name} is there and ${phase}`);
  if (conditionOf(pod, 'PodScheduled') !== 'True') {
    if (!isHeld && !waitsForGang(complaints, pod)) complaints.say(`${name} is not scheduled`);
  } else if (conditionOf(pod, 'Ready') !== 'True' && !waitsForParents(complaints, pod, clique)) {
    complaints.say(`${name} is not ready`);
  }
}

/** Every PodClique of the gang has its minimum of scheduled pods. */
function isPlaced({ store }: Complaints, name: string): boolean {
  const gang = store.collection('scheduler.grove.io/podgangs').get(namespace, name);
  return listAt(gang, 'spec', 'podgroups').every((group) => {
    const clique = store.collection('grove.io/podcliques').get(namespace, textAt(group, 'name'));
    return numberAt(clique, 'status', 'scheduledReplicas') >= numberAt(group, 'minReplicas');
  });
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

function expectStatus(
  complaints: Complaints,
  set: Stored,
  clique: Stored,
  counts: Counts,
  isMember: boolean,
): void {
  const name = nameOf(clique);
  const { conditions: said, updateProgress, ...status } = fieldsAt(clique, 'status');
  complaints.ended(name, updateProgress);
  const replicas = numberAt(clique, 'spec', 'replicas');
  // The hashes move only when no pod is left that is one too many (rule 39).
  const hash = (field: string, wanted: unknown): unknown =>
    counts.all > replicas ? status[field] : wanted;
  const template = templateHashOf(clique);
  const generation = at(set, 'status', 'currentGenerationHash');
  complaints.same(`status of ${name}`, status, {
    replicas,
    readyReplicas: counts.ready,
    scheduledReplicas: counts.scheduled,
    scheduleGatedReplicas: counts.gated,
    updatedReplicas: counts.updated,
    currentPodTemplateHash: hash('currentPodTemplateHash', template),
    currentPodCliqueSetGenerationHash: hash('currentPodCliqueSetGenerationHash', generation),
    ...(isMember
      ? {}
      : {
          hpaPodSelector: [
            'app.kubernetes.io/managed-by=grove-operator',
            `app.kubernetes.io/part-of=${nameOf(set)}`,
            `grove.io/podclique=${name}`,
          ].join(','),
        }),
    observedGeneration: numberAt(clique, 'metadata', 'generation'),
  });
  const least = numberAt(clique, 'spec', 'minAvailable');
  const own = listAt({ said }, 'said')
    .map((row) => [
      ...['type', 'status', 'reason', 'message'].map((field) => textAt(row, field)),
      String(numberAt(row, 'observedGeneration')),
    ])
    .filter(([type = '']) => !type.startsWith('foreign/'))
    .toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1));
  const ready = podsReady({ ...counts, replicas }, { wanted: replicas, least });
  const conditions = [breached(counts, least), scheduled(counts.scheduled, least), stated(ready)];
  const judged = String(numberAt(clique, 'metadata', 'generation'));
  complaints.same(
    `conditions of ${name}`,
    own,
    conditions.map((row) => [...row, judged]),
  );
}
