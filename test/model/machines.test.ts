// Three of the machines explored (that of scaling groups is in groups.test.ts): every order of what
// users, scheduler, kubelet, garbage collector and time may do to one set of one replica with one
// clique of one or two pods. Each machine visits all of its states, no state is a dead end, each
// has a way to rest and a way to the end.
import { describe, expect, it } from 'vitest';
import { canonical } from '#machines/kubernetes/hash.ts';
import { at } from '#machines/kubernetes/json.ts';
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

const clique = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;

const gang = { kind: 'PodGang', namespace: 'demo', name: 'demo-0' } as const;

const isFailed = (pod: KubeObject): boolean => phaseOf(pod) === 'Failed';

const phaseOf = (pod: KubeObject): unknown => at(pod, 'status', 'phase');

/**
 * What the world may do to a pod. At most one pod is in trouble at a time: a bound of the model.
 */
function podActs(pod: KubeObject, inTrouble: number): readonly Act[] {
  const ref = refOf(pod);
  const { name } = ref;
  if (isGoing(pod)) return [[`${name} goes`, (world) => world.drop(ref)]];
  const start: Act = [`${name} starts`, (world) => world.setPodStatus(name, readyStatus)];
  const isNew = phaseOf(pod) === undefined;
  if (inTrouble >= 1) return isNew ? [start] : [];
  const deletion: Act = [`${name} is deleted`, (world) => world.remove(ref)];
  if (phaseOf(pod) === 'Failed') return [deletion];
  const failure: Act = [
    `${name} fails`,
    (world) => world.setPodStatus(name, { phase: 'Failed', conditions: [], containerStatuses: [] }),
  ];
  return phaseOf(pod) === 'Running' ? [failure, deletion] : [start, deletion];
}

function setActs(world: World): readonly Act[] {
  const set = world.get('PodCliqueSet', 'demo');
  if (set === undefined) return ownerlessActs(world);
  return isGoing(set)
    ? []
    : [
        ['the set is deleted', (next) => next.remove(demoSet)],
        ['the set is deleted in the foreground', (next) => next.remove(demoSet, 'Foreground')],
        ['the set is deleted, its children are kept', (next) => next.remove(demoSet, 'Orphan')],
      ];
}

function gangActs(world: World): readonly Act[] {
  const there = world.get('PodGang', gang.name);
  if (there === undefined || !isGoing(there)) return [];
  return [
    ['the scheduler lets the gang go', (next) => next.edit(gang, { metadata: { finalizers: [] } })],
  ];
}

function scaleActs(world: World): readonly Act[] {
  const set = world.get('PodCliqueSet', 'demo');
  const there = world.get('PodClique', clique.name);
  const acts: Act[] = [];
  if (set !== undefined) {
    const replicas = at(set, 'spec', 'replicas') === 0 ? 1 : 0;
    acts.push(['the set is scaled', (next) => next.edit(demoSet, { spec: { replicas } })]);
  }
  if (there !== undefined && !isGoing(there)) {
    const replicas = at(there, 'spec', 'replicas') === 1 ? 2 : 1;
    acts.push(['the clique is scaled', (next) => next.edit(clique, { spec: { replicas } })]);
  }
  return acts;
}

function actsOf(world: World): readonly Act[] {
  const inTrouble = world
    .all('Pod')
    .filter((pod) => isGoing(pod) || isFailed(pod) || isOrphan(world, pod)).length;
  return [
    ...setActs(world),
    ...(inTrouble < 1 ? scaleActs(world) : []),
    ...world.all('Pod').flatMap((pod) => podActs(pod, inTrouble)),
    ...(isCollectorDue(world) ? [['garbage is collected', collect] as const] : []),
    ...gangActs(world),
    ['time passes', (next) => next.pass(400_000)],
  ];
}

/**
 * What tells states apart: objects and states of actors, with ids, names of pods, versions and
 * times renamed by order of appearance. `time passes` outlasts every deadline, so how long does not
 * matter.
 */
function keyOf(world: World): string {
  const objects = [...world.objects.values()].map((one) => [
    one.kind,
    one.kind === 'Pod' ? '' : one.metadata.name,
    isGoing(one),
    isOrphan(world, one),
    controllerOf(one) === undefined,
    one.metadata.finalizers ?? [],
    at(one, 'spec', 'replicas') ?? at(one, 'spec', 'hostname'),
    one.kind === 'PodGang' ? at(one, 'spec', 'podgroups') : phaseOf(one),
    one.metadata.name,
  ]);
  const states = world.states().map(({ key, value }) => [key.kind, value]);
  const names = new Map<string, string>();
  return canonical([objects.toSorted(byText), states.toSorted(byText)]).replaceAll(
    /demo-0-worker-[a-z0-9]{5}/g,
    (name) => {
      if (!names.has(name)) names.set(name, `pod${names.size}`);
      return names.get(name) ?? '';
    },
  );
}

const byText = (a: unknown, b: unknown): number => {
  const [x, y] = [a, b].map((one) => canonical(one).replaceAll(/demo-0-worker-[a-z0-9]{5}/g, ''));
  return (x ?? '') < (y ?? '') ? -1 : 1;
};

function start(): World {
  const world = new World();
  world.create(cliqueSet(1, [{ name: 'worker', replicas: 1, minAvailable: 1 }]));
  world.stabilize();
  // A scheduler holds on to the gang when it is deleted, until it has freed what it reserved.
  world.edit(gang, { metadata: { finalizers: ['a-scheduler'] } });
  world.stabilize();
  return world;
}

/** Everything that is wanted is there and ready. */
const isAtRest = (world: World): boolean => {
  const set = world.get('PodCliqueSet', 'demo');
  if (set === undefined) return false;
  const wanted = at(set, 'spec', 'replicas');
  return wanted === at(set, 'status', 'availableReplicas') && world.all('Pod').length > 0;
};

describe('the model of the machines', () => {
  const graph = explore({ start: start(), keyOf, movesOf: movesOf(actsOf), limit: 6_000 });

  it('has many states and no dead end but the empty world', () => {
    expect(graph.states.size).toBeGreaterThan(100);
    const stuck = [...graph.edges].filter(([key, out]) => out.every(({ to }) => to === key));
    const ends = stuck.map(([key]) => graph.states.get(key));
    expect(ends.map((world) => world?.objects.size)).toEqual([0]);
  });

  it('stands in every state where a restart would stand', () => {
    for (const world of graph.states.values()) expect(movedByRestart(world)).toEqual([]);
  });

  it('leads from every state to the end: nothing is left, no actor lives', () => {
    expect(withoutWayTo(graph, isEmpty).map(keyOf).slice(0, 3)).toEqual([]);
  });

  it('leads from every state of a set that stays to all pods ready', () => {
    const left = withoutWayTo(graph, isAtRest).filter((world) => {
      const set = world.get('PodCliqueSet', 'demo');
      return set !== undefined && !isGoing(set);
    });
    expect(left.map(keyOf).slice(0, 3)).toEqual([]);
  });

  it('never has more live pods than wanted, nor two with one index', () => {
    for (const world of graph.states.values()) {
      const wanted = Number(at(world.get('PodClique', clique.name), 'spec', 'replicas') ?? 2);
      const live = world.all('Pod').filter((pod) => !isGoing(pod) && !isOrphan(world, pod));
      expect(live.length).toBeLessThanOrEqual(wanted);
      const hosts = live.map((pod) => at(pod, 'spec', 'hostname'));
      expect(new Set(hosts).size).toBe(live.length);
    }
  });
});
