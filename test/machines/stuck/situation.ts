// A situation in which somebody is stuck and asks why: how to get there in the little world, whom
// to ask, and what the answer must say. The test holds each answer to it, and docs/why.md shows
// them all.
import type { ActorKey } from '#machines/contract/address.ts';
import type { ActorKind } from '#machines/contract/kind.ts';
import { object } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { refOf } from '#test/support/world-store.ts';
import { World, type WorldOptions } from '#test/support/world.ts';

export interface Situation {
  /** What is the matter, as a sentence. */
  readonly matter: string;
  readonly asked: ActorKey;
  readonly world: () => World;
  /** Of one sentence of the answer: the cause, in all these words. */
  readonly says: readonly string[];
  /** So long after the question the next deadline is, which the same sentence tells; undefined:
   *  somebody or something else must act first. */
  readonly deadlineMs?: number;
}

/** Of namespace `demo`. */
export const key = (kind: ActorKind, name: string): ActorKey => ({ kind, namespace: 'demo', name });

export const setKey = key('podcliqueset', 'demo');
export const workerKey = key('podclique', 'demo-0-worker');
export const gangKey = key('podgang', 'demo-0');
export const groupKey = key('scalinggroup', 'demo-0-engine');

/** Written, and nothing else has happened yet: no pod is placed. */
export function written(set: KubeObject, options: WorldOptions = {}): World {
  const world = new World(options);
  world.create(set);
  world.stabilize();
  return world;
}

/** The same where this was there before. */
export function besides(one: KubeObject, set: KubeObject): World {
  const world = new World();
  world.create(one);
  world.create(set);
  world.converge();
  return world;
}

/** All is ready, and was for a minute. */
export function ready(set: KubeObject): World {
  const world = new World();
  world.create(set);
  world.converge();
  world.pass(60_000);
  return world;
}

export const named = (set: KubeObject, metadata: JsonObject): KubeObject => ({
  ...set,
  metadata: { ...set.metadata, ...metadata },
});

/** Pods whose names begin so. */
const podsOf = (world: World, prefix: string): readonly KubeObject[] =>
  world.all('Pod').filter(({ metadata }) => metadata.name.startsWith(prefix));

/** So many of these pods report this. */
export function report(world: World, prefix: string, status: JsonObject, many = 1): World {
  for (const { metadata } of podsOf(world, prefix).slice(0, many)) {
    world.setPodStatus(metadata.name, status);
  }
  world.stabilize();
  return world;
}

/** So many of these pods are deleted, and their node does not answer. */
export function deleteOf(world: World, prefix: string, many = 1): World {
  for (const pod of podsOf(world, prefix).slice(0, many)) world.remove(refOf(pod));
  world.stabilize();
  return world;
}

/** As the scheduler tells that there is no room. */
export const noRoom: JsonObject = {
  phase: 'Pending',
  conditions: [
    {
      type: 'PodScheduled',
      status: 'False',
      reason: 'Unschedulable',
      message: '0/3 nodes are available: 3 Insufficient nvidia.com/gpu',
    },
  ],
};

export const placed: JsonObject = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'True', reason: 'Scheduled' }],
};

/** The world after this was done to it. */
export function after(world: World, act: (world: World) => void): World {
  act(world);
  world.stabilize();
  return world;
}

/** Another image for all containers. */
export const withImage = (set: KubeObject, image: string): KubeObject =>
  JSON.parse(JSON.stringify(set).replaceAll('"busybox:1"', `"${image}"`));

/** The template of the set is another one from now on. */
export function update(world: World): World {
  const set = world.get('PodCliqueSet', 'demo');
  if (set === undefined) throw new Error('no set');
  return after(world, () => {
    world.edit(refOf(set), { spec: object(withImage(set, 'busybox:2')['spec']) });
  });
}
