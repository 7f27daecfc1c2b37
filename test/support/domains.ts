// PodCliqueSets whose cliques share memory over NVLink.
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
