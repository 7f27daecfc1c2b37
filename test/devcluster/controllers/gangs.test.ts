// PodGangs in the simulated scheduler: the minimum is placed together or not at all, what is beyond
// it comes afterwards, and Events say what is missing.
import { describe, expect, test } from 'vitest';
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { crd } from '#test/devcluster/schema/crd-fixtures.ts';
import { withWorld } from './support.ts';
import type { World } from './support.ts';

const gpus = (count: number) => ({
  containers: [
    { name: 'main', image: 'i', resources: { limits: { 'nvidia.com/gpu': String(count) } } },
  ],
});

const installCrd = (world: World) =>
  world.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd('podgangs'));

/** Nodes of 8 GPUs each, with the CRD of PodGangs. */
const withGangs = (nodes: number, run: (world: World) => Promise<void>) =>
  withWorld({ nodes }, async (world) => {
    await installCrd(world);
    await run(world);
  });

/** Groups: the least number of pods, and how many are listed as `<group>-<number>`. */
const createGang = (
  world: World,
  name: string,
  groups: Readonly<Record<string, readonly [least: number, listed: number]>>,
) =>
  world.create('/apis/scheduler.grove.io/v1alpha1/namespaces/default/podgangs', {
    apiVersion: 'scheduler.grove.io/v1alpha1',
    kind: 'PodGang',
    metadata: { name },
    spec: {
      podgroups: Object.entries(groups).map(([group, [minReplicas, listed]]) => ({
        name: group,
        minReplicas,
        podReferences: Array.from({ length: listed }, (_, n) => ({
          namespace: 'default',
          name: `${group}-${n}`,
        })),
      })),
    },
  });

const createPod = (world: World, gang: string, name: string, spec: JsonObject = gpus(1)) =>
  world.createPod(name, spec, { labels: { 'grove.io/podgang': gang } });

const placed = (world: World): string[] =>
  world
    .stored('/pods')
    .filter((pod) => textAt(objectAt(pod, 'spec'), 'nodeName') !== '')
    .map((pod) => textAt(pod.metadata, 'name'))
    .toSorted();

const reasons = (world: World): Set<string> =>
  new Set(
    world
      .stored('/events')
      .filter(({ reason }) => reason === 'FailedScheduling')
      .map(
        (event) =>
          `${textAt(objectAt(event, 'involvedObject'), 'name')}: ${textAt(event, 'message')}`,
      ),
  );

const addNode = (world: World, name: string, count: number) =>
  world.create('/api/v1/nodes', {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name },
    status: {
      allocatable: { cpu: '64', memory: '512Gi', pods: '110', 'nvidia.com/gpu': String(count) },
    },
  });

describe('the minimum of a PodGang', () => {
  test('is placed when its last pod is there, and nothing of it before', () =>
    withGangs(1, async (world) => {
      await createGang(world, 'g', { a: [2, 2], b: [1, 1] });
      await createPod(world, 'g', 'a-0');
      await createPod(world, 'g', 'b-0');
      await world.clock.advance(500);
      expect(placed(world)).toEqual([]);
      expect(reasons(world)).toEqual(new Set());
      await createPod(world, 'g', 'a-1');
      await world.until('all are placed', () => placed(world).length === 3, 100);
    }));

  test('that waits for a pod says for which, after a while', () =>
    withGangs(1, async (world) => {
      await createGang(world, 'g', { a: [2, 2] });
      await createPod(world, 'g', 'a-0');
      await world.createPod(
        'a-1',
        { ...gpus(1), schedulingGates: [{ name: 'x.io/y' }] },
        { labels: { 'grove.io/podgang': 'g' } },
      );
      await world.clock.advance(3_000);
      expect(placed(world)).toEqual([]);
      expect(reasons(world)).toEqual(
        new Set([
          'a-0: PodGang default/g is placed as a whole: 1 of the 2 pods that PodClique a needs are missing or gated',
        ]),
      );
      await world.client.mergePatch('/api/v1/namespaces/default/pods/a-1', {
        spec: { schedulingGates: null },
      });
      await world.until('both are placed', () => placed(world).length === 2, 100);
    }));

  test('takes no place while one of it has none, and all as soon as there is room (W1)', () =>
    withGangs(1, async (world) => {
      await createGang(world, 'w1', { a: [2, 2], b: [1, 1], c: [3, 3] });
      for (const name of ['a-0', 'a-1', 'b-0', 'c-0', 'c-1', 'c-2']) {
        await createPod(world, 'w1', name, gpus(2));
      }
      await world.clock.advance(5_000);
      expect(placed(world)).toEqual([]);
      const message =
        'PodGang default/w1 is placed as a whole: 4 of the 6 pods that it needs fit together, then pod c-1 does not: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu.';
      expect(reasons(world)).toEqual(
        new Set(['a-0', 'a-1', 'b-0', 'c-0', 'c-1', 'c-2'].map((name) => `${name}: ${message}`)),
      );
      await world.createPod('single', gpus(8));
      await world.until('another pod takes the room', () => placed(world).length === 1);
      await addNode(world, 'extra-0', 8);
      await addNode(world, 'extra-1', 8);
      await world.until('all are placed', () => placed(world).length === 7);
    }));

  test('goes before the pods beyond it, also before those of an older gang (W2)', () =>
    withGangs(0, async (world) => {
      await createGang(world, 'base', { a: [1, 2], b: [1, 1], c: [1, 3] });
      for (const name of ['a-0', 'a-1', 'b-0', 'c-0', 'c-1', 'c-2']) {
        await createPod(world, 'base', name);
      }
      await addNode(world, 'small', 3);
      await world.until('three are placed', () => placed(world).length === 3);
      await world.clock.advance(3_000);
      expect(placed(world)).toEqual(['a-0', 'b-0', 'c-0']);
      await createGang(world, 'scaled', { d: [1, 1], e: [1, 3] });
      for (const name of ['d-0', 'e-0', 'e-1', 'e-2']) await createPod(world, 'scaled', name);
      await world.clock.advance(3_000);
      await addNode(world, 'more', 2);
      await world.until('two more are placed', () => placed(world).length === 5);
      await world.clock.advance(3_000);
      expect(placed(world)).toEqual(['a-0', 'b-0', 'c-0', 'd-0', 'e-0']);
    }));

  test('is packed where spreading it would fail', () =>
    withGangs(0, async (world) => {
      await addNode(world, 'large', 10);
      await addNode(world, 'small', 6);
      await createGang(world, 'g', { a: [3, 3] });
      await createPod(world, 'g', 'a-0', gpus(5));
      await createPod(world, 'g', 'a-1', gpus(5));
      await createPod(world, 'g', 'a-2', gpus(6));
      await world.until('all are placed', () => placed(world).length === 3, 3_000);
    }));

  test('counts what is placed: a lost pod is replaced by itself', () =>
    withGangs(1, async (world) => {
      await createGang(world, 'g', { a: [2, 2] });
      await createPod(world, 'g', 'a-0');
      await createPod(world, 'g', 'a-1');
      await world.until('both are ready', () => world.readyPods() === 2);
      await world.client.send({ method: 'DELETE', path: '/api/v1/namespaces/default/pods/a-0' });
      await world.until('one is gone', () => world.stored('/pods').length === 1);
      await createPod(world, 'g', 'a-0');
      await world.until('both are ready', () => world.readyPods() === 2);
    }));
});

describe('a pod that names a PodGang', () => {
  test('which is not there is placed by itself after a while', () =>
    withWorld({ nodes: 1 }, async (world) => {
      await createPod(world, 'nowhere', 'a-0');
      await world.until('it is placed', () => placed(world).length === 1, 3_000);
    }));

  test('and one of another scheduler in the gang are left alone', () =>
    withGangs(1, async (world) => {
      await createGang(world, 'g', { a: [2, 2] });
      await createPod(world, 'g', 'a-0');
      await createPod(world, 'g', 'a-1', { ...gpus(1), schedulerName: 'other' });
      await world.clock.advance(3_000);
      expect(placed(world)).toEqual([]);
      expect(objectsAt(objectAt(await world.pod('a-1'), 'status'), 'conditions')).toEqual([]);
    }));
});
