// Shapes that several of the CRDs share: conditions, errors, topology constraints, resource sharing
// and autoscaling (spec grove-api 1.2.4, 1.2.5, 1.3.1, 1.7).
import { inlined } from './inline.ts';
import { int32, int64, list, object, oneOf, text, time } from './shapes.ts';
import type { Shape } from './shapes.ts';

const conditionTypePattern =
  '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?' +
  '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$';

const condition = object('One observation about the object, with the time of its last change.', {
  'lastTransitionTime!': time('When status last changed from one value to another.'),
  'message!': text('Details for a person; may be empty.', { maxLength: 32768 }),
  observedGeneration: int64('The metadata.generation that this observation is about.', {
    minimum: 0,
  }),
  'reason!': text('One CamelCase word for a program: why the status is what it is.', {
    maxLength: 1024,
    minLength: 1,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
  }),
  'status!': oneOf('Whether the observation holds.', ['True', 'False', 'Unknown']),
  'type!': text('Name of the observation.', { maxLength: 316, pattern: conditionTypePattern }),
});

export const conditions = (description: string): Shape => list(condition, description);

export const lastErrors = list(
  object('One error, kept for people to read.', {
    'code!': text('Code of the error.'),
    'description!': text('What was attempted and what went wrong.'),
    'observedAt!': time('When the error happened.'),
  }),
  'Errors of the most recent attempt that ended early.',
);

export const observedGeneration = int64('The last metadata.generation that was fully processed.', {
  nullable: true,
});

export const counter = (description: string): Shape => int32(description, { default: 0 });

const domain = (description: string): Shape =>
  text(description, { maxLength: 63, minLength: 1, pattern: '^[a-z][a-z0-9-]*$' });

export const topologyDomain = domain;

const pack = object(
  'How tightly to place the pods. At least one of the two fields must be set.',
  {
    preferred: domain('Domain to aim for; placement elsewhere is allowed.'),
    required: domain('Domain that must hold all pods; without room in one, nothing is scheduled.'),
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'set required, preferred or both',
        reason: 'FieldValueRequired',
        rule: 'has(self.required) || has(self.preferred)',
      },
    ],
  },
);

export const topologyConstraint = (description: string): Shape =>
  object(
    description,
    {
      pack,
      packDomain: domain('Old spelling of pack.required. Deprecated.'),
      topologyName: text(
        'The ClusterTopologyBinding that defines the domains; inherited from above if absent.',
      ),
    },
    {
      'x-kubernetes-validations': [
        {
          fieldPath: '.pack',
          message: 'a topology constraint needs pack',
          reason: 'FieldValueRequired',
          rule: 'has(self.pack) || has(self.packDomain)',
        },
        {
          fieldPath: '.pack.required',
          message: 'packDomain is the old spelling of pack.required: set only one of them',
          rule: '!(has(self.packDomain) && has(self.pack) && has(self.pack.required))',
        },
      ],
    },
  );

const cliqueFilter = list(text(), 'Names of cliques of the template that get the claim.');

/** Where in the template a sharing entry stands decides what its filter may name. */
const sharingFilters: Readonly<
  Record<'set' | 'group' | 'clique', Readonly<Record<string, Shape>>>
> = {
  set: {
    filter: object('Which children get the claim; absent: all of them.', {
      childCliqueNames: cliqueFilter,
      childScalingGroupNames: list(text(), 'Names of scaling groups that get the claim.'),
    }),
  },
  group: {
    filter: object('Which member cliques get the claim; absent: all of them.', {
      childCliqueNames: cliqueFilter,
    }),
  },
  clique: {},
};

export const resourceSharing = (level: 'set' | 'group' | 'clique', description: string): Shape =>
  list(
    object('A claim that several pods share.', {
      'name!': text(
        'The template of the claim: one of spec.template.resourceClaimTemplates, else a ' +
          'ResourceClaimTemplate object.',
      ),
      namespace: text('Namespace of the ResourceClaimTemplate object; absent: our own.'),
      'scope!': oneOf('One claim for all replicas of the owner, or one for each.', [
        'AllReplicas',
        'PerReplica',
      ]),
      ...sharingFilters[level],
    }),
    description,
  );

export const autoScaling = (description: string): Shape =>
  object(description, {
    'maxReplicas!': int32('The autoscaler never goes above this.'),
    metrics: list(
      inlined('io.k8s.api.autoscaling.v2.MetricSpec'),
      'What the autoscaler looks at; empty: 80 % of the requested CPU.',
      { 'x-kubernetes-list-type': 'atomic' },
    ),
    minReplicas: int32('The autoscaler never goes below this; default: the replicas above.'),
  });
