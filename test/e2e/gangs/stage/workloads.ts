// The workloads of spec controllers 10.3 as manifests. Each pod takes one slot of a node; a node
// has as many as a scenario says, for the pods of one room.
import type { JsonObject } from '#machines/kubernetes/objects.ts';

export const slot = 'example.com/slot';
export const roomLabel = 'e2e.coppice.dev/room';

/** Clique `a` has 2 pods, group `x` has 2 replicas of `b` (1 pod) and `c` (3 pods). */
export interface Minimums {
  readonly a: number;
  readonly x: number;
  readonly c: number;
}

export const w1: Minimums = { a: 2, x: 2, c: 3 };
export const w2: Minimums = { a: 1, x: 1, c: 1 };
export const pods = 10;

/** PodCliques of replica 0 of a set. */
export const cliquesOf = (set: string): readonly string[] =>
  ['a', 'x-0-b', 'x-0-c', 'x-1-b', 'x-1-c'].map((name) => `${set}-0-${name}`);

/** What makes a pod template another one. */
export interface Version {
  readonly version: string;
  readonly room: string;
}

export interface Wanted {
  readonly name: string;
  readonly least: Minimums;
  readonly replicas?: number;
  readonly terminationDelay?: string;
  readonly strategy?: 'OnDelete' | 'RollingRecreate';
  /** By clique; the others are of version 1 in room `main`. */
  readonly versions?: Readonly<Record<string, Version>>;
}

/** Rooms of a namespace are its own. */
export const roomIn = (namespace: string, room: string): string => `${namespace}-${room}`;

interface CliqueWanted extends Version {
  readonly name: string;
  readonly replicas: number;
  readonly minAvailable: number;
}

const clique = (namespace: string, { name, version, room, ...spec }: CliqueWanted): JsonObject => ({
  name,
  labels: { version },
  spec: {
    roleName: name,
    ...spec,
    podSpec: {
      nodeSelector: { [roomLabel]: roomIn(namespace, room) },
      containers: [
        {
          name: 'main',
          image: 'registry.example/none:1',
          resources: { limits: { [slot]: '1' }, requests: { [slot]: '1' } },
        },
      ],
    },
  },
});

const set = (name: string, spec: JsonObject): JsonObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name },
  spec,
});

const first: Version = { version: '1', room: 'main' };
/** Short, as scenarios wait for it. */
const usualDelay = '5s';

export function workload(namespace: string, wanted: Wanted): JsonObject {
  const { name, least, replicas = 1, terminationDelay = usualDelay } = wanted;
  const { strategy = 'RollingRecreate', versions = {} } = wanted;
  const sizes = [
    { name: 'a', replicas: 2, minAvailable: least.a },
    { name: 'b', replicas: 1, minAvailable: 1 },
    { name: 'c', replicas: 3, minAvailable: least.c },
  ];
  return set(name, {
    replicas,
    updateStrategy: { type: strategy },
    template: {
      terminationDelay,
      cliques: sizes.map((one) => clique(namespace, { ...one, ...first, ...versions[one.name] })),
      podCliqueScalingGroups: [
        { name: 'x', cliqueNames: ['b', 'c'], replicas: 2, minAvailable: least.x },
      ],
    },
  });
}

/** One PodClique, `<name>-0-p`, of one pod, in a room of its name. */
export const single = (namespace: string, name: string): JsonObject =>
  set(name, {
    replicas: 1,
    template: {
      terminationDelay: usualDelay,
      cliques: [
        clique(namespace, { name: 'p', replicas: 1, minAvailable: 1, version: '1', room: name }),
      ],
    },
  });
