// PodCliqueSets whose cliques share memory over NVLink, and a ComputeDomain CRD reduced to what
// Coppice writes: enough for tests that have no NVIDIA driver.
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueSet } from './samples.ts';

export const groupKey = 'grove.io/mnnvl-group';

/** A container that asks for GPUs, as a limit or as a request. */
export const gpuContainer = (
  gpus: string | number = 4,
  field: 'limits' | 'requests' = 'limits',
): JsonObject => ({
  name: 'main',
  image: 'busybox:1',
  resources: { [field]: { 'nvidia.com/gpu': gpus } },
});

export interface EnrolledClique {
  readonly name: string;
  /** The annotation; absent: none. */
  readonly group?: string;
  readonly podSpec?: JsonObject;
}

export interface EnrolledGroup {
  readonly cliqueNames: readonly string[];
  readonly group?: string;
}

const annotated = (group: string | undefined): { annotations?: Record<string, string> } =>
  group === undefined ? {} : { annotations: { [groupKey]: group } };

/** `demo/demo` with the annotation on the set, its cliques and a scaling group `pack`. */
export function enrolledSet(
  replicas: number,
  onSet: string | undefined,
  cliques: readonly EnrolledClique[],
  pack?: EnrolledGroup,
): KubeObject {
  const plain = cliqueSet(
    replicas,
    cliques.map(({ name, podSpec }) => ({
      name,
      replicas: 1,
      podSpec: podSpec ?? { containers: [gpuContainer()] },
    })),
    pack === undefined
      ? {}
      : {
          podCliqueScalingGroups: [
            {
              name: 'pack',
              cliqueNames: [...pack.cliqueNames],
              replicas: 2,
              minAvailable: 1,
              ...annotated(pack.group),
            },
          ],
        },
  );
  const body = structuredClone(plain);
  const templates = Object(body['spec']).template.cliques;
  for (const [index, { group }] of cliques.entries()) {
    Object.assign(templates[index], annotated(group));
  }
  return { ...body, metadata: { ...body.metadata, ...annotated(onSet) } };
}

/** NVIDIA's ComputeDomain: its spec may not change, and both parts of it are required. */
export const computeDomainCrd: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'computedomains.resource.nvidia.com' },
  spec: {
    group: 'resource.nvidia.com',
    scope: 'Namespaced',
    names: {
      plural: 'computedomains',
      singular: 'computedomain',
      kind: 'ComputeDomain',
      listKind: 'ComputeDomainList',
    },
    versions: [
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                required: ['channel', 'numNodes'],
                properties: {
                  numNodes: { type: 'integer' },
                  channel: {
                    type: 'object',
                    required: ['resourceClaimTemplate'],
                    properties: {
                      resourceClaimTemplate: {
                        type: 'object',
                        required: ['name'],
                        properties: { name: { type: 'string', minLength: 1 } },
                      },
                    },
                  },
                },
                'x-kubernetes-validations': [
                  { rule: 'self == oldSelf', message: 'A computeDomain.spec is immutable' },
                ],
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};
