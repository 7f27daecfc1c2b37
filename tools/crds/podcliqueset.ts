// The CRD of PodCliqueSet (spec grove-api 1.2).
import { autoScaling, conditions, counter, lastErrors, observedGeneration } from './common.ts';
import { resourceSharing, topologyConstraint } from './common.ts';
import { inlined } from './inline.ts';
import { cliqueSpec } from './podclique.ts';
import { age, column, flag, int32, list, listBy, object, oneOf } from './shapes.ts';
import { root, text, textMap, time, wideColumn } from './shapes.ts';
import type { Definition, Shape } from './shapes.ts';

const clique = object('One role of the set.', {
  annotations: textMap('Copied to the PodClique and its pods.'),
  labels: textMap('Copied to the PodClique and its pods; our own keys win.'),
  'name!': text('Short name, unique in the set.'),
  resourceSharing: resourceSharing('clique', 'Claims that the pods of this clique share.'),
  'spec!': cliqueSpec('The pods of this role.'),
  topologyConstraint: topologyConstraint('Where the pods of this clique are placed.'),
});

const scalingGroup = object('Cliques that are scaled and scheduled together.', {
  annotations: textMap('Copied to the PodCliqueScalingGroup.'),
  'cliqueNames!': list(text(), 'The member cliques.'),
  minAvailable: int32('Replicas that are scheduled together and must stay available.', {
    default: 1,
    minimum: 0,
  }),
  'name!': text('Short name, unique in the set.'),
  replicas: int32('Replicas that the group starts with.', { default: 1, minimum: 0 }),
  resourceSharing: resourceSharing('group', 'Claims that the member cliques share.'),
  scaleConfig: autoScaling('Horizontal autoscaling of the group.'),
  topologyConstraint: topologyConstraint('Where each replica of the group is placed.'),
});

const claimTemplate = object('A named template of resource claims.', {
  'name!': text('Name that resourceSharing entries refer to.'),
  'templateSpec!': inlined('io.k8s.api.resource.v1.ResourceClaimTemplateSpec'),
});

const startup = oneOf(
  'In which order the cliques start: all at once, in the order of the list, or as startsAfter says.',
  ['CliqueStartupTypeAnyOrder', 'CliqueStartupTypeInOrder', 'CliqueStartupTypeExplicit'],
  { default: 'CliqueStartupTypeAnyOrder' },
);

const template = object('What one replica is made of.', {
  cliqueStartupType: startup,
  'cliques!': listBy('name', clique, 'The roles of a replica.'),
  headlessServiceConfig: object('Options of the headless Service of each replica.', {
    'publishNotReadyAddresses!': flag('Give pods a DNS name before they are ready.', {
      default: true,
    }),
  }),
  podCliqueScalingGroups: list(scalingGroup, 'Groups of cliques that scale as one.'),
  priorityClassName: text('Priority class of the gangs; not copied to the pods.'),
  resourceClaimTemplates: list(claimTemplate, 'Claim templates for resourceSharing entries.'),
  resourceSharing: resourceSharing('set', 'Claims that the pods of the set share.'),
  terminationDelay: text(
    'How long too few pods may be available before the gang is ended, e.g. 4h0m0s.',
  ),
  topologyConstraint: topologyConstraint('Where each replica of the set is placed.'),
});

const spec = object('The set that is wanted.', {
  replicas: int32('How many complete copies of the template to run.', { default: 0, minimum: 0 }),
  'template!': template,
  updateStrategy: object('How a changed template reaches the replicas.', {
    type: oneOf(
      'RollingRecreate replaces one replica at a time; OnDelete waits for pods to be deleted.',
      ['RollingRecreate', 'OnDelete'],
      { default: 'RollingRecreate' },
    ),
  }),
});

const updateProgress = object('How far the replicas have come in an update of the template.', {
  currentlyUpdating: list(
    object('A replica in flight.', {
      'replicaIndex!': int32('Index of the replica.'),
      updateEndedAt: time('When this replica was done.'),
      updateStartedAt: time('When this replica began.'),
    }),
    'Replicas that are being updated.',
  ),
  totalPodCliqueScalingGroupsCount: counter('Scaling groups in the set.'),
  totalPodCliquesCount: counter('PodCliques in the set that are in no scaling group.'),
  updateEndedAt: time('When the update was done; absent while there is work left.'),
  updateStartedAt: time('When the update began.'),
  updatedPodCliqueScalingGroupsCount: counter('Scaling groups on the new template.'),
  updatedPodCliquesCount: counter('PodCliques outside scaling groups on the new template.'),
});

const gangStatus = object('State of one gang.', {
  conditions: conditions('Observations about the gang.'),
  'name!': text('Name of the PodGang.'),
  'phase!': oneOf('Where the gang is in its life.', [
    'Pending',
    'Starting',
    'Running',
    'Failed',
    'Succeeded',
  ]),
});

const status = object('What was observed.', {
  'availableReplicas!': counter('Replicas in which every part has its minimum available.'),
  conditions: conditions('Observations about the set.'),
  currentGenerationHash: text('Hash of the pod templates that are in effect.'),
  hpaPodSelector: text('Label selector of the pods, for the autoscaler.'),
  lastErrors,
  observedGeneration,
  podGangStatuses: list(gangStatus, 'State of the gangs.'),
  replicas: int32('Replicas that are wanted.'),
  updateProgress,
  'updatedReplicas!': counter('Replicas that are fully on the current template.'),
});

const notAtCreation = (fieldPath: string, level: string, absent: string): Shape => ({
  fieldPath,
  message: `packDomain cannot be used ${level} of a new set: use pack.required`,
  optionalOldSelf: true,
  reason: 'FieldValueForbidden',
  rule: `oldSelf.hasValue() || ${absent}`,
});

const nonePacks = (listName: string): string =>
  `!self.spec.template.${listName}.exists(x, ` +
  'has(x.topologyConstraint) && has(x.topologyConstraint.packDomain))';

/** Rules for updates that the webhook knows too (docs/admission.md: U1, U6, U7), so that they hold
 *  while it is away. */
const kept = (fieldPath: string, message: string, reason: string, rule: string): Shape => ({
  fieldPath,
  message,
  reason,
  rule,
});

const countOf = (whole: string, listName: string): string =>
  `(has(${whole}.spec.template.${listName}) ? size(${whole}.spec.template.${listName}) : 0)`;

const rules = [
  kept(
    '.spec.template.cliqueStartupType',
    'field is immutable',
    'FieldValueInvalid',
    '!has(oldSelf.spec.template.cliqueStartupType) || ' +
      'self.spec.template.cliqueStartupType == oldSelf.spec.template.cliqueStartupType',
  ),
  kept(
    '.spec.template.cliques',
    'the number of cliques cannot change',
    'FieldValueForbidden',
    'size(self.spec.template.cliques) == size(oldSelf.spec.template.cliques)',
  ),
  kept(
    '.spec.template.podCliqueScalingGroups',
    'the number of scaling groups cannot change',
    'FieldValueForbidden',
    `${countOf('self', 'podCliqueScalingGroups')} == ${countOf('oldSelf', 'podCliqueScalingGroups')}`,
  ),
  notAtCreation(
    '.spec.template.topologyConstraint.packDomain',
    'at the top',
    '!has(self.spec.template.topologyConstraint) || ' +
      '!has(self.spec.template.topologyConstraint.packDomain)',
  ),
  notAtCreation('.spec.template.cliques', 'in the cliques', nonePacks('cliques')),
  notAtCreation(
    '.spec.template.podCliqueScalingGroups',
    'in the scaling groups',
    `!has(self.spec.template.podCliqueScalingGroups) || ${nonePacks('podCliqueScalingGroups')}`,
  ),
];

export const podCliqueSet: Definition = {
  group: 'grove.io',
  version: 'v1alpha1',
  kind: 'PodCliqueSet',
  plural: 'podcliquesets',
  shortName: 'pcs',
  scope: 'Namespaced',
  scaleSelector: 'hpaPodSelector',
  columns: [
    column('Replicas', 'integer', '.spec.replicas'),
    column('Available', 'integer', '.status.availableReplicas'),
    column('Updated', 'integer', '.status.updatedReplicas'),
    column('PCLQs-Updated', 'integer', '.status.updateProgress.updatedPodCliquesCount'),
    column('PCLQs-Total', 'integer', '.status.updateProgress.totalPodCliquesCount'),
    column('PCSGs-Updated', 'integer', '.status.updateProgress.updatedPodCliqueScalingGroupsCount'),
    column('PCSGs-Total', 'integer', '.status.updateProgress.totalPodCliqueScalingGroupsCount'),
    wideColumn('Startup', 'string', '.spec.template.cliqueStartupType'),
    wideColumn('Strategy', 'string', '.spec.updateStrategy.type'),
    wideColumn('Hash', 'string', '.status.currentGenerationHash'),
    age,
  ],
  schema: root(
    'A workload of several roles whose pods are scheduled together, any number of times.',
    spec,
    status,
    { 'x-kubernetes-validations': rules },
  ),
};
