// The CRD of PodClique (spec grove-api 1.3). Its spec is also the shape of `cliques[].spec` in a
// PodCliqueSet.
import { autoScaling, conditions, counter, lastErrors, observedGeneration } from './common.ts';
import { inlined } from './inline.ts';
import { age, column, conditionStatus, int32, list, object } from './shapes.ts';
import { root, text, time, wideColumn } from './shapes.ts';
import type { Definition, Shape } from './shapes.ts';

/** The spec of a clique, with the full pod schema inside. */
export const cliqueSpec = (description: string): Shape =>
  object(description, {
    autoScalingConfig: autoScaling('Horizontal autoscaling of a clique outside scaling groups.'),
    minAvailable: int32(
      'Pods that must be scheduled together and stay available; default: replicas.',
      { minimum: 0 },
    ),
    'podSpec!': inlined('io.k8s.api.core.v1.PodSpec'),
    'replicas!': int32('How many pods to run.', { minimum: 0 }),
    'roleName!': text('Role of these pods; unique among the cliques of a set.'),
    startsAfter: list(text(), 'Cliques that must be up before these pods start.'),
  });

const updateProgress = object('How far the pods have come in an update of the template.', {
  'podCliqueSetGenerationHash!': text('Template generation of the set that is aimed at.'),
  'podTemplateHash!': text('Hash of the pod template that is aimed at.'),
  readyPodsSelectedToUpdate: object('Ready pods that the update replaces.', {
    completed: list(text(), 'Pods that were replaced.'),
    'current!': text('Pod that is being replaced.'),
  }),
  updateEndedAt: time('When the update was done; absent while it runs.'),
  updateStartedAt: time('When the update began.'),
});

const status = object('What was observed.', {
  conditions: conditions('Observations about the clique.'),
  currentPodCliqueSetGenerationHash: text('Template generation of the set that is in effect.'),
  currentPodTemplateHash: text('Hash of the pod template that is in effect.'),
  hpaPodSelector: text('Label selector of the pods, for the autoscaler.'),
  lastErrors,
  observedGeneration,
  'readyReplicas!': counter('Pods that are ready.'),
  replicas: int32('Pods that exist and are not being deleted.'),
  'scheduleGatedReplicas!': counter('Pods that still wait behind a scheduling gate.'),
  'scheduledReplicas!': counter('Pods that have a node.'),
  updateProgress,
  'updatedReplicas!': counter('Pods that were made from the current template.'),
});

export const podClique: Definition = {
  group: 'grove.io',
  version: 'v1alpha1',
  kind: 'PodClique',
  plural: 'podcliques',
  shortName: 'pclq',
  scope: 'Namespaced',
  scaleSelector: 'hpaPodSelector',
  columns: [
    column('MinAvail', 'integer', '.spec.minAvailable'),
    column('Replicas', 'integer', '.spec.replicas'),
    column('Ready', 'integer', '.status.readyReplicas'),
    column('Scheduled', 'integer', '.status.scheduledReplicas'),
    column('Updated', 'integer', '.status.updatedReplicas'),
    wideColumn('Gated', 'integer', '.status.scheduleGatedReplicas'),
    wideColumn('MinBreached', 'string', conditionStatus('MinAvailableBreached')),
    wideColumn('Role', 'string', '.spec.roleName'),
    age,
  ],
  schema: root(
    'A group of pods with the same role. Made by Coppice for each clique of a PodCliqueSet.',
    cliqueSpec('The pods that are wanted.'),
    status,
  ),
};
