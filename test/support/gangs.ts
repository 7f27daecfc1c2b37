// Sets whose gangs are terminated, in the little world: the two workloads of spec controllers 10.3,
// and what befalls them. No new pod is placed but where a test lets the world live.
import type { Operation } from '#machines/contract/kind.ts';
import type { Kind } from '#machines/kinds.ts';
import { startGraceMs } from '#machines/grove/objects/limits.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueSet } from './samples.ts';
import { World } from './world.ts';
import { refOf } from './world-store.ts';

export const delayMs = 600_000;

interface Minimums {
  readonly a: number;
  readonly x: number;
  readonly c: number;
}

/** Clique `a` of two pods, and group `x` of two replicas of `b` (one pod) and `c` (three). */
export const workload = ({ a, x, c }: Minimums, replicas = 1, template: JsonObject = {}) =>
  cliqueSet(
    replicas,
    [
      { name: 'a', replicas: 2, minAvailable: a },
      { name: 'b', replicas: 1, minAvailable: 1 },
      { name: 'c', replicas: 3, minAvailable: c },
    ],
    {
      terminationDelay: '10m',
      podCliqueScalingGroups: [
        { name: 'x', cliqueNames: ['b', 'c'], replicas: 2, minAvailable: x },
      ],
      ...template,
    },
  );

export const w1 = { a: 2, x: 2, c: 3 };
export const w2 = { a: 1, x: 1, c: 1 };

/** All is ready, and was for a minute. */
export function ready(set: KubeObject): World {
  const world = new World();
  world.create(set);
  world.converge();
  world.pass(60_000);
  return world;
}

export const clique = (name: string) => ({ kind: 'PodClique', namespace: 'demo', name }) as const;

export const podsOf = (world: World, name: string): readonly KubeObject[] => {
  const uid = world.get('PodClique', name)?.metadata.uid;
  return world.all('Pod').filter(({ metadata }) => metadata.ownerReferences?.[0]?.uid === uid);
};

/** So many of its pods are gone, and those that replace them are not placed. */
export function kill(world: World, name: string, many = 1): void {
  for (const pod of podsOf(world, name).slice(0, many)) world.drop(refOf(pod));
  world.stabilize();
}

/** UIDs of the PodCliques by name. */
export const uids = (world: World): ReadonlyMap<string, string> =>
  new Map(world.all('PodClique').map(({ metadata }) => [metadata.name, metadata.uid ?? '']));

/** Names of the PodCliques that are others than before, sorted. */
export const renewed = (world: World, before: ReadonlyMap<string, string>): readonly string[] =>
  [...uids(world)]
    .filter(([name, uid]) => before.get(name) !== uid)
    .map(([name]) => name)
    .toSorted();

export const all = (world: World): readonly string[] => [...uids(world).keys()].toSorted();

/** Events of gang termination, in words. */
export const told = (world: World): readonly string[] =>
  world.events
    .filter(({ reason }) => /GangTermination|ReplicaDelete/.test(reason))
    .map(({ severity, reason, note }) => `${severity} ${reason}: ${note}`);

export const condition = (world: World, kind: Kind, name: string, type: string): unknown =>
  list(at(world.get(kind, name), 'status', 'conditions')).find((one) => at(one, 'type') === type);

/** The process dies after so many more writes, and another one starts a second later. How many
 *  PodCliques were created till it came to rest. */
export function crashAfter(world: World, writes: number): number {
  let left = writes;
  let made = 0;
  const counted = (op: Operation, kind: Kind): undefined => {
    if (op === 'create' && kind === 'PodClique') made++;
  };
  world.options = {
    refuse: (op, { kind }) => (left-- > 0 ? counted(op, kind) : 'UNREACHABLE'),
  };
  world.pass(0);
  world.now += 1_000;
  world.options = { refuse: (op, { kind }) => counted(op, kind) };
  world.restart();
  world.pass(startGraceMs);
  return made;
}
