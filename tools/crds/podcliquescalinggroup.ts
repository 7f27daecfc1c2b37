// The CRD of PodCliqueScalingGroup (spec grove-api 1.4).
import { conditions, counter, lastErrors, observedGeneration } from './common.ts';
import { age, column, conditionStatus, int32, list, object } from './shapes.ts';
import { root, text, time, wideColumn } from './shapes.ts';
import type { Definition } from './shapes.ts';

const spec = object('The group that is wanted.', {
  'cliqueNames!': list(text(), 'Short names of the member cliques.'),
  minAvailable: int32('Replicas that are scheduled together and must stay available.', {
    default: 1,
    minimum: 0,
  }),
  'replicas!': int32('How many copies of the member cliques to run.', { default: 1, minimum: 0 }),
});

const updateProgress = object('How far the replicas have come in an update of the template.', {
  'podCliqueSetGenerationHash!': text('Template generation of the set that is aimed at.'),
  readyReplicaIndicesSelectedToUpdate: object('Ready replicas that the update replaces.', {
    completed: list({ format: 'int32', type: 'integer' }, 'Replicas that were replaced.'),
    'current!': int32('Replica that is being replaced.'),
  }),
  totalPodCliquesCount: counter('Member PodCliques.'),
  updateEndedAt: time('When the update was done; absent while it runs.'),
  'updateStartedAt!': time('When the update began.'),
  updatedPodCliquesCount: counter('Member PodCliques on the new template.'),
});

const status = object('What was observed.', {
  'availableReplicas!': counter('Scheduled replicas with enough ready pods in every member.'),
  conditions: conditions('Observations about the group.'),
  currentPodCliqueSetGenerationHash: text('Template generation of the set that is in effect.'),
  lastErrors,
  observedGeneration,
  replicas: int32('Replicas that are wanted.'),
  'scheduledReplicas!': counter('Replicas in which every member is scheduled.'),
  selector: text('Label selector of the pods, for the autoscaler.'),
  updateProgress,
  'updatedReplicas!': counter('Available replicas on the current template.'),
});

export const podCliqueScalingGroup: Definition = {
  group: 'grove.io',
  version: 'v1alpha1',
  kind: 'PodCliqueScalingGroup',
  plural: 'podcliquescalinggroups',
  shortName: 'pcsg',
  scope: 'Namespaced',
  scaleSelector: 'selector',
  columns: [
    column('MinAvail', 'integer', '.spec.minAvailable'),
    column('Replicas', 'integer', '.spec.replicas'),
    column('Available', 'integer', '.status.availableReplicas'),
    column('Scheduled', 'integer', '.status.scheduledReplicas'),
    column('Updated', 'integer', '.status.updatedReplicas'),
    column('PCLQs-Updated', 'integer', '.status.updateProgress.updatedPodCliquesCount'),
    column('PCLQs-Total', 'integer', '.status.updateProgress.totalPodCliquesCount'),
    wideColumn('MinBreached', 'string', conditionStatus('MinAvailableBreached')),
    wideColumn('Cliques', 'string', '.spec.cliqueNames'),
    age,
  ],
  schema: root(
    'Cliques that are scaled and scheduled as one. Made by Coppice for each group of a set.',
    spec,
    status,
  ),
};
