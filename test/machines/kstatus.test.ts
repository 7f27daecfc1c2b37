// What kstatus, `kubectl wait` and so Helm make of a set and its children, write by write: nobody
// is told that all is done before each wanted pod is ready and up to date, and in the end everybody
// is (decision 0029).
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { isConditionMet, kstatusOf } from '#test/support/kstatus.ts';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import { readyStatus } from '#test/support/world-life.ts';
import { refOf } from '#test/support/world-store.ts';
import { World } from '#test/support/world.ts';

const groupKind = 'PodCliqueScalingGroup';
const kinds = ['PodCliqueSet', groupKind, 'PodClique'] as const;
/** Two of `worker`, and in each of two replicas of the group one `leader` and two `hand`; all of
 *  them are the minimum, which is what a set waits for. */
const podsInAll = 8;

const setOf = (image: string): KubeObject => {
  const podSpec = { containers: [{ name: 'main', image }] };
  const cliques = [
    { name: 'worker', replicas: 2 },
    { name: 'leader', replicas: 1 },
    { name: 'hand', replicas: 2 },
  ];
  return cliqueSet(
    1,
    cliques.map((one) => ({ ...one, minAvailable: one.replicas, podSpec })),
    {
      podCliqueScalingGroups: [
        { name: 'engine', cliqueNames: ['leader', 'hand'], replicas: 2, minAvailable: 2 },
      ],
    },
  );
};

const isReady = (pod: KubeObject): boolean =>
  pod.metadata.deletionTimestamp === undefined &&
  list(at(pod, 'status', 'conditions')).some(
    (one) => at(one, 'type') === 'Ready' && at(one, 'status') === 'True',
  );
const imageIn = (podSpec: unknown): unknown => at(list(at(podSpec, 'containers'))[0], 'image');

/** By its own spec. */
function isOfImage(pod: KubeObject, { kind, spec }: KubeObject): boolean {
  if (kind === groupKind) return true;
  const [template] = list(at(spec, 'template', 'cliques'));
  const podSpec = kind === 'PodClique' ? at(spec, 'podSpec') : at(template, 'spec', 'podSpec');
  return imageIn(pod['spec']) === imageIn(podSpec);
}

/** Pods below an object: by the start of their names. A template is no part of the spec of a
 *  scaling group, so it hears of a new one with its next reconcile; who edits a set waits for the
 *  set. */
const podsDone = (world: World, own: KubeObject): number =>
  world
    .all('Pod')
    .filter(({ metadata: { name } }) => name.startsWith(own.metadata.name))
    .filter((pod) => isReady(pod) && isOfImage(pod, own)).length;

const podsWanted = ({ kind, spec }: KubeObject): number => {
  if (kind === 'PodCliqueSet') return podsInAll;
  return kind === groupKind ? 6 : Number(at(spec, 'replicas'));
};

const judged = (world: World): readonly KubeObject[] => kinds.flatMap((kind) => world.all(kind));

/** One that says nothing yet is not told from one that is done: its first write ends that. */
function expectNoneTooEarly(world: World): void {
  for (const one of judged(world).filter(({ status }) => status !== undefined)) {
    const isDone = podsDone(world, one) >= podsWanted(one);
    const isCurrent = kstatusOf(one) === 'Current' || isConditionMet(one, 'Ready');
    const status = JSON.stringify(one['status']);
    expect(isCurrent && !isDone, `${one.kind} ${one.metadata.name}: ${status}`).toBe(false);
  }
}

/** Write by write, then pod by pod, in an order of its own for each seed. */
function walk(world: World, seed: number): void {
  const land = (): void => {
    for (let write = 0; write < 60; write++) {
      world.land((write * 7 + seed) % 5);
      expectNoneTooEarly(world);
    }
  };
  land();
  for (let round = 0; round < 4; round++) {
    const pods = world.all('Pod');
    for (const at of pods.keys()) {
      const pod = pods[(at * 3 + seed) % pods.length];
      if (pod === undefined) continue;
      if (pod.metadata.deletionTimestamp !== undefined) world.drop(refOf(pod));
      else world.setPodStatus(pod.metadata.name, readyStatus);
      world.stabilize();
      expectNoneTooEarly(world);
      world.land();
      expectNoneTooEarly(world);
    }
    land();
  }
}

const expectAllCurrent = (world: World): void => {
  for (const one of judged(world)) {
    expect([one.metadata.name, kstatusOf(one), isConditionMet(one, 'Ready')]).toEqual([
      one.metadata.name,
      'Current',
      true,
    ]);
  }
};

describe('A set and its children', () => {
  it.each([0, 1, 2, 3, 4])(
    'are Current in the end of a deploy and an update and never before (order %i)',
    (seed) => {
      const world = new World({ isSlow: true });
      world.create(setOf('old'));
      world.stabilize();
      walk(world, seed);
      expect(judged(world)).toHaveLength(1 + 1 + 5);
      expectAllCurrent(world);
      world.edit(demoSet, {
        spec: { ...Object(setOf('new')['spec']), updateStrategy: { type: 'OnDelete' } },
      });
      world.stabilize();
      walk(world, seed);
      for (const pod of world.all('Pod')) {
        world.remove(refOf(pod));
        world.stabilize();
        expectNoneTooEarly(world);
        world.land();
      }
      walk(world, seed);
      expect(world.all('Pod').map((pod) => imageIn(pod['spec']))).toEqual(
        Array(podsInAll).fill('new'),
      );
      expectAllCurrent(world);
    },
  );

  it('are in progress where a write is refused, and say what', () => {
    const world = new World({
      refuse: (op, { kind }) => (op === 'create' && kind === 'Service' ? 'FORBIDDEN' : undefined),
    });
    world.create(setOf('old'));
    world.converge();
    const set = world.get('PodCliqueSet', 'demo');
    expect(kstatusOf(set)).toBe('InProgress');
    const ready = list(at(set, 'status', 'conditions')).find((one) => at(one, 'type') === 'Ready');
    expect(at(ready, 'reason')).toBe('ReconcileFailed');
    expect(at(ready, 'message')).toMatch(/^Service demo-0: create refused \(FORBIDDEN\): /);
    world.options = {};
    world.pass(60_000);
    world.converge();
    expectAllCurrent(world);
  });
});
