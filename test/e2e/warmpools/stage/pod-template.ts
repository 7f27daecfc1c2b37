// The pods of warm pools in tests: they run wherever there is a node.
import type { JsonObject } from '#machines/kubernetes/objects.ts';

export const podTemplate = (spec: JsonObject = {}, metadata: JsonObject = {}): JsonObject => ({
  metadata,
  spec: {
    containers: [{ name: 'main', image: 'registry.example/none:1' }],
    // The nodes of KWOK have a taint.
    tolerations: [{ operator: 'Exists' }],
    ...spec,
  },
});
