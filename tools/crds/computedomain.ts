// The CRD of ComputeDomain (spec compute-domain 1.1). Texts that other programs compare are
// NVIDIA's.
import { int, listBy, object, oneOf, text, topLevel } from './shapes.ts';
import type { Definition, Shape } from './shapes.ts';

export const nvidia = { group: 'resource.nvidia.com', version: 'v1beta1' } as const;

export const readiness = (description: string): Shape =>
  oneOf(description, ['Ready', 'NotReady'], { default: 'NotReady' });

const channel = object('How workloads get channels.', {
  allocationMode: oneOf('Whether a workload gets one channel or all of them.', ['All', 'Single'], {
    default: 'Single',
  }),
  'resourceClaimTemplate!': object('The claim template for workloads, which is created.', {
    'name!': text('Its name, in the namespace of the ComputeDomain.'),
  }),
});

const spec = object(
  'What the domain offers to workloads.',
  {
    'channel!': channel,
    numNodes: int('Deprecated: the domain is not Ready with fewer nodes.', {
      default: 0,
      minimum: 0,
    }),
  },
  {
    'x-kubernetes-validations': [
      { message: 'A computeDomain.spec is immutable', rule: 'self == oldSelf' },
    ],
  },
);

const node = object('A node that takes part.', {
  'cliqueID!': text('Its NVLink clique; empty: it has no fabric.'),
  index: int('Its index in the clique; -1 without fabric.'),
  'ipAddress!': text('Address of the daemon on it.'),
  'name!': text('Name of the node.'),
  status: readiness('Whether its daemon is ready.'),
});

const status = object('What was observed.', {
  nodes: listBy('name', node, 'The nodes that take part.'),
  'status!': readiness('Whether all nodes are ready.'),
});

export const computeDomain: Definition = {
  ...nvidia,
  kind: 'ComputeDomain',
  plural: 'computedomains',
  scope: 'Namespaced',
  columns: [],
  schema: topLevel('Nodes whose GPUs share memory over NVLink for a workload.', { spec, status }),
};
