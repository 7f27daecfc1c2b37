// The CRDs of NVIDIA's ComputeDomain and ComputeDomainClique as its driver ships them, and with a
// guard that refuses shared indices and indices out of range. A fixture of the benchmark.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { capacity } from '../clique.ts';

const status: JsonObject = { type: 'string', enum: ['Ready', 'NotReady'], default: 'NotReady' };
const words: JsonObject = { type: 'string' };

const crd = (kind: string, plural: string, version: JsonObject): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.resource.nvidia.com` },
  spec: {
    group: 'resource.nvidia.com',
    scope: 'Namespaced',
    names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
    versions: [{ name: 'v1beta1', served: true, storage: true, ...version }],
  },
});

const schema = (properties: JsonObject): JsonObject => ({
  schema: { openAPIV3Schema: { type: 'object', properties } },
});

const domainSpec: JsonObject = {
  type: 'object',
  required: ['channel'],
  properties: {
    numNodes: { type: 'integer', minimum: 0, default: 0 },
    channel: {
      type: 'object',
      required: ['resourceClaimTemplate'],
      properties: {
        allocationMode: { type: 'string', enum: ['All', 'Single'], default: 'Single' },
        resourceClaimTemplate: { type: 'object', required: ['name'], properties: { name: words } },
      },
    },
  },
  'x-kubernetes-validations': [
    { rule: 'self == oldSelf', message: 'A computeDomain.spec is immutable' },
  ],
};

const domainStatus: JsonObject = {
  type: 'object',
  required: ['status'],
  properties: {
    status,
    nodes: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: {
        type: 'object',
        required: ['name', 'ipAddress', 'cliqueID'],
        properties: {
          name: words,
          ipAddress: words,
          cliqueID: words,
          index: { type: 'integer' },
          status,
        },
      },
    },
  },
};

const rows: JsonObject = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['nodeName'],
  items: {
    type: 'object',
    required: ['nodeName', 'ipAddress', 'cliqueID'],
    properties: {
      nodeName: words,
      ipAddress: words,
      cliqueID: words,
      index: { type: 'integer' },
      status,
    },
  },
};

/** The bound on the list is what makes the rule cheap enough for the server to accept. */
const guard: JsonObject = {
  maxItems: capacity,
  'x-kubernetes-validations': [
    {
      rule: `self.all(d, has(d.index) && d.index >= 0 && d.index < ${capacity})`,
      message: `each index must be from 0 to ${capacity - 1}`,
    },
    {
      rule: 'self.all(a, self.exists_one(b, a.index == b.index))',
      message: 'no two daemons may have the same index',
    },
  ],
};

export const crds = (isGuarded: boolean): readonly JsonObject[] => [
  crd('ComputeDomain', 'computedomains', {
    subresources: { status: {} },
    ...schema({ spec: domainSpec, status: domainStatus }),
  }),
  crd('ComputeDomainClique', 'computedomaincliques', {
    ...schema({ daemons: isGuarded ? { ...rows, ...guard } : rows }),
  }),
];
