// A set in the little world whose template changes, and what the tests of updates ask of it: which
// pods are of which image, and what the statuses say.
import { expect } from 'vitest';
import { conditionsOf, conditionStatus } from '#machines/kubernetes/conditions.ts';
import { at, list, object } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { demoSet } from '#test/support/samples.ts';
import { refOf } from '#test/support/world-store.ts';
import { collect, readyStatus } from '#test/support/world-life.ts';
import { World, type WorldOptions } from '#test/support/world.ts';

export function deployed(set: KubeObject, options: WorldOptions = {}): World {
  const world = new World(options);
  world.create(set);
  world.converge();
  return world;
}

/** Another image for the containers of these cliques, or of all. */
export function setImage(world: World, image: string, ...names: readonly string[]): void {
  const set = world.get('PodCliqueSet', 'demo');
  const cliques = list(at(set, 'spec', 'template', 'cliques')).map((one): JsonObject => {
    const clique = object(one);
    if (names.length > 0 && !names.includes(String(clique['name']))) return clique;
    const spec = object(clique['spec']);
    const podSpec = { ...object(spec['podSpec']), containers: [{ name: 'main', image }] };
    return { ...clique, spec: { ...spec, podSpec } };
  });
  world.edit(demoSet, { spec: { template: { cliques } } });
  world.stabilize();
}

export const annotate = (world: World, annotations: Readonly<Record<string, string | null>>) => {
  world.edit(demoSet, { metadata: { annotations } });
  world.stabilize();
};

export const setStrategy = (world: World, type: string): void => {
  world.edit(demoSet, { spec: { updateStrategy: { type } } });
  world.stabilize();
};

type StatusKind = 'PodCliqueSet' | 'PodClique' | 'PodCliqueScalingGroup';

export const statusOf = (world: World, kind: StatusKind, name: string): JsonObject =>
  object(world.get(kind, name)?.['status']);

export const progressOf = (world: World, kind: StatusKind, name: string): JsonObject =>
  object(statusOf(world, kind, name)['updateProgress']);

/** `demo-0-worker:2` for each pod that stays, sorted. */
export const images = (world: World, prefix = ''): readonly string[] =>
  world
    .all('Pod')
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map((pod) => `${cliqueOf(pod)}:${imageOf(pod).replace('busybox:', '')}`)
    .filter((one) => one.startsWith(prefix))
    .toSorted();

export const cliqueOf = ({ metadata }: KubeObject): string =>
  metadata.labels?.['grove.io/podclique'] ?? '';

export const imageOf = (pod: KubeObject): string =>
  String(at(list(at(pod, 'spec', 'containers'))[0], 'image'));

export const isReady = (pod: KubeObject): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  list(at(pod, 'status', 'conditions')).some(
    (one) => at(one, 'type') === 'Ready' && at(one, 'status') === 'True',
  );

/** A round in which pods that are not placed yet find no room, or those that a test names. */
export function liveWithoutRoom(world: World, isStuck = (_: KubeObject): boolean => true): void {
  collect(world);
  for (const pod of world.all('Pod')) {
    const ref = refOf(pod);
    if (pod.metadata.deletionTimestamp !== undefined) world.drop(ref);
    else if (at(pod, 'spec', 'nodeName') !== undefined || !isStuck(pod)) {
      world.edit(ref, { spec: { nodeName: 'node-1' }, status: readyStatus });
    }
  }
  world.stabilize();
}

/** Names of what was deleted since then, by kind. */
export const deletedSince = (world: World, since: number, kind: string): readonly string[] =>
  world.writes
    .slice(since)
    .filter(({ op, ref }) => op === 'delete' && ref.kind === kind)
    .map(({ ref }) => ref.name);

export const breachOf = (world: World, name: string): string | undefined =>
  conditionStatus(conditionsOf(statusOf(world, 'PodClique', name)), 'MinAvailableBreached');

/** All is as the newest template says, and the statuses say so. */
export function expectDone(world: World, image: string): void {
  world.converge(60);
  expect(new Set(images(world).map((one) => one.split(':')[1]))).toEqual(new Set([image]));
  const { replicas } = statusOf(world, 'PodCliqueSet', 'demo');
  expect(statusOf(world, 'PodCliqueSet', 'demo')).toMatchObject({ updatedReplicas: replicas });
  for (const { metadata } of world.all('PodClique')) {
    const { updateProgress, ...status } = statusOf(world, 'PodClique', metadata.name);
    expect(status['updatedReplicas']).toBe(status['replicas']);
    expect(Object(updateProgress)).not.toHaveProperty('readyPodsSelectedToUpdate');
  }
}

/** Its pods are not scheduled any more. */
export function unplace(world: World, prefix: string): void {
  for (const { metadata } of world.all('Pod')) {
    if (!metadata.name.startsWith(prefix)) continue;
    world.setPodStatus(metadata.name, { phase: 'Pending', conditions: [] });
  }
  world.stabilize();
}
