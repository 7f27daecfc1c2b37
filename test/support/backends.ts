// CRDs of scheduler backends, reduced to what Coppice reads and writes: enough for tests that have
// no such scheduler.
import type { JsonObject } from '#machines/objects.ts';

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
