// The PodCliqueSets of everything.ts: between them they ask for every kind of object.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { replaced } from '#test/admission/examples.ts';
import { groupKey } from '#test/support/domains.ts';
import { claimSpec } from '#test/support/sharing.ts';

const clique = (name: string, replicas: number, schedulerName: string, more = {}): JsonObject => ({
  name,
  spec: {
    roleName: name,
    replicas,
    minAvailable: 1,
    podSpec: {
      schedulerName,
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'main', image: 'registry.example/none:1' }],
    },
    ...more,
  },
});

const set = (name: string, annotations: JsonObject, template: JsonObject): JsonObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name, annotations },
  spec: { replicas: 1, template },
});

/** A base gang and a scaled one, autoscalers, a start-up order. */
export const wide = set(
  'w',
  { 'kai.scheduler/queue': 'q' },
  {
    cliqueStartupType: 'CliqueStartupTypeInOrder',
    cliques: [
      clique('a', 2, 'kai-scheduler', { autoScalingConfig: { maxReplicas: 4 } }),
      clique('b', 1, 'kai-scheduler'),
    ],
    podCliqueScalingGroups: [
      {
        name: 'x',
        cliqueNames: ['b'],
        replicas: 2,
        minAvailable: 1,
        scaleConfig: { maxReplicas: 5 },
      },
    ],
  },
);

export const plain = (name: string): JsonObject => set(name, {}, { cliques: [clique('a', 1, '')] });

export const onKai = (name: string): JsonObject =>
  set(name, { 'kai.scheduler/queue': 'q' }, { cliques: [clique('a', 1, 'kai-scheduler')] });

export const queued = set(
  'v',
  { 'scheduling.grove.io/volcano-queue': 'q' },
  { cliques: [clique('a', 1, 'volcano')] },
);

/** Claims for all pods and for those of a replica, which find no device. */
export const sharing = set(
  's',
  {},
  {
    resourceClaimTemplates: ['card', 'link'].map((name) => ({
      name,
      templateSpec: { spec: claimSpec(`${name}.example.com`) },
    })),
    resourceSharing: [
      { name: 'card', scope: 'AllReplicas' },
      { name: 'link', scope: 'PerReplica' },
    ],
    cliques: [clique('a', 1, '')],
  },
);

const gpus = clique('a', 1, '');

/** Pods that share memory over NVLink. */
export const enrolled = set(
  'n',
  { [groupKey]: 'rack' },
  {
    cliques: [
      replaced(gpus, {
        'spec.podSpec.containers[0].resources': { limits: { 'nvidia.com/gpu': 1 } },
      }),
    ],
  },
);
