// Worlds with ComputeDomains, and what the tests of those ask of them.
import type { ObjectRef } from '#machines/contract/address.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { World } from '#test/support/world.ts';
import type { WorldOptions } from '#test/support/world.ts';

export function deployed(body: KubeObject, options: WorldOptions = {}): World {
  const world = new World(options);
  world.create(body);
  world.converge();
  return world;
}

export const domainRef = (name: string): ObjectRef => ({
  kind: 'ComputeDomain',
  namespace: 'demo',
  name,
});

/** Their names, sorted. */
export const domainsIn = (world: World): string[] =>
  world
    .all('ComputeDomain')
    .map(({ metadata }) => metadata.name)
    .toSorted();

/** Of the Events about them. */
export const reasonsIn = (world: World): string[] =>
  world.events.map(({ reason }) => reason).filter((reason) => reason.startsWith('ComputeDomain'));
