// The machine of a scaling group explored: every order of what users, kubelets, garbage collector
// and time may do to a set with one group of one clique of one pod, scaled between 0, 1 and 2 with
// a minimum of 1. It visits all its states, no state is a dead end, each has a way to rest and to
// the end, and in none there are gangs or members that neither spec asks for once all have
// reconciled.
import { describe, expect, it } from 'vitest';
import { canonical } from '#machines/kubernetes/hash.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import { collect, readyStatus } from '#test/support/world-life.ts';
import { refOf } from '#test/support/world-store.ts';
import { World } from '#test/support/world.ts';
import {
  isCollectorDue,
  isEmpty,
  isGoing,
  isOrphan,
  movedByRestart,
  movesOf,
  ownerlessActs,
} from './acts.ts';
import type { Act } from './acts.ts';
import { explore, withoutWayTo } from './explore.ts';

const group = { kind: 'PodCliqueScalingGroup', namespace: 'demo', name: 'demo-0-g' } as const;

function start(): World {
  const world = new World();
  world.create(
    cliqueSet(1, [{ name: 'm', replicas: 1, minAvailable: 1 }], {
      podCliqueScalingGroups: [{ name: 'g', cliqueNames: ['m'], replicas: 1, minAvailable: 1 }],
    }),
  );
  world.stabilize();
  return world;
}

function setActs(world: World): readonly Act[] {
  const set = world.get('PodCliqueSet', 'demo');
  if (set === undefined) return ownerlessActs(world);
  return isGoing(set) ? [] : [['the set is deleted', (next) => next.remove(demoSet)]];
}

function groupActs(world: World): readonly Act[] {
  const there = world.get(group.kind, group.name);
  if (there === undefined || isGoing(there)) return [];
  const scale = (replicas: number): Act => [
    `the group is scaled to ${replicas}`,
    (next) => next.edit(group, { spec: { replicas } }),
  ];
  return [
    ...[0, 1, 2].filter((replicas) => replicas !== at(there, 'spec', 'replicas')).map(scale),
    ['the group is deleted', (next) => next.remove(group)],
    ['the group is orphaned', (next) => next.remove(group, 'Orphan')],
  ];
}

/** At most one thing is in trouble at a time: a bound of the model. */
const isInTrouble = (world: World): boolean =>
  [...world.objects.values()].some((one) => isGoing(one) || isOrphan(world, one));

/** The last one: which one it is makes no difference. */
function memberActs(world: World): readonly Act[] {
  return world
    .all('PodClique')
    .filter((one) => !isGoing(one))
    .slice(-1)
    .map((one) => [`${one.metadata.name} is deleted`, (next) => next.remove(refOf(one))]);
}

const podActs = (world: World): readonly Act[] =>
  world.all('Pod').map((pod): Act => {
    const { name } = pod.metadata;
    if (isGoing(pod)) return [`${name} goes`, (next) => next.drop(refOf(pod))];
    return [`${name} runs`, (next) => next.setPodStatus(name, readyStatus)];
  });

const actsOf = (world: World): readonly Act[] => [
  ...setActs(world),
  ...(isInTrouble(world) ? [] : [...groupActs(world), ...memberActs(world)]),
  ...podActs(world),
  ...(isCollectorDue(world) ? [['garbage is collected', collect] as const] : []),
  ['time passes', (next) => next.pass(400_000)],
];

const suffix = /(demo-0-g-\d-m)-[a-z0-9]{5}/g;

/** What tells states apart; ids, suffixes of pod names, versions and times do not. */
function keyOf(world: World): string {
  const objects = [...world.objects.values()].map((one) => [
    one.kind,
    one.metadata.name,
    isGoing(one),
    isOrphan(world, one),
    controllerOf(one) === undefined,
    one.metadata.finalizers ?? [],
    at(one, 'spec', 'replicas') ?? null,
    list(at(one, 'spec', 'podgroups')).map((each) => list(at(each, 'podReferences')).length),
    list(at(one, 'spec', 'schedulingGates')).length,
    at(one, 'status', 'phase') ?? null,
  ]);
  const states = world.states().map(({ key, value }) => [key.kind, key.name, value]);
  const lines = [...objects, ...states].map((one) => canonical(one).replaceAll(suffix, '$1'));
  return lines.toSorted().join('\n');
}

const isStaying = (one: KubeObject | undefined): boolean => one !== undefined && !isGoing(one);

/** Everything that is wanted is there and ready. */
const isAtRest = (world: World): boolean => {
  const there = world.get(group.kind, group.name);
  const wanted = at(there, 'spec', 'replicas');
  return isStaying(there) && wanted === at(there, 'status', 'availableReplicas');
};

/** Not going, and of an owner that is there: what a user kept is the user's. */
const isOurs = (world: World, one: KubeObject): boolean =>
  controllerOf(one) !== undefined && !isGoing(one) && !isOrphan(world, one);

const namesOf = (world: World, kind: 'PodClique' | 'PodGang'): readonly string[] =>
  world
    .all(kind)
    .filter((one) => isOurs(world, one))
    .map(({ metadata }) => metadata.name)
    .toSorted();

describe('the model of a scaling group', () => {
  const graph = explore({ start: start(), keyOf, movesOf: movesOf(actsOf), limit: 2_000 });

  it('has many states and no dead end but the empty world', () => {
    expect(graph.states.size).toBeGreaterThan(100);
    const stuck = [...graph.edges].filter(([key, out]) => out.every(({ to }) => to === key));
    expect(stuck.map(([key]) => graph.states.get(key)?.objects.size)).toEqual([0]);
  });

  it('stands in every state where a restart would stand', () => {
    for (const world of graph.states.values()) expect(movedByRestart(world)).toEqual([]);
  });

  it('leads from every state to the end: nothing is left, no actor lives', () => {
    expect(withoutWayTo(graph, isEmpty).map(keyOf).slice(0, 3)).toEqual([]);
  });

  it('leads from every state of a set that stays to all replicas available', () => {
    const left = withoutWayTo(graph, isAtRest).filter((world) =>
      isStaying(world.get('PodCliqueSet', 'demo')),
    );
    expect(left.map(keyOf).slice(0, 3)).toEqual([]);
  });

  it('has in no state a member or gang too many, where set and group stay', () => {
    for (const world of graph.states.values()) {
      const there = world.get(group.kind, group.name);
      if (!isStaying(there) || !isStaying(world.get('PodCliqueSet', 'demo'))) continue;
      const replicas = Number(at(there, 'spec', 'replicas'));
      const members = Array.from({ length: replicas }, (_, index) => `${group.name}-${index}-m`);
      const gangs = ['demo-0', `${group.name}-0`].slice(0, Math.max(1, replicas));
      expect(members).toEqual(expect.arrayContaining([...namesOf(world, 'PodClique')]));
      expect(gangs).toEqual(expect.arrayContaining([...namesOf(world, 'PodGang')]));
    }
  });
});
