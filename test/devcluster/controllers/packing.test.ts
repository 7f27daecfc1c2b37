// Topology constraints of PodGangs in the simulated scheduler: what is required to be in one domain
// is there or waits, what is preferred is there where it fits, and parts are placed within.
import { describe, expect, test } from 'vitest';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { crd } from '#test/devcluster/schema/crd-fixtures.ts';
import { withWorld } from './support.ts';
import type { World } from './support.ts';

const zone = 'topology.kubernetes.io/zone';
const rack = 'example.com/rack';

/** Nodes `<zone><rack><number>` of so many GPUs: a1x, a1y, a2x and so on. */
const addNode = (world: World, name: string, gpus: number, labels?: JsonObject) =>
  world.create('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: labels ?? { [zone]: name.slice(0, 1), [rack]: name.slice(0, 2) } },
    status: {
      allocatable: { cpu: '64', memory: '512Gi', pods: '110', 'nvidia.com/gpu': String(gpus) },
    },
  });

const withNodes = (
  nodes: Readonly<Record<string, number>>,
  run: (world: World) => Promise<void>,
): Promise<void> =>
  withWorld({ nodes: 0 }, async (world) => {
    const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await world.create(crds, crd('podgangs'));
    for (const [name, gpus] of Object.entries(nodes)) await addNode(world, name, gpus);
    await run(world);
  });

const pack = (packConstraint: JsonObject): JsonObject => ({
  topologyConstraint: { packConstraint },
});

const gangs = '/apis/scheduler.grove.io/v1alpha1/namespaces/default/podgangs';

/** Groups with their number of pods, `<group>-<n>`, and what they say besides. */
const createGang = (
  world: World,
  groups: Readonly<Record<string, readonly [pods: number, more?: JsonObject]>>,
  more: JsonObject = {},
) =>
  world.create(gangs, {
    apiVersion: 'scheduler.grove.io/v1alpha1',
    kind: 'PodGang',
    metadata: { name: 'g' },
    spec: {
      podgroups: Object.entries(groups).map(([name, [pods, rest]]) => ({
        name,
        minReplicas: pods,
        podReferences: Array.from({ length: pods }, (_, n) => ({
          namespace: 'default',
          name: `${name}-${n}`,
        })),
        ...rest,
      })),
      ...more,
    },
  });

async function createPods(world: World, names: readonly string[], gpus = 1): Promise<void> {
  const limits = { 'nvidia.com/gpu': String(gpus) };
  const spec = { containers: [{ name: 'main', image: 'i', resources: { limits } }] };
  for (const name of names) {
    await world.createPod(name, spec, { labels: { 'grove.io/podgang': 'g' } });
  }
}

/** Nodes by name of the pod; only of those that are placed. */
const nodes = (world: World): Record<string, string> =>
  Object.fromEntries(
    world
      .stored('/pods')
      .map(
        (pod) => [textAt(pod.metadata, 'name'), textAt(objectAt(pod, 'spec'), 'nodeName')] as const,
      )
      .filter(([, node]) => node !== ''),
  );

const placed = (world: World, many: number) =>
  world.until(`${many} are placed`, () => Object.keys(nodes(world)).length === many, 2_000);

const domainsOf = (world: World, prefix: string, length: number): Set<string> =>
  new Set(
    Object.entries(nodes(world))
      .filter(([pod]) => pod.startsWith(prefix))
      .map(([, node]) => node.slice(0, length)),
  );

describe('a gang that must be in one domain', () => {
  test('is placed in the one that has room for all of it', () =>
    withNodes({ a1x: 2, a2x: 8, b1x: 3, b1y: 3 }, async (world) => {
      await createGang(world, { w: [5] }, pack({ required: rack }));
      await createPods(world, ['w-0', 'w-1', 'w-2', 'w-3', 'w-4']);
      await placed(world, 5);
      expect(domainsOf(world, 'w', 2).size).toBe(1);
    }));

  test('waits although there is room elsewhere, says so, and is placed when a domain has room', () =>
    withNodes({ a1x: 2, b1x: 2 }, async (world) => {
      await createGang(world, { w: [3] }, pack({ required: rack }));
      await createPods(world, ['w-0', 'w-1', 'w-2']);
      await world.clock.advance(5_000);
      expect(nodes(world)).toEqual({});
      const messages = world
        .stored('/events')
        .filter(({ reason }) => reason === 'FailedScheduling')
        .map((event) => textAt(event, 'message'));
      expect(messages[0]).toBe(
        'PodGang default/g is placed as a whole: 2 of the 3 pods that it needs fit together, then ' +
          `pod w-2 does not: within one domain of ${rack}: ` +
          '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.',
      );
      await addNode(world, 'b1y', 1);
      await placed(world, 3);
      expect(domainsOf(world, 'w', 2)).toEqual(new Set(['b1']));
    }));

  test('has no place on nodes without the label', () =>
    withNodes({ a1x: 1 }, async (world) => {
      await addNode(world, 'bare', 8, {});
      await createGang(world, { w: [2] }, pack({ required: rack }));
      await createPods(world, ['w-0', 'w-1']);
      await world.clock.advance(5_000);
      expect(nodes(world)).toEqual({});
    }));

  test('has a pod that was lost in the same domain again', () =>
    withNodes({ a1x: 2, b1x: 4 }, async (world) => {
      await createGang(world, { w: [2] }, pack({ required: rack }));
      await createPods(world, ['w-0', 'w-1']);
      await placed(world, 2);
      const [home] = domainsOf(world, 'w', 2);
      await world.client.send({
        method: 'DELETE',
        path: '/api/v1/namespaces/default/pods/w-0',
        body: { gracePeriodSeconds: 0 },
      });
      await world.until('one is gone', () => world.stored('/pods').length === 1);
      // The other rack has more room now.
      await createPods(world, ['w-0']);
      await placed(world, 2);
      expect([...domainsOf(world, 'w', 2)]).toEqual([home]);
    }));

  test('is placed once its constraint is taken back', () =>
    withNodes({ a1x: 2, b1x: 2 }, async (world) => {
      await createGang(world, { w: [3] }, pack({ required: rack }));
      await createPods(world, ['w-0', 'w-1', 'w-2']);
      await world.clock.advance(5_000);
      await world.client.mergePatch(`${gangs}/g`, { spec: { topologyConstraint: null } });
      await placed(world, 3);
    }));
});

describe('parts of a gang', () => {
  test('are each in a domain of their own, within that of the gang', () =>
    withNodes({ a1x: 2, a2x: 2, a3x: 1, b1x: 2, b2x: 1 }, async (world) => {
      const config = (name: string, podGroupNames: string[]) => ({
        name,
        podGroupNames,
        ...pack({ required: rack }),
      });
      await createGang(
        world,
        { p: [1], q: [1], r: [2, pack({ required: rack })], s: [1] },
        {
          ...pack({ required: zone }),
          topologyConstraintGroupConfigs: [config('pq', ['p', 'q'])],
        },
      );
      await createPods(world, ['p-0', 'q-0', 'r-0', 'r-1', 's-0']);
      await placed(world, 5);
      expect(domainsOf(world, '', 1)).toEqual(new Set(['a']));
      expect(domainsOf(world, 'r', 2).size).toBe(1);
      const pair = nodes(world);
      expect(pair['p-0']?.slice(0, 2)).toBe(pair['q-0']?.slice(0, 2));
    }));

  test('that are not constrained are placed anywhere', () =>
    withNodes({ a1x: 1, b1x: 1 }, async (world) => {
      await createGang(
        world,
        { p: [2] },
        { topologyConstraintGroupConfigs: [{ name: 'p', podGroupNames: ['p'] }] },
      );
      await createPods(world, ['p-0', 'p-1']);
      await placed(world, 2);
    }));
});

describe('a gang that had better be in one domain', () => {
  test('is where there is such a one', () =>
    withNodes({ a1x: 2, a2x: 3, b1x: 2 }, async (world) => {
      await createGang(world, { w: [3] }, pack({ preferred: rack }));
      await createPods(world, ['w-0', 'w-1', 'w-2']);
      await placed(world, 3);
      expect(domainsOf(world, 'w', 2)).toEqual(new Set(['a2']));
    }));

  test('is placed all the same where there is none, within what it requires', () =>
    withNodes({ a1x: 2, a2x: 1, b1x: 2 }, async (world) => {
      await createGang(world, { w: [3] }, pack({ required: zone, preferred: rack }));
      await createPods(world, ['w-0', 'w-1', 'w-2']);
      await placed(world, 3);
      expect(domainsOf(world, 'w', 1)).toEqual(new Set(['a']));
    }));
});
