// The three machines under a storm: edits, deletions, failing pods, lost messages, refused writes
// and restarts in any order, from a seed. Whatever happened, once it is quiet all is as the spec
// wants it, and not one write more is wanted.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, count, isEqual } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { checkClique } from '#test/support/reached.ts';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import { refOf } from '#test/support/world-store.ts';
import { World } from '#test/support/world.ts';

const timing = [
  fc.record({ do: fc.constant('slow' as const), is: fc.boolean() }),
  fc.record({ do: fc.constant('land' as const), pick: fc.nat() }),
  fc.record({ do: fc.constant('landAll' as const) }),
  fc.record({ do: fc.constant('lose' as const), is: fc.boolean() }),
  fc.record({ do: fc.constant('restart' as const), pick: fc.nat() }),
  fc.record({ do: fc.constant('live' as const) }),
  fc.record({ do: fc.constant('pass' as const), ms: fc.constantFrom(1, 5_000, 20_000, 700_000) }),
  fc.record({
    do: fc.constant('refuse' as const),
    what: fc.constantFrom('nothing', 'create', 'delete'),
  }),
];
const propagation = fc.constantFrom('Background' as const, 'Foreground' as const);
const harmless = fc.oneof(...timing);
const step = fc.oneof(
  ...timing,
  fc.record({ do: fc.constant('scaleSet' as const), to: fc.integer({ min: 0, max: 4 }) }),
  fc.record({
    do: fc.constant('scaleClique' as const),
    pick: fc.nat(),
    to: fc.integer({ min: 0, max: 6 }),
  }),
  fc.record({ do: fc.constant('remove' as const), pick: fc.nat(), how: propagation }),
  fc.record({ do: fc.constant('fail' as const), pick: fc.nat() }),
  fc.record({ do: fc.constant('template' as const), image: fc.constantFrom('a', 'b') }),
  fc.record({ do: fc.constant('recreate' as const), how: propagation }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const pickFrom = <T>(items: readonly T[], pick: number): T | undefined =>
  items[pick % Math.max(1, items.length)];

const cliques = [
  { name: 'worker', replicas: 3, minAvailable: 2 },
  { name: 'a-worker', replicas: 1 },
];

function take(world: World, step: Step): void {
  switch (step.do) {
    case 'scaleSet':
      return editSet(world, { spec: { replicas: step.to } });
    case 'scaleClique': {
      const clique = pickFrom(world.all('PodClique'), step.pick);
      return clique === undefined
        ? undefined
        : world.edit(refOf(clique), { spec: { replicas: step.to } });
    }
    case 'remove': {
      const victims = [...world.objects.values()].filter((one) => one.kind !== 'PodCliqueSet');
      const victim = pickFrom(victims, step.pick);
      return victim === undefined ? undefined : world.remove(refOf(victim), step.how);
    }
    case 'fail': {
      const pod = pickFrom(world.all('Pod'), step.pick);
      return pod === undefined
        ? undefined
        : world.setPodStatus(pod.metadata.name, { phase: 'Failed' });
    }
    case 'lose':
      world.options = { ...world.options, lose: () => step.is };
      return undefined;
    case 'refuse':
      world.options = {
        ...world.options,
        refuse: (op) => (op === step.what ? 'FORBIDDEN' : undefined),
      };
      return undefined;
    case 'slow':
      world.options = { ...world.options, isSlow: step.is };
      return undefined;
    case 'land':
      return world.land(step.pick);
    case 'landAll':
      return world.land();
    case 'restart':
      world.options = { ...world.options, shuffle: (items) => rotated(items, step.pick) };
      return world.restart();
    case 'live':
      return world.live();
    case 'pass':
      return world.pass(step.ms);
    case 'template':
      return editSet(world, withImage(step.image));
    case 'recreate':
      world.remove(demoSet, step.how);
      world.stabilize();
      if (world.get('PodCliqueSet', 'demo') === undefined) world.create(cliqueSet(2, cliques));
      return undefined;
  }
}

/** A slow deletion may end after the set was to be created again: then there is none. */
function editSet(world: World, patch: JsonObject): void {
  if (world.get('PodCliqueSet', 'demo') !== undefined) world.edit(demoSet, patch);
}

const withImage = (image: string) => ({
  spec: {
    template: {
      cliques: cliqueTemplates(image),
    },
  },
});

const cliqueTemplates = (image: string) =>
  cliques.map(({ name, ...numbers }) => ({
    name,
    labels: { role: name },
    spec: {
      roleName: name,
      ...numbers,
      podSpec: { containers: [{ name: 'main', image }] },
    },
  }));

const rotated = <T>(items: readonly T[], by: number): readonly T[] => {
  const cut = by % Math.max(1, items.length);
  const turned = [...items.slice(cut), ...items.slice(0, cut)];
  return by % 2 === 0 ? turned : turned.toReversed();
};

/** A world in which all that happened, not at rest. */
function stormed(steps: readonly Step[]): World {
  const world = new World();
  world.create(cliqueSet(2, cliques));
  world.stabilize();
  for (const one of steps) {
    take(world, one);
    world.stabilize();
  }
  return world;
}

/** Nothing is lost or refused any more, and time passes. */
function calm(world: World): void {
  world.options = {};
  world.land();
  for (let round = 0; round < 8; round++) {
    world.pass(700_000);
    world.converge();
  }
}

function checkSet(world: World): void {
  if (world.get('PodCliqueSet', 'demo') === undefined) {
    expect([...world.objects.keys()]).toEqual([]);
    return;
  }
  const replicas = count(at(world.get('PodCliqueSet', 'demo'), 'spec', 'replicas')) ?? 0;
  for (const kind of ['Service', 'PodGang'] as const)
    expect(world.all(kind)).toHaveLength(replicas);
  expect(world.all('PodClique')).toHaveLength(2 * replicas);
  for (const clique of world.all('PodClique')) checkClique(world, clique);
  const owner = world.get('PodCliqueSet', 'demo');
  expect(at(owner, 'status', 'observedGeneration')).toBe(owner?.metadata.generation);
}

/** What other actors count over facts, recounted over all. */
function checkSums(world: World): void {
  if (world.get('PodCliqueSet', 'demo') === undefined) return;
  const ready = world.all('PodClique').filter((clique) => {
    const least = count(at(clique, 'spec', 'minAvailable')) ?? 0;
    return (count(at(clique, 'status', 'readyReplicas')) ?? 0) >= least;
  });
  const byReplica = Map.groupBy(ready, (one) => one.metadata.labels?.['grove.io/podgang']);
  const available = [...byReplica.values()].filter((group) => group.length === 2).length;
  expect(at(world.get('PodCliqueSet', 'demo'), 'status', 'availableReplicas')).toBe(available);
}

/** Deletes the set after any storm; how it ends is what was asked for. */
function removeSet(world: World, how: 'Background' | 'Foreground' | 'Orphan'): void {
  world.remove(demoSet, how);
  calm(world);
  expect(world.get('PodCliqueSet', 'demo')).toBeUndefined();
}

const namesOf = (world: World): readonly string[] => [...world.objects.keys()].toSorted();

describe('the machines', () => {
  it('delete all that belongs to a set, from anywhere, in the background and the foreground', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), propagation, fc.nat(), (steps, how, pick) => {
        const world = stormed(steps);
        world.remove(demoSet, how);
        world.stabilize();
        take(world, { do: 'restart', pick });
        removeSet(world, how);
        expect(namesOf(world)).toEqual([]);
        expect(world.states()).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('delete nothing where the children are to be kept', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 15 }), fc.nat(), (steps, pick) => {
        const world = stormed(steps);
        calm(world);
        const before = namesOf(world).filter((name) => !name.startsWith('PodCliqueSet'));
        const written = world.writes.length;
        world.options = { isSlow: true };
        if (world.get('PodCliqueSet', 'demo') !== undefined) world.remove(demoSet, 'Orphan');
        take(world, { do: 'restart', pick });
        removeSet(world, 'Orphan');
        expect(namesOf(world)).toEqual(before);
        const deleted = world.writes.slice(written).filter(({ op }) => op === 'delete');
        expect(deleted).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('never create a pod twice, whatever is lost, refused or restarted', () => {
    fc.assert(
      fc.property(fc.array(harmless, { maxLength: 15 }), (steps) => {
        const world = new World();
        world.create(cliqueSet(2, cliques));
        for (const one of steps) {
          take(world, one);
          world.stabilize();
        }
        calm(world);
        checkSet(world);
        expect(world.podsEver).toHaveLength(8);
      }),
      { numRuns: 60 },
    );
  });

  it('reach what the spec wants after any storm, and then want nothing', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (steps) => {
        const world = stormed(steps);
        calm(world);
        checkSet(world);
        checkSums(world);
        const before = world.writes.length;
        const objects = new Map(world.objects);
        world.restart();
        world.pass(700_000);
        expect(world.writes.slice(before)).toEqual([]);
        expect(isEqual([...objects.keys()], [...world.objects.keys()])).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
