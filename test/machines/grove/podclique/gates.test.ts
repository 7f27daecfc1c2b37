// The gate of pods in scaled gangs: podclique and podgang actors of a base gang and of a scaled one
// together, in the little world; scheduled, lost, restarted and deleted in any order.
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { at, list, object } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { runPods } from '#test/support/world-life.ts';
import type { World } from '#test/support/world.ts';
import { clique, gang, podsOf, worldOf } from './tree.ts';

const gate = { name: 'grove.io/podgang-pending-creation' };
const standalone = clique('demo-0-a', 2, { 'grove.io/podgang': 'demo-0' });
const member = clique('demo-0-x-0-b', 1, {
  'grove.io/podgang': 'demo-0',
  'grove.io/podcliquescalinggroup': 'demo-0-x',
});
const scaled = clique('demo-0-x-1-b', 2, {
  'grove.io/podgang': 'demo-0-x-0',
  'grove.io/base-podgang': 'demo-0',
  'grove.io/podcliquescalinggroup': 'demo-0-x',
});
const baseGang = gang('demo-0', { 'demo-0-a': 2, 'demo-0-x-0-b': 1 });
const scaledGang = gang('demo-0-x-0', { 'demo-0-x-1-b': 1 });

const all = [standalone, member, scaled, baseGang, scaledGang];

const isGated = (pod: KubeObject): boolean => list(at(pod, 'spec', 'schedulingGates')).length > 0;

const scheduled: JsonObject = {
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'True', reason: 'Scheduled' }],
};

function schedule(world: World, name: string, count = Infinity): void {
  for (const pod of podsOf(world, name).slice(0, count)) {
    world.setPodStatus(pod.metadata.name, scheduled);
  }
  world.stabilize();
}

const why = (world: World, kind: 'podclique' | 'podgang', name: string): readonly string[] =>
  world.why({ kind, namespace: 'demo', name });

const gateRemovals = (world: World): number =>
  world.writes.filter(({ op, ref }) => op === 'patch' && ref.kind === 'Pod').length;

let world: World;

describe('a pod of a scaled gang', () => {
  beforeEach(() => {
    world = worldOf(all);
  });

  it('waits for the scheduled base gang, ready or not, while base pods have no gate (10.1 rule 21)', () => {
    expect(podsOf(world, 'demo-0-a').map(isGated)).toEqual([false, false]);
    expect(podsOf(world, 'demo-0-x-1-b').map(isGated)).toEqual([true, true]);
    schedule(world, 'demo-0-x-0-b');
    schedule(world, 'demo-0-a', 1);
    expect(podsOf(world, 'demo-0-x-1-b').map(isGated)).toEqual([true, true]);
    schedule(world, 'demo-0-a', 2);
    expect(podsOf(world, 'demo-0-x-1-b').map(isGated)).toEqual([false, false]);
    expect(gateRemovals(world)).toBe(2);
  });

  it('is released without any time passing, in the reconcile of the last PodScheduled (10.2 gap 4)', () => {
    const before = world.now;
    schedule(world, 'demo-0-x-0-b');
    schedule(world, 'demo-0-a');
    expect(podsOf(world, 'demo-0-x-1-b').map(isGated)).toEqual([false, false]);
    expect(world.now).toBe(before);
  });

  it('needs no gate where the base gang is scheduled already', () => {
    schedule(world, 'demo-0-x-0-b');
    schedule(world, 'demo-0-a');
    const removals = gateRemovals(world);
    world.create(
      clique('demo-0-x-2-b', 1, { ...scaled.metadata.labels, 'grove.io/podgang': 'demo-0-x-1' }),
    );
    world.create(gang('demo-0-x-1', { 'demo-0-x-2-b': 1 }));
    world.stabilize();
    expect(podsOf(world, 'demo-0-x-2-b').map(isGated)).toEqual([false]);
    expect(gateRemovals(world)).toBe(removals);
  });

  it('keeps the gates of others (10.1 rule 22)', () => {
    const [first] = podsOf(world, 'demo-0-x-1-b');
    const ref = { kind: 'Pod', namespace: 'demo', name: first?.metadata.name ?? '' } as const;
    world.edit(ref, { spec: { schedulingGates: [gate, { name: 'quota.io/wait' }] } });
    schedule(world, 'demo-0-x-0-b');
    schedule(world, 'demo-0-a');
    expect(at(world.get('Pod', ref.name), 'spec', 'schedulingGates')).toEqual([
      { name: 'quota.io/wait' },
    ]);
  });

  it('that comes after the base gang fell below its minimum waits again; others are left alone', () => {
    schedule(world, 'demo-0-x-0-b');
    schedule(world, 'demo-0-a');
    const running = podsOf(world, 'demo-0-x-1-b').map((pod) => pod.metadata.name);
    for (const pod of podsOf(world, 'demo-0-x-0-b')) {
      world.drop({ kind: 'Pod', namespace: 'demo', name: pod.metadata.name });
    }
    world.stabilize();
    world.edit(
      { kind: 'PodClique', namespace: 'demo', name: 'demo-0-x-1-b' },
      { spec: { replicas: 3 } },
    );
    world.stabilize();
    const gated = podsOf(world, 'demo-0-x-1-b').filter(isGated);
    expect(gated).toHaveLength(1);
    expect(running).not.toContain(gated[0]?.metadata.name);
    schedule(world, 'demo-0-x-0-b');
    expect(podsOf(world, 'demo-0-x-1-b').some(isGated)).toBe(false);
  });

  it('waits while a PodClique of the base gang is being deleted, and while the gang is gone', () => {
    schedule(world, 'demo-0-x-0-b');
    world.edit(
      { kind: 'PodClique', namespace: 'demo', name: 'demo-0-x-0-b' },
      { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: ['x', ...finalizers] } },
    );
    world.stabilize();
    schedule(world, 'demo-0-a');
    expect(podsOf(world, 'demo-0-x-1-b').map(isGated)).toEqual([true, true]);
    world.drop({ kind: 'PodClique', namespace: 'demo', name: 'demo-0-x-0-b' });
    world.drop({ kind: 'PodGang', namespace: 'demo', name: 'demo-0' });
    world.create(baseGang);
    world.stabilize();
    expect(podsOf(world, 'demo-0-x-1-b').map(isGated)).toEqual([true, true]);
    world.create(member);
    world.stabilize();
    world.pass(5_000);
    schedule(world, 'demo-0-x-0-b');
    expect(podsOf(world, 'demo-0-x-1-b').map(isGated)).toEqual([false, false]);
  });

  it('says what it waits for, in the order in which it must come true', () => {
    const held = (rest: string): string[] => [
      expect.stringMatching(
        new RegExp(
          `^pod demo-0-x-1-b-\\S+ \\(and 1 more\\) is held by our scheduling gate${rest}`,
          'u',
        ),
      ),
    ];
    expect(why(world, 'podclique', 'demo-0-x-1-b')).toEqual(
      held(
        ' until PodGang demo-0 is scheduled: too few pods are scheduled: demo-0-a has 0 of 2, demo-0-x-0-b has 0 of 1 \\(2 of 2',
      ),
    );
    expect(why(world, 'podgang', 'demo-0')).toEqual([
      'PodGang demo-0 is not scheduled: too few pods are scheduled: demo-0-a has 0 of 2, demo-0-x-0-b has 0 of 1 (2 of 2 PodCliques); 1 PodCliques of scaled PodGangs wait for that',
    ]);
    const ref = { kind: 'PodGang', namespace: 'demo', name: 'demo-0-x-0' } as const;
    world.options = { refuse: (op) => (op === 'status' ? 'FORBIDDEN' : undefined) };
    world.edit(ref, { status: { conditions: null } });
    expect(why(world, 'podclique', 'demo-0-x-1-b')).toEqual(
      held(' until PodGang demo-0-x-0 is initialized'),
    );
  });
});

const finalizers = ['grove.io/podclique.grove.io'];

describe('a pod whose gate is ours in a base gang', () => {
  it('is released once its gang is initialized, not before (10.2 gap 16)', () => {
    let isRefused = true;
    world = worldOf([standalone, member, baseGang], {
      refuse: (op, ref) =>
        isRefused && op === 'status' && ref.kind === 'PodGang' ? 'FORBIDDEN' : undefined,
    });
    for (const pod of podsOf(world, 'demo-0-a')) {
      const ref = { kind: 'Pod', namespace: 'demo', name: pod.metadata.name } as const;
      world.edit(ref, { spec: { schedulingGates: [gate] } });
    }
    world.stabilize();
    expect(podsOf(world, 'demo-0-a').map(isGated)).toEqual([true, true]);
    isRefused = false;
    world.pass(1_000);
    expect(podsOf(world, 'demo-0-a').map(isGated)).toEqual([false, false]);
  });
});

describe('a pod that starts after others', () => {
  it.each([
    ['demo-0-x-0-b', 3],
    ['demo-0-x-0-b', 1],
    // Nobody lists it, so its container waits for one.
    ['demo-0-nobody', 1],
  ])('says while its init container waits for %s that it needs %i', (parent, many) => {
    const later: KubeObject = {
      ...standalone,
      spec: { ...object(standalone['spec']), replicas: 1, startsAfter: [parent] },
    };
    const least = parent === 'demo-0-nobody' ? 2 : many;
    world = worldOf([later, member, gang('demo-0', { 'demo-0-a': 2, 'demo-0-x-0-b': least })]);
    const [pod] = podsOf(world, 'demo-0-a');
    world.setPodStatus(pod?.metadata.name ?? '', {
      ...scheduled,
      initContainerStatuses: [{ name: 'grove-initc', state: { running: {} } }],
    });
    world.stabilize();
    expect(why(world, 'podclique', 'demo-0-a')).toEqual([
      `pod ${pod?.metadata.name} starts once ${many} pods of ${parent} are ready (start-up order)`,
    ]);
  });
});

describe('the gates of a scaled gang', () => {
  it('open whatever the order of objects, with messages lost and actors restarted', () => {
    const order = fc.shuffledSubarray(all, { minLength: all.length });
    const moves = fc.array(fc.constantFrom('a', 'member', 'restart', 'pass'), { maxLength: 8 });
    fc.assert(
      fc.property(order, moves, fc.infiniteStream(fc.boolean()), (objects, steps, losses) => {
        let isLossy = true;
        const lose = (): boolean => isLossy && losses.next().value === true;
        const world = worldOf(objects, { lose });
        for (const step of steps) {
          if (step === 'a') schedule(world, 'demo-0-a');
          if (step === 'member') schedule(world, 'demo-0-x-0-b');
          if (step === 'restart') world.restart();
          if (step === 'pass') world.pass(5_000);
          const isBaseScheduled = [standalone, member].every(({ metadata: { name } }) =>
            podsOf(world, name).some((pod) => at(pod, 'status', 'phase') === 'Pending'),
          );
          if (!isBaseScheduled) {
            expect(podsOf(world, 'demo-0-x-1-b').every(isGated)).toBe(true);
          }
        }
        isLossy = false;
        for (let round = 0; round < 8; round++) {
          runPods(world);
          world.pass(60_000);
        }
        expect(world.all('Pod')).toHaveLength(5);
        expect(world.all('Pod').some(isGated)).toBe(false);
      }),
      { numRuns: 60 },
    );
  });
});
