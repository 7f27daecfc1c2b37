// The gang scenarios of spec controllers 10.3 from a PodCliqueSet to running pods: the controller
// and the simulated scheduler and kubelets on one virtual clock.
import { describe, expect, test } from 'vitest';
import { label } from '#machines/grove/objects/labels.ts';
import { listAt, objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { FaultPlan } from '#src/devcluster/faults.ts';
import { withController } from './controlled.ts';
import type { World } from './controllers/support.ts';
import { isReady } from './controllers/support.ts';

/** Each pod takes one of these; a node has as many as the test says. */
const slot = 'example.com/slot';

const clique = (name: string, replicas: number, minAvailable: number): JsonObject => ({
  name,
  annotations: { 'dev.coppice/ready-after': '1s' },
  spec: {
    roleName: name,
    replicas,
    minAvailable,
    podSpec: {
      containers: [{ name: 'main', image: 'i', resources: { limits: { [slot]: '1' } } }],
    },
  },
});

interface Least {
  readonly a: number;
  readonly x: number;
  readonly c: number;
}

/** a (2 pods), and group x of b (1) and c (3) twice: 10 pods (spec controllers 10.3). */
const createSet = (world: World, least: Least, more: JsonObject = {}): Promise<Stored> =>
  world.create('/apis/grove.io/v1alpha1/namespaces/default/podcliquesets', {
    apiVersion: 'grove.io/v1alpha1',
    kind: 'PodCliqueSet',
    metadata: { name: 'w' },
    spec: {
      replicas: 1,
      template: {
        cliques: [clique('a', 2, least.a), clique('b', 1, 1), clique('c', 3, least.c)],
        podCliqueScalingGroups: [
          { name: 'x', cliqueNames: ['b', 'c'], replicas: 2, minAvailable: least.x },
        ],
        ...more,
      },
    },
  });

const w1 = { a: 2, x: 2, c: 3 };
const w2 = { a: 1, x: 1, c: 1 };

const addNode = (world: World, name: string, slots: number): Promise<Stored> =>
  world.create('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status: { allocatable: { cpu: '64', memory: '512Gi', pods: '110', [slot]: String(slots) } },
  });

const cliqueOf = (pod: Stored): string => textsAt(pod.metadata, 'labels')[label.podClique] ?? '';

/** How many pods of each PodClique have a node. */
function placed(world: World): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const pod of world.stored('/pods')) {
    if (textAt(objectAt(pod, 'spec'), 'nodeName') === '') continue;
    counts[cliqueOf(pod)] = (counts[cliqueOf(pod)] ?? 0) + 1;
  }
  return counts;
}

const sum = (counts: Record<string, number>): number =>
  Object.values(counts).reduce((all, one) => all + one, 0);

const gated = (world: World): readonly string[] =>
  world
    .stored('/pods')
    .filter((pod) => listAt(objectAt(pod, 'spec'), 'schedulingGates').length > 0)
    .map(cliqueOf)
    .toSorted();

const gangs = (world: World): readonly string[] =>
  world
    .stored('scheduler.grove.io/podgangs')
    .map((gang) => textAt(gang.metadata, 'name'))
    .toSorted();

describe('W1, all or nothing', () => {
  test('is pending as a whole while one node is short, and placed as a whole with it (10.3 scenario 1)', () =>
    withController({ nodes: 0 }, async (world) => {
      await addNode(world, 'node-a', 9);
      await createSet(world, w1);
      await world.until('ten pods', () => world.stored('/pods').length === 10);
      await world.clock.advance(10_000);
      expect(gangs(world)).toEqual(['w-0']);
      expect(gated(world)).toEqual([]);
      expect(placed(world)).toEqual({});
      await addNode(world, 'node-b', 1);
      await world.until('all are placed', () => sum(placed(world)) === 10);
    }));
});

describe('W2, a minimum of one each', () => {
  test('takes exactly its minimum where there is room for three, then the scaled gang (10.3 scenario 2)', () =>
    withController({ nodes: 0 }, async (world) => {
      await addNode(world, 'node-a', 3);
      await createSet(world, w2);
      await world.until('three pods are placed', () => sum(placed(world)) === 3);
      await world.clock.advance(10_000);
      expect(gangs(world)).toEqual(['w-0', 'w-0-x-0']);
      expect(placed(world)).toEqual({ 'w-0-a': 1, 'w-0-x-0-b': 1, 'w-0-x-0-c': 1 });
      expect(gated(world)).toEqual([]);
      await addNode(world, 'node-b', 2);
      await world.until('two more are placed', () => sum(placed(world)) === 5);
      await world.clock.advance(10_000);
      expect(placed(world)).toMatchObject({ 'w-0-x-1-b': 1, 'w-0-x-1-c': 1 });
      await addNode(world, 'node-c', 5);
      await world.until('all are placed', () => sum(placed(world)) === 10);
    }));

  test('scaled out gets a gang for the new replica, gated until the base gang is scheduled (10.3 scenario 3)', () =>
    withController({ nodes: 0 }, async (world) => {
      await createSet(world, w2);
      await world.until('ten pods', () => world.stored('/pods').length === 10);
      const path = '/apis/grove.io/v1alpha1/namespaces/default/podcliquescalinggroups/w-0-x';
      await world.client.mergePatch(path, { spec: { replicas: 3 } });
      await world.until('fourteen pods', () => world.stored('/pods').length === 14);
      await world.clock.advance(10_000);
      expect(gangs(world)).toEqual(['w-0', 'w-0-x-0', 'w-0-x-1']);
      const scaled = ['w-0-x-1-b', 'w-0-x-1-c', 'w-0-x-1-c', 'w-0-x-1-c'];
      const more = ['w-0-x-2-b', 'w-0-x-2-c', 'w-0-x-2-c', 'w-0-x-2-c'];
      expect(gated(world)).toEqual([...scaled, ...more]);
      await addNode(world, 'node-a', 14);
      await world.until('all are placed', () => sum(placed(world)) === 14);
      expect(gated(world)).toEqual([]);
    }));

  test('opens the gates within a second of the last pod of the base gang being scheduled', () =>
    withController({ nodes: 0 }, async (world) => {
      const at = { bound: 0, opened: 0 };
      world.cluster.requests.onRequest(({ verb, resource, subresource, userAgent, at: now }) => {
        if (resource !== 'pods') return;
        if (subresource === 'binding' && Object.keys(placed(world)).length <= 3) at.bound = now;
        if (verb === 'patch' && userAgent === 'coppice-controller') at.opened = now;
      });
      await createSet(world, w2);
      await world.until('ten pods', () => world.stored('/pods').length === 10);
      await world.clock.advance(30_000);
      expect(gated(world)).toHaveLength(4);
      await addNode(world, 'node-a', 3);
      await world.until('the gates are open', () => gated(world).length === 0);
      expect(at.bound).toBeGreaterThan(0);
      expect(at.opened - at.bound).toBeLessThanOrEqual(1_000);
    }));
});

describe('A set deleted and created again under its name', () => {
  test('comes up whole within seconds, with pods of its own (10.3 scenario 16)', () =>
    withController({ nodes: 1, controllers: { nodeCapacity: { [slot]: '10' } } }, async (world) => {
      const uids = (): readonly string[] =>
        world.stored('/pods').map((pod) => textAt(pod.metadata, 'uid'));
      const isWhole = (): boolean => world.stored('/pods').filter(isReady).length === 10;
      const { metadata } = await createSet(world, w2);
      await world.until('all are ready', isWhole);
      const before = new Set(uids());
      const path = '/apis/grove.io/v1alpha1/namespaces/default/podcliquesets';
      await world.client.remove(`${path}/w`, textAt(metadata, 'uid'));
      await world.until(
        'the set is gone',
        () => world.stored('grove.io/podcliquesets').length === 0,
      );
      const since = world.clock.now();
      await createSet(world, w2);
      await world.until(
        'new ones are ready',
        () => isWhole() && !uids().some((uid) => before.has(uid)),
      );
      expect(world.clock.now() - since).toBeLessThanOrEqual(15_000);
    }));
});

/** Whatever the controller and the cluster's own controllers ask for may go wrong, for a while. */
function trouble(): FaultPlan {
  const faults = new FaultPlan();
  const some = { rate: 0.15, times: 150 };
  faults.add({ kind: 'Pod', ...some, fault: { kind: 'dropReply' } });
  faults.add({ kind: 'PodGang', ...some, fault: { kind: 'dropReply' } });
  faults.add({ kind: 'PodClique', ...some, fault: { kind: 'dropRequest' } });
  faults.add({ verb: 'patch', ...some, fault: { kind: 'error', code: 500 } });
  faults.add({ verb: 'watch', ...some, fault: { kind: 'dropWatch', afterEvents: 3 } });
  faults.add({ verb: 'watch', ...some, fault: { kind: 'lagWatch', ms: 700 } });
  return faults;
}

describe('W2 with an API server that fails', () => {
  test.each([1, 2, 3, 4])(
    'never places a pod of the scaled gang before the base gang, and all in the end (seed %i)',
    (seed) =>
      withController({ nodes: 0, seed, faults: trouble() }, async (world) => {
        const early: string[] = [];
        world.cluster.requests.onRequest(({ resource, subresource, name }) => {
          if (resource !== 'pods' || subresource !== 'binding') return;
          const there = placed(world);
          const isBasePlaced = ['w-0-a', 'w-0-x-0-b', 'w-0-x-0-c'].every((one) => one in there);
          if (name.startsWith('w-0-x-1-') && !isBasePlaced) early.push(name);
        });
        await createSet(world, w2);
        await world.clock.advance(5_000);
        await addNode(world, 'node-a', 5);
        await addNode(world, 'node-b', 5);
        await world.until('all are placed', () => sum(placed(world)) === 10, 300_000);
        expect(early).toEqual([]);
        expect(gated(world)).toEqual([]);
      }),
  );
});

describe('a start-up order', () => {
  test('in order makes the PodCliques of each gang ready one after the other (10.3 scenario 15)', () =>
    withController({ nodes: 1, controllers: { nodeCapacity: { [slot]: '10' } } }, async (world) => {
      await createSet(world, w2, { cliqueStartupType: 'CliqueStartupTypeInOrder' });
      const readyAt = new Map<string, number>();
      await world.until('all are ready', () => {
        for (const pod of world.stored('/pods').filter(isReady)) {
          const name = textAt(pod.metadata, 'name');
          if (!readyAt.has(name)) readyAt.set(name, world.clock.now());
        }
        return readyAt.size === 10;
      });
      const first = (name: string): number => Math.min(...timesOf(name));
      const timesOf = (name: string): readonly number[] =>
        world
          .stored('/pods')
          .filter((pod) => cliqueOf(pod) === name)
          .map((pod) => readyAt.get(textAt(pod.metadata, 'name')) ?? 0);
      expect(first('w-0-x-0-b') - first('w-0-a')).toBeGreaterThanOrEqual(1_000);
      expect(first('w-0-x-0-c') - first('w-0-x-0-b')).toBeGreaterThanOrEqual(1_000);
      expect(first('w-0-x-1-c') - first('w-0-x-1-b')).toBeGreaterThanOrEqual(1_000);
      const inits = world
        .stored('/pods')
        .filter((pod) => cliqueOf(pod) === 'w-0-x-1-c')
        .flatMap((pod) => objectsAt(objectAt(pod, 'spec'), 'initContainers'));
      expect(inits).toMatchObject(
        Array.from({ length: 3 }, () => ({
          name: 'grove-initc',
          image: 'example.org/grove-initc:test',
          args: ['--podcliques=w-0-x-1-b:1'],
        })),
      );
    }));
});
