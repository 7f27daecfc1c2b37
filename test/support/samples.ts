// Sample objects for the tests of the machines, small and whole.
import { isObject, list, object } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';

export interface CliqueOptions {
  readonly name: string;
  readonly replicas?: number;
  readonly minAvailable?: number;
  readonly startsAfter?: string[];
  readonly podSpec?: JsonObject;
}

export const container: JsonObject = { name: 'main', image: 'busybox:1' };

export function cliqueTemplate({ name, podSpec, ...spec }: CliqueOptions): JsonObject {
  const given = Object.entries(spec).filter(
    (entry): entry is [string, number | string[]] => entry[1] !== undefined,
  );
  return {
    name,
    labels: { role: name },
    spec: {
      roleName: name,
      replicas: 2,
      ...Object.fromEntries<Json>(given),
      podSpec: podSpec ?? { containers: [container] },
    },
  };
}

/** A PodCliqueSet `demo/demo`. */
export const cliqueSet = (
  replicas: number,
  cliques: readonly CliqueOptions[] = [{ name: 'worker' }],
  template: JsonObject = {},
): KubeObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: 'demo', namespace: 'demo', labels: { team: 'blue' } },
  spec: { replicas, template: { ...template, cliques: cliques.map(cliqueTemplate) } },
});

/** Clique `worker`, and group `engine` of `leader` and `hand`: one replica in the base gang. */
export const groupedSet = (replicas: number, group: JsonObject = {}): KubeObject =>
  cliqueSet(
    replicas,
    [{ name: 'worker' }, { name: 'leader', replicas: 1 }, { name: 'hand', minAvailable: 1 }],
    {
      podCliqueScalingGroups: [
        {
          name: 'engine',
          cliqueNames: ['leader', 'hand'],
          replicas: 2,
          minAvailable: 1,
          ...group,
        },
      ],
    },
  );

export const demoSet = { kind: 'PodCliqueSet', namespace: 'demo', name: 'demo' } as const;

/** The set, with all its pods for this scheduler, and these annotations. */
export function scheduledBy(
  set: KubeObject,
  schedulerName: string,
  annotations: Readonly<Record<string, string>> = {},
): KubeObject {
  const spec = object(set['spec']);
  const template = object(spec['template']);
  const cliques = list(template['cliques'])
    .filter(isObject)
    .map((one): Json => {
      const inner = object(one['spec']);
      const podSpec = { ...object(inner['podSpec']), schedulerName };
      return { ...one, spec: { ...inner, podSpec } };
    });
  return {
    ...set,
    metadata: { ...set.metadata, annotations },
    spec: { ...spec, template: { ...template, cliques } },
  };
}
