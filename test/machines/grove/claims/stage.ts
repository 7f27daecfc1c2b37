// A little world with a set that shares claims at all levels, and what is asked of it.
import type { ObjectRef } from '#machines/contract/address.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { outsideTemplates, sharingSet } from '#test/support/sharing.ts';
import { World } from '#test/support/world.ts';
import type { WorldOptions } from '#test/support/world.ts';

export const claimRef = (name: string): ObjectRef => ({
  kind: 'ResourceClaim',
  namespace: 'demo',
  name,
});
export const cliqueRef = (name: string): ObjectRef => ({
  kind: 'PodClique',
  namespace: 'demo',
  name,
});
export const podRef = (name: string): ObjectRef => ({ kind: 'Pod', namespace: 'demo', name });
export const groupRef: ObjectRef = {
  kind: 'PodCliqueScalingGroup',
  namespace: 'demo',
  name: 'demo-0-engine',
};

export function worldOf(replicas = 1, options: WorldOptions = {}): World {
  const world = new World(options);
  for (const template of outsideTemplates()) world.create(template);
  world.create(sharingSet(replicas));
  return world;
}

export const claimsIn = (world: World): readonly string[] =>
  world
    .all('ResourceClaim')
    .map(({ metadata }) => metadata.name)
    .toSorted();

export const podAt = (world: World, hostname: string) =>
  world.all('Pod').find((pod) => text(at(pod, 'spec', 'hostname')) === hostname);

export const claimsOf = (world: World, hostname: string): readonly unknown[] =>
  list(at(podAt(world, hostname), 'spec', 'resourceClaims')).map((claim) =>
    at(claim, 'resourceClaimName'),
  );

export const errorsOf = (
  world: World,
  kind: ObjectRef['kind'],
  name: string,
): readonly JsonObject[] =>
  list(at(world.get(kind, name), 'status', 'lastErrors')).filter(
    (entry): entry is JsonObject => typeof entry === 'object',
  );
