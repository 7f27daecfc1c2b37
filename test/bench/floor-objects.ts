// The objects that the floor writes: as a controller has to write them, with the labels, owners,
// finalizers and environment of Grove's contract, since each of them costs the server time
// (decision 0015).
import { namespace, podSpec, podsPerReplica, updatedPodSpec } from './workload.ts';

const set = 'floor';
const host = 'svc.cluster.local';

export const replicaName = (index: number): string => `${set}-${index}`;
export const cliqueName = (index: number): string => `${replicaName(index)}-w`;
export const podNames = (index: number): string[] =>
  Array.from({ length: podsPerReplica }, (_, pod) => `${cliqueName(index)}-${pod}`);

export const managed = {
  'app.kubernetes.io/managed-by': 'grove-operator',
  'app.kubernetes.io/part-of': set,
};
const ofReplica = (index: number) => ({ 'grove.io/podcliqueset-replica-index': String(index) });
const ofComponent = (component: string, name: string) => ({
  ...managed,
  'app.kubernetes.io/component': component,
  'app.kubernetes.io/name': name,
});
/** Before an update, as in a deploy, and after it. */
export const hashes = { template: 'k62n94mhrvf', generation: '4ftks8s8jgs' };
export const newHashes: typeof hashes = { template: 'qv2jz7xw9lm', generation: '8hr5d1t6bnc' };

/** Of a PodClique, and of its pods besides what only they have. */
const cliqueLabels = (index: number) => ({
  ...ofComponent('pcs-podclique', cliqueName(index)),
  ...ofReplica(index),
  'grove.io/pod-template-hash': hashes.template,
  'grove.io/podgang': replicaName(index),
});

const withDefaults = (spec: typeof podSpec) => ({
  ...spec,
  restartPolicy: 'Always',
  terminationGracePeriodSeconds: 30,
});
const defaulted = withDefaults(podSpec);

const clique = {
  roleName: 'w',
  replicas: podsPerReplica,
  minAvailable: podsPerReplica,
  podSpec,
};

/** Owner of all. */
export const floorSet = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: set, namespace },
  spec: { replicas: 0, template: { cliques: [{ name: 'w', spec: clique }] } },
};

const owner = (kind: string, name: string, uid: string) => ({
  ownerReferences: [
    {
      apiVersion: 'grove.io/v1alpha1',
      kind,
      name,
      uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
});

export class FloorObjects {
  readonly #setOwns: ReturnType<typeof owner>;

  constructor(setUid: string) {
    this.#setOwns = owner('PodCliqueSet', set, setUid);
  }

  service(index: number): unknown {
    const name = replicaName(index);
    const labels = { ...ofComponent('pcs-headless-service', name), ...ofReplica(index) };
    const selector = { ...managed, ...ofReplica(index) };
    return {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, labels, ...this.#setOwns },
      spec: { clusterIP: 'None', publishNotReadyAddresses: true, selector },
    };
  }

  podClique(index: number): unknown {
    const name = cliqueName(index);
    return {
      apiVersion: 'grove.io/v1alpha1',
      kind: 'PodClique',
      metadata: {
        name,
        labels: cliqueLabels(index),
        annotations: { 'grove.io/podcliqueset-generation-hash': hashes.generation },
        finalizers: ['grove.io/podclique.grove.io'],
        ...this.#setOwns,
      },
      spec: { ...clique, podSpec: defaulted },
    };
  }

  podGang(index: number): unknown {
    return {
      apiVersion: 'scheduler.grove.io/v1alpha1',
      kind: 'PodGang',
      metadata: {
        name: replicaName(index),
        labels: {
          ...managed,
          'app.kubernetes.io/component': 'podgang',
          'grove.io/scheduler-name': 'default-scheduler',
        },
        ...this.#setOwns,
      },
      spec: {
        podgroups: [
          {
            name: cliqueName(index),
            minReplicas: podsPerReplica,
            podReferences: referencesTo(podNames(index)),
          },
        ],
      },
    };
  }

  pods(index: number, cliqueUid: string): readonly unknown[] {
    return podNames(index).map((name, pod) => this.#pod(index, name, pod, cliqueUid));
  }

  /** In place of that of the same number, with the pod spec of an update. */
  newPod(index: number, name: string, pod: number, cliqueUid: string): unknown {
    return this.#pod(index, name, pod, cliqueUid, newHashes.template, withDefaults(updatedPodSpec));
  }

  #pod(
    index: number,
    name: string,
    pod: number,
    cliqueUid: string,
    hash = hashes.template,
    spec = defaulted,
  ): unknown {
    const podClique = cliqueName(index);
    const subdomain = replicaName(index);
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name,
        labels: {
          ...cliqueLabels(index),
          'grove.io/pod-template-hash': hash,
          'grove.io/podclique': podClique,
          'grove.io/podclique-pod-index': String(pod),
        },
        ...owner('PodClique', podClique, cliqueUid),
      },
      spec: {
        ...spec,
        schedulerName: 'default-scheduler',
        hostname: `${podClique}-${pod}`,
        subdomain,
        containers: spec.containers.map((container) => ({
          ...container,
          env: environment(index),
        })),
      },
    };
  }

  /** The PodClique as an update wants it, as a merge patch. */
  newCliqueSpec(): unknown {
    return {
      metadata: {
        labels: { 'grove.io/pod-template-hash': newHashes.template },
        annotations: { 'grove.io/podcliqueset-generation-hash': newHashes.generation },
      },
      spec: { podSpec: withDefaults(updatedPodSpec) },
    };
  }

  /** The pods of a PodGang, as a merge patch. */
  newReferences(index: number, names: readonly string[]): unknown {
    const podReferences = referencesTo(names);
    const group = { name: cliqueName(index), minReplicas: podsPerReplica, podReferences };
    return { spec: { podgroups: [group] } };
  }

  /** Pending, with its pods listed, and later Running. */
  podGangStatus(index: number, resourceVersion: string, phase: 'Pending' | 'Running'): unknown {
    return {
      apiVersion: 'scheduler.grove.io/v1alpha1',
      kind: 'PodGang',
      metadata: { name: replicaName(index), resourceVersion },
      status: {
        phase,
        conditions: [condition('Initialized', 'True', 'PodGangPodsCreated')],
      },
    };
  }

  /** As a deploy leaves it, but for these fields. */
  podCliqueStatus(index: number, resourceVersion: string, changes: object = {}): unknown {
    const name = cliqueName(index);
    return {
      apiVersion: 'grove.io/v1alpha1',
      kind: 'PodClique',
      metadata: { name, resourceVersion },
      status: {
        observedGeneration: 1,
        replicas: podsPerReplica,
        readyReplicas: podsPerReplica,
        scheduledReplicas: podsPerReplica,
        scheduleGatedReplicas: 0,
        updatedReplicas: podsPerReplica,
        currentPodTemplateHash: hashes.template,
        currentPodCliqueSetGenerationHash: hashes.generation,
        hpaPodSelector: `app.kubernetes.io/managed-by=grove-operator,grove.io/podclique=${name}`,
        conditions: [
          judged('PodCliqueScheduled', 'True', 'SufficientScheduledPods'),
          judged('MinAvailableBreached', 'False', 'SufficientReadyPods'),
          judged('Ready', 'True', 'PodsReady'),
        ],
        ...changes,
      },
    };
  }
}

const referencesTo = (names: readonly string[]) => names.map((name) => ({ namespace, name }));

const environment = (index: number): readonly unknown[] => [
  { name: 'GROVE_PCS_NAME', value: set },
  { name: 'GROVE_PCS_INDEX', value: String(index) },
  { name: 'GROVE_PCLQ_NAME', value: cliqueName(index) },
  { name: 'GROVE_HEADLESS_SERVICE', value: `${replicaName(index)}.${namespace}.${host}` },
  {
    name: 'GROVE_PCLQ_POD_INDEX',
    valueFrom: { fieldRef: { fieldPath: "metadata.labels['grove.io/podclique-pod-index']" } },
  },
];

export const judged = (...[type, status, reason]: Parameters<typeof condition>): unknown => ({
  ...condition(type, status, reason),
  observedGeneration: 1,
});

const condition = (type: string, status: string, reason: string) => ({
  type,
  status,
  reason,
  message: 'Sufficient pods found, expected at least: 2, found: 2',
  lastTransitionTime: new Date(0).toISOString(),
});
