// The PodCliqueSets that a simulated user deploys: small ones of every shape that this vertical
// knows, drawn from the seed.
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';

export const namespace = 'default';
export const setNames = ['alpha', 'beta'] as const;

/** A whole number from `least` to `most`. */
export const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random.next() * (most - least + 1));

export function pick<T>(random: Random, items: readonly T[]): T | undefined {
  return items[Math.floor(random.next() * items.length)];
}

export interface CliqueShape {
  readonly name: string;
  readonly replicas: number;
  readonly minAvailable: number;
  readonly startsAfter?: string[];
}

export interface SetShape {
  readonly replicas: number;
  readonly startup: 'AnyOrder' | 'InOrder' | 'Explicit';
  readonly cliques: readonly CliqueShape[];
  readonly groups?: readonly GroupShape[];
}

export interface GroupShape {
  readonly name: string;
  readonly cliqueNames: string[];
  readonly replicas: number;
  readonly minAvailable: number;
}

/**
 * Every third set becomes one with a scaling group of its last cliques, at times of all of them. It
 * is the smaller otherwise, as a group multiplies its pods.
 */
export function withGroups(random: Random, shape: SetShape): SetShape {
  if (random.next() < 0.67) return shape;
  const cliques = shape.cliques.map((clique) => ({ ...clique, replicas: clique.minAvailable }));
  const minAvailable = between(random, 1, 2);
  const replicas = minAvailable + between(random, 0, 1);
  const many = between(random, 1, cliques.length);
  const cliqueNames = cliques.slice(-many).map(({ name }) => name);
  const groups = [{ name: 'pack', cliqueNames, replicas, minAvailable }];
  return { ...shape, replicas: 1, cliques, groups };
}

export function drawShape(random: Random): SetShape {
  const startup = pick(random, ['AnyOrder', 'AnyOrder', 'InOrder', 'Explicit'] as const);
  const names = ['front', 'work', 'store'].slice(0, between(random, 1, 3));
  return {
    replicas: between(random, 1, 3),
    startup: startup ?? 'AnyOrder',
    cliques: names.map((name, index) => {
      const replicas = between(random, 1, 3);
      const parents = names.slice(0, index).filter(() => random.next() < 0.5);
      return {
        name,
        replicas,
        minAvailable: between(random, 1, replicas),
        ...(startup === 'Explicit' && parents.length > 0 ? { startsAfter: parents } : {}),
      };
    }),
  };
}

export const setObject = (
  name: string,
  { replicas, startup, cliques, groups = [] }: SetShape,
): JsonObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name, namespace, labels: { team: name }, annotations: { note: `of ${name}` } },
  spec: {
    replicas,
    template: {
      cliqueStartupType: `CliqueStartupType${startup}`,
      ...(groups.length > 0
        ? { podCliqueScalingGroups: groups.map((group) => ({ ...group })) }
        : {}),
      cliques: cliques.map(({ name: clique, ...spec }) => ({
        name: clique,
        labels: { role: clique },
        annotations: { 'example.org/of': clique },
        spec: {
          roleName: clique,
          ...spec,
          podSpec: {
            terminationGracePeriodSeconds: 2,
            containers: [{ name: 'main', image: 'registry.example/none:1' }],
          },
        },
      })),
    },
  },
});
