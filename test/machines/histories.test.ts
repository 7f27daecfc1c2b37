// Random histories of a feature run: the machines of one process over a model API server
// whose news come late, out of order and twice, and whose answers are lost, while the user scales,
// edits and deletes. Ten thousand of them:
// COPPICE_HISTORIES=10000 npm test -- histories.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastTokenRepeatMs } from '#machines/grove/objects/limits.ts';
import { at, count, list, object } from '#machines/kubernetes/json.ts';
import { applyPatch } from '#machines/kubernetes/merge.ts';
import { controllerOf, type JsonObject, type KubeObject } from '#machines/kubernetes/objects.ts';
import { PodJudge } from '#test/support/judge.ts';
import { LateWorld, type Judge } from '#test/support/late-world.ts';
import { amountOf } from '#test/support/optional.mjs';
import { checkClique } from '#test/support/reached.ts';
import { demoSet, groupedSet } from '#test/support/samples.ts';
import { TerminationJudge } from '#test/support/termination-judge.ts';
import { refOf } from '#test/support/world-store.ts';

const histories = Number(process.env['COPPICE_HISTORIES'] ?? amountOf('random histories'));

const fate = fc.constantFrom('answered', 'lost request', 'lost reply', 'refused');
const propagation = fc.constantFrom('Background' as const, 'Foreground' as const);
const pick = fc.nat({ max: 1_000 });
const upTo = (max: number) => fc.integer({ min: 0, max });

type Act = (world: LateWorld) => void;

const some = <T>(items: readonly T[], at: number): T | undefined =>
  items[at % Math.max(1, items.length)];

/** For who reads a shrunk history. */
const act = (name: string, run: (world: LateWorld) => void): Act =>
  Object.assign(run, { [fc.toStringMethod]: () => name });

/** Never below the minimum, as an autoscaler does: else a gang waits for ever. */
const scale = (kind: 'PodClique' | 'PodCliqueScalingGroup', which: number, to: number): Act =>
  act(`scale ${kind} ${which} to ${to}`, ({ store }) => {
    const one = some(store.all(kind), which);
    const replicas = Math.max(to, count(at(one, 'spec', 'minAvailable')) ?? 1);
    if (one !== undefined) store.edit(refOf(one), { spec: { replicas } });
  });

const scaleSet = (replicas: number): Act =>
  act(`scale the set to ${replicas}`, ({ store }) => {
    const isThere = store.get('PodCliqueSet', 'demo') !== undefined;
    if (isThere) store.edit(demoSet, { spec: { replicas } });
  });

const remove = (which: number, how: 'Background' | 'Foreground'): Act =>
  act(`delete child ${which}: ${how}`, ({ store }) => {
    const victims = [...store.objects.values()].filter(({ kind }) => kind !== 'PodCliqueSet');
    const victim = some(victims, which);
    if (victim !== undefined) store.remove(refOf(victim), how);
  });

const removePod = (which: number): Act =>
  act(`delete pod ${which}`, ({ store }) => {
    const pod = some(store.all('Pod'), which);
    if (pod !== undefined) store.remove(refOf(pod));
  });

/** As with its nodes: nobody ends them in good order. */
const losePods = (which: number): Act =>
  act(`lose the pods of PodClique ${which}`, ({ store }) => {
    const clique = some(store.all('PodClique'), which);
    for (const pod of store.all('Pod')) {
      if (controllerOf(pod)?.uid === clique?.metadata.uid) store.drop(refOf(pod));
    }
  });

/** All is ready, and was for a while. */
const getReady: Act = act('get ready', (world) => {
  for (let round = 0; round < 4; round++) {
    world.comeToRest();
    world.live();
  }
  world.comeToRest();
  world.pass(20_000);
});

const fail = (which: number): Act =>
  act(`fail pod ${which}`, ({ store }) => {
    const pod = some(store.all('Pod'), which);
    if (pod !== undefined) store.setPodStatus(pod.metadata.name, { phase: 'Failed' });
  });

/** Of some of its cliques another image, or one that was before. */
const retemplate = (image: number, cliques: number): Act =>
  act(`image ${image} for cliques ${cliques}`, ({ store }) => {
    if (store.get('PodCliqueSet', 'demo') === undefined) return;
    const template = at(store.get('PodCliqueSet', 'demo'), 'spec', 'template', 'cliques');
    const edited = list(template).map((one, place): JsonObject => {
      const spec = object(at(one, 'spec'));
      const podSpec = { containers: [{ name: 'main', image: `busybox:${image}` }] };
      const isMeant = ((cliques >> place) & 1) === 1;
      return isMeant ? { ...object(one), spec: { ...spec, podSpec } } : object(one);
    });
    store.edit(demoSet, { spec: { template: { cliques: edited } } });
  });

const pauseUpdate = (value: string | null): Act =>
  act(`pause: ${value ?? 'no'}`, ({ store }) => {
    const annotations = { 'grove.io/pause-update': value };
    if (store.get('PodCliqueSet', 'demo') !== undefined) {
      store.edit(demoSet, { metadata: { annotations } });
    }
  });

const updateBy = (type: string): Act =>
  act(`strategy ${type}`, ({ store }) => {
    if (store.get('PodCliqueSet', 'demo') !== undefined) {
      store.edit(demoSet, { spec: { updateStrategy: { type } } });
    }
  });
/** A gang that is below its minimum for a minute is terminated. */
const quickSet: KubeObject = {
  ...groupedSet(1),
  spec: applyPatch(groupedSet(1)['spec'], { template: { terminationDelay: '1m' } }),
};

const create: Act = act('create the set', ({ store }) => {
  if (store.get('PodCliqueSet', 'demo') === undefined) store.create(quickSet);
});

const rotated =
  (by: number) =>
  <T>(items: readonly T[]): readonly T[] => {
    const cut = by % Math.max(1, items.length);
    return [...items.slice(cut), ...items.slice(0, cut)];
  };

const repeated = (times: number, name: string, run: (world: LateWorld) => void): Act =>
  act(`${times} x ${name}`, (world) => {
    for (let time = 0; time < times; time++) run(world);
  });

/** What happens by itself, most of the time. */
const course = fc.oneof(
  fc
    .tuple(pick, fc.boolean(), upTo(20))
    .map(([which, isWhole, times]) =>
      repeated(times, `deliver ${which}${isWhole ? ' whole' : ''}`, (world) =>
        world.deliver(which, isWhole),
      ),
    ),
  fc
    .tuple(pick, fate, upTo(10))
    .map(([which, how, times]) =>
      repeated(times, `land ${which}: ${how}`, (world) => world.land(which, how)),
    ),
  pick.map((which) => act(`repeat ${which}`, (world) => world.repeat(which))),
  fc
    .constantFrom(1, 5_000, 20_000, 61_000)
    .map((ms) => act(`pass ${ms}`, (world) => world.pass(ms))),
  fc.constant(act('live', (world) => world.live())),
  fc.constant(act('rest', (world) => world.comeToRest())),
);

const feature = fc.oneof(
  upTo(2).map(scaleSet),
  fc.tuple(pick, upTo(4)).map(([which, to]) => scale('PodClique', which, to)),
  fc.tuple(pick, upTo(3)).map(([which, to]) => scale('PodCliqueScalingGroup', which, to)),
  fc.tuple(pick, propagation).map(([which, how]) => remove(which, how)),
  pick.map(removePod),
  pick.map(losePods),
  pick.map(fail),
  pick.map((which) => act(`restart ${which}`, (world) => world.restart(which, rotated(which)))),
  propagation.map((how) => act(`delete: ${how}`, ({ store }) => store.remove(demoSet, how))),
  fc.constant(create),
  fc.tuple(fc.integer({ min: 1, max: 3 }), upTo(7)).map(([...of]) => retemplate(...of)),
  fc.constantFrom('true', null).map(pauseUpdate),
  fc.constantFrom('RollingRecreate', 'OnDelete').map(updateBy),
);

const history = fc.array(
  fc.oneof({ weight: 2, arbitrary: course }, { weight: 1, arbitrary: feature }),
  { minLength: 5, maxLength: 40 },
);

/** Everything arrives and is answered, and time passes, until nothing changes any more. */
function calm(world: LateWorld): void {
  let quiet = 0;
  expect(world.comeToRest()).toBe(true);
  world.live();
  // A Secret that was deleted, and is gone now, is missed by then.
  world.pass(lastTokenRepeatMs);
  for (let round = 0; round < 60 && quiet < 2; round++) {
    const before = world.store.version;
    expect(world.comeToRest()).toBe(true);
    world.live();
    world.pass(700_000);
    expect(world.comeToRest()).toBe(true);
    quiet = world.store.version === before ? quiet + 1 : 0;
  }
  expect(quiet, 'rounds in which nothing changed').toBe(2);
}

const range = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

/** Names of what a set must have by its spec and by what its groups were scaled to. */
function wantedNames({ store }: LateWorld): readonly string[] {
  const set = store.get('PodCliqueSet', 'demo');
  if (set === undefined) return [];
  const replicas = count(at(set, 'spec', 'replicas')) ?? 0;
  return range(replicas).flatMap((index) => {
    const base = `demo-${index}`;
    const group = store.get('PodCliqueScalingGroup', `${base}-engine`);
    const members = count(at(group, 'spec', 'replicas')) ?? 0;
    return [
      `Service ${base}`,
      `PodGang ${base}`,
      `PodCliqueScalingGroup ${base}-engine`,
      `PodClique ${base}-worker`,
      ...range(members).flatMap((at) =>
        ['leader', 'hand'].map((name) => `PodClique ${base}-engine-${at}-${name}`),
      ),
      ...range(members - 1).map((at) => `PodGang ${base}-engine-${at}`),
    ];
  });
}

/** Of the template of its clique, as it is now. */
const containersOf = (set: KubeObject | undefined, { metadata }: KubeObject): object[] => {
  const role = metadata.labels?.['role'];
  const clique = list(at(set, 'spec', 'template', 'cliques')).find(
    (one) => at(one, 'name') === role,
  );
  const [container] = list(at(clique, 'spec', 'podSpec', 'containers'));
  return [{ image: at(container, 'image') }];
};

const structural = ['Service', 'PodGang', 'PodCliqueScalingGroup', 'PodClique'] as const;

function checkStructure(world: LateWorld): void {
  const { store } = world;
  const names = structural.flatMap((kind) =>
    store.all(kind).map(({ metadata }) => `${kind} ${metadata.name}`),
  );
  expect(names.toSorted()).toEqual(wantedNames(world).toSorted());
  for (const clique of store.all('PodClique')) checkClique(store, clique);
  const set = store.get('PodCliqueSet', 'demo');
  for (const pod of store.all('Pod')) {
    expect(pod.metadata.labels?.['grove.io/pod-template-hash']).toBeDefined();
    expect(at(pod, 'spec', 'containers')).toMatchObject(containersOf(set, pod));
  }
  expect(at(set, 'status', 'updatedReplicas')).toBe(at(set, 'spec', 'replicas'));
  if (set === undefined) expect([...store.objects.keys()]).toEqual([]);
  expect(at(set, 'status', 'observedGeneration')).toBe(set?.metadata.generation);
}

/** Nothing is written for what was known already, and by another process neither. */
function checkRest(world: LateWorld): void {
  const before = world.writes.length;
  world.pass(700_000);
  world.restart(0, rotated(7));
  expect(world.comeToRest()).toBe(true);
  world.pass(700_000);
  expect(world.comeToRest()).toBe(true);
  expect(world.writes.slice(before)).toEqual([]);
}

const both = (one: Judge, other: Judge): Judge => ({
  restarted: () => [one, other].forEach((judge) => judge.restarted()),
  decided: (intent, world) => [one, other].forEach((judge) => judge.decided(intent, world)),
  landed: (intent, world) => [one, other].forEach((judge) => judge.landed(intent, world)),
});

describe('A history of a set', () => {
  it('ends as the last spec wants, with never a pod too many, at rest, and leaves nothing when deleted', () => {
    let terminated = 0;
    fc.assert(
      fc.property(fc.boolean(), history, propagation, (isReady, acts, how) => {
        const judge = new PodJudge();
        const terminations = new TerminationJudge(60_000);
        const world = new LateWorld(both(judge, terminations));
        create(world);
        if (isReady) getReady(world);
        for (const one of acts) one(world);
        pauseUpdate(null)(world);
        updateBy('RollingRecreate')(world);
        calm(world);
        checkStructure(world);
        checkRest(world);
        world.store.remove(demoSet, how);
        calm(world);
        expect([...world.store.objects.keys()]).toEqual([]);
        expect(world.actors).toBe(0);
        expect(judge.violations).toEqual([]);
        expect(terminations.violations).toEqual([]);
        terminated += terminations.judged;
      }),
      { numRuns: histories },
    );
    expect(terminated).toBeGreaterThan(histories / 100);
  }, 600_000);
});
