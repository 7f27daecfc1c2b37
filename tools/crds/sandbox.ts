// The CRD of Sandbox (spec agent-sandbox 1.1), and the parts of it that templates and claims share.
import { conditions } from './common.ts';
import { inlined } from './inline.ts';
import { age, column, flag, int32, list, object, oneOf, root, text, textMap } from './shapes.ts';
import { time } from './shapes.ts';
import type { Definition, Deprecated, Shape } from './shapes.ts';

/** Of every kind of agent-sandbox: the version that is stored, and the older one beside it. */
export const stored = 'v1beta1';
export const older = 'v1alpha1';

/** What clients of the older version are told. */
export const deprecation = (group: string, kind: string): string =>
  `${group}/${older} ${kind} is deprecated; use ${group}/${stored} ${kind} instead`;

const labels = textMap('Labels to add.');
const annotations = textMap('Annotations to add.');

export const podMetadata = (description: string): Shape =>
  object(description, { annotations, labels });

export const shutdownTime = time('When it expires; absent: never.');

/** Quoted as in agent-sandbox, whose CRDs stay where they are already. */
const ofReady = (field: 'status' | 'reason'): string =>
  `.status.conditions[?(@.type=='Ready')].${field}`;

export const readyColumn = column('Ready', 'string', ofReady('status'));
export const reasonColumn = column('Reason', 'string', ofReady('reason'));

export const volumeClaimTemplates = list(
  object('A PersistentVolumeClaim to make.', {
    metadata: object('Its name, which is that of the volume too, labels and annotations.', {
      annotations,
      labels,
      name: text('Name of the volume; the claim is called after the Sandbox too.'),
    }),
    'spec!': inlined('io.k8s.api.core.v1.PersistentVolumeClaimSpec'),
  }),
  'PersistentVolumeClaims that are made for the pod and mounted as volumes.',
  { 'x-kubernetes-list-type': 'atomic' },
);

/** What a template hands on to each Sandbox made from it. */
export const blueprint: Readonly<Record<string, Shape>> = {
  'podTemplate!': object('The pod.', {
    metadata: podMetadata('Labels and annotations of the pod.'),
    'spec!': inlined('io.k8s.api.core.v1.PodSpec'),
  }),
  service: flag('True: there is a headless Service; false: none; absent: one is kept, not made.'),
  volumeClaimTemplates,
};

const common: Readonly<Record<string, Shape>> = {
  ...blueprint,
  shutdownPolicy: oneOf('What becomes of the object when it expires.', ['Delete', 'Retain'], {
    default: 'Retain',
  }),
  shutdownTime,
};

const fixedVolumes = {
  message: 'volumeClaimTemplates is immutable',
  rule:
    'has(self.volumeClaimTemplates) == has(oldSelf.volumeClaimTemplates) && ' +
    '(!has(self.volumeClaimTemplates) || ' +
    'self.volumeClaimTemplates == oldSelf.volumeClaimTemplates)',
};

const observed: Readonly<Record<string, Shape>> = {
  conditions: conditions('Observations about the Sandbox.'),
  podIPs: list(text(), 'Addresses of the pod.'),
  selector: text('Label selector of the pod.'),
  service: text('Name of the Service.'),
  serviceFQDN: text('DNS name of the Service.'),
};

const description = 'One pod with an identity, storage and a life of its own.';

const group = 'agents.x-k8s.io';
const kind = 'Sandbox';

const deprecated: Deprecated = {
  version: older,
  warning: deprecation(group, kind),
  columns: [],
  scaleSelector: 'selector',
  schema: root(
    description,
    object('What is wanted.', {
      ...common,
      replicas: int32('1: the pod runs; 0: it does not.', { default: 1, maximum: 1, minimum: 0 }),
    }),
    object('What was observed.', {
      ...observed,
      replicas: int32('Pods that exist.', { minimum: 0 }),
    }),
  ),
};

export const sandbox: Definition = {
  group,
  kind,
  plural: 'sandboxes',
  shortName: 'sandbox',
  scope: 'Namespaced',
  version: stored,
  columns: [readyColumn, reasonColumn, age],
  schema: root(
    description,
    object(
      'What is wanted.',
      {
        ...common,
        operatingMode: oneOf(
          'Suspended: there is no pod, and everything else is kept.',
          ['Running', 'Suspended'],
          { default: 'Running' },
        ),
      },
      { 'x-kubernetes-validations': [fixedVolumes] },
    ),
    object('What was observed.', { ...observed, nodeName: text('Node of the pod.') }),
  ),
  deprecated,
};
