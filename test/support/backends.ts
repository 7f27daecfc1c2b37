// CRDs of scheduler backends, reduced to what Coppice reads and writes: enough for tests that have
// no such scheduler.
import type { JsonObject } from '#machines/kubernetes/objects.ts';

/** KAI's Topology: cluster-scoped; its levels may not change. */
export const kaiTopologyCrd: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'topologies.kai.scheduler' },
  spec: {
    group: 'kai.scheduler',
    scope: 'Cluster',
    names: {
      plural: 'topologies',
      singular: 'topology',
      kind: 'Topology',
      listKind: 'TopologyList',
    },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['levels'],
                properties: {
                  levels: {
                    type: 'array',
                    minItems: 1,
                    items: {
                      type: 'object',
                      required: ['nodeLabel'],
                      properties: { nodeLabel: { type: 'string' } },
                    },
                    'x-kubernetes-validations': [
                      { rule: 'self == oldSelf', message: 'field is immutable' },
                    ],
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
};

const constraint = {
  type: 'object',
  required: ['topology'],
  properties: {
    topology: { type: 'string' },
    requiredTopologyLevel: { type: 'string' },
    preferredTopologyLevel: { type: 'string' },
  },
};

/** KAI's PodGroup, with the defaults of nothing; what is not named here is dropped. */
export const kaiPodGroupCrd = (): JsonObject =>
  podGroupCrd('scheduling.run.ai', 'v2alpha2', {
    minMember: { type: 'integer', minimum: 0 },
    queue: { type: 'string' },
    priorityClassName: { type: 'string' },
    markUnschedulable: { type: 'boolean' },
    schedulingBackoff: { type: 'integer' },
    topologyConstraint: constraint,
    subGroups: {
      type: 'array',
      items: {
        type: 'object',
        required: ['name'],
        properties: {
          name: { type: 'string', minLength: 1 },
          minMember: { type: 'integer', minimum: 0 },
          minSubGroup: { type: 'integer', minimum: 1 },
          parent: { type: 'string' },
          topologyConstraint: constraint,
        },
      },
    },
  });

/** Volcano's PodGroup. Without `subGroupPolicy` it is that of an older Volcano. */
export const volcanoCrd = ({ hasPolicies = true } = {}): JsonObject =>
  podGroupCrd('scheduling.volcano.sh', 'v1beta1', {
    minMember: { type: 'integer', minimum: 0 },
    queue: { type: 'string', default: 'default' },
    priorityClassName: { type: 'string' },
    minResources: { type: 'object', additionalProperties: { 'x-kubernetes-int-or-string': true } },
    ...(hasPolicies ? { subGroupPolicy } : {}),
  });

const subGroupPolicy = {
  type: 'array',
  items: {
    type: 'object',
    required: ['name'],
    properties: {
      name: { type: 'string' },
      labelSelector: {
        type: 'object',
        properties: {
          matchLabels: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
      matchLabelKeys: { type: 'array', items: { type: 'string' } },
      subGroupSize: { type: 'integer', minimum: 1 },
      minSubGroups: { type: 'integer', minimum: 1 },
    },
  },
};

const podGroupCrd = (group: string, version: string, properties: JsonObject): JsonObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `podgroups.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: {
      plural: 'podgroups',
      singular: 'podgroup',
      kind: 'PodGroup',
      listKind: 'PodGroupList',
    },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
});
