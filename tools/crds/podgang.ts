// The CRD of PodGang (spec grove-api 1.6), the object that schedulers read.
import { conditions } from './common.ts';
import { age, column, conditionStatus, int32, list, object } from './shapes.ts';
import { root, text, wideColumn } from './shapes.ts';
import type { Definition, Shape } from './shapes.ts';

const reference = (description: string): Shape =>
  object(description, { 'name!': text('Name.'), 'namespace!': text('Namespace.') });

const constraint = (description: string): Shape =>
  object(description, {
    packConstraint: object('Where to pack the pods, as keys of node labels.', {
      preferred: text('Label key to aim for; placement elsewhere is allowed.'),
      required: text('Label key of which all pods must share one value.'),
    }),
  });

const podGroup = object('The pods of one PodClique.', {
  'minReplicas!': int32('Pods of this group that must be scheduled together.'),
  'name!': text('Name of the PodClique.'),
  'podReferences!': list(reference('A pod.'), 'The pods of this group, sorted by name.'),
  topologyConstraint: constraint('Where the pods of this group are placed.'),
});

const groupConfig = object('Pod groups that are placed together.', {
  'name!': text('Name of the combination.'),
  'podGroupNames!': list(text(), 'The pod groups.'),
  topologyConstraint: constraint('Where these pod groups are placed.'),
});

const spec = object('The gang that is to be scheduled.', {
  'podgroups!': list(podGroup, 'The groups of pods that are scheduled all or none.'),
  priorityClassName: text('Priority of the gang.'),
  reuseReservationRef: reference('An earlier gang whose reserved places may be used again.'),
  topologyConstraint: constraint('Where the whole gang is placed.'),
  topologyConstraintGroupConfigs: list(groupConfig, 'Constraints on several pod groups at once.'),
});

const status = object('What was observed.', {
  conditions: conditions('Observations about the gang.'),
  'phase!': text('Where the gang is in its life: Pending, Starting or Running.'),
  placementScore: {
    description: 'How good the placement is for the network; 1.0 is best.',
    format: 'double',
    type: 'number',
  },
});

export const podGang: Definition = {
  group: 'scheduler.grove.io',
  version: 'v1alpha1',
  kind: 'PodGang',
  plural: 'podgangs',
  shortName: 'pg',
  scope: 'Namespaced',
  columns: [
    column('Phase', 'string', '.status.phase'),
    wideColumn('Initialized', 'string', conditionStatus('Initialized')),
    wideColumn('Scheduled', 'string', conditionStatus('Scheduled')),
    wideColumn('Ready', 'string', conditionStatus('Ready')),
    wideColumn('Priority', 'string', '.spec.priorityClassName'),
    wideColumn('Score', 'number', '.status.placementScore'),
    age,
  ],
  schema: root('Pods that a scheduler places all together or not at all.', spec, status),
};
