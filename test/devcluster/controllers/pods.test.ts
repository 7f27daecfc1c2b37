// Pods through scheduler and node agent of an embedded cluster with a virtual clock, and the nodes.
import { describe, expect, test } from 'vitest';
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import { withWorld } from './support.ts';

const gpu = (count: number) => ({
  containers: [
    { name: 'main', image: 'nginx:1', resources: { limits: { 'nvidia.com/gpu': String(count) } } },
  ],
});

describe('a pod in the simulated cluster', () => {
  test('a pod is bound, started and ready, with two writes', () =>
    withWorld({}, async (world) => {
      const writes: string[] = [];
      await world.createPod('web');
      world.cluster.requests.onRequest(({ verb, subresource, name }) => {
        if (name === 'web' && verb !== 'get') writes.push(`${verb} ${subresource}`);
      });
      await world.until('the pod is ready', () => world.readyPods() === 1);
      const pod = await world.pod('web');
      expect(pod).toMatchObject({
        spec: { nodeName: expect.stringMatching(/^node-\d$/) },
        status: {
          phase: 'Running',
          podIP: expect.stringMatching(/^10\.244\./),
          hostIP: expect.stringMatching(/^172\.18\./),
          containerStatuses: [{ name: 'main', ready: true, started: true, restartCount: 0 }],
        },
      });
      expect(writes).toEqual(['create binding', 'patch status']);
      expect(pod?.metadata['generation']).toBe(1);
    }));

  test('a gated pod waits for its gates', () =>
    withWorld({}, async (world) => {
      await world.createPod('web', { schedulingGates: [{ name: 'a.io/b' }] });
      await world.clock.advance(5_000);
      expect(world.readyPods()).toBe(0);
      const path = '/api/v1/namespaces/default/pods/web';
      const answer = await world.client.mergePatch(path, { spec: { schedulingGates: null } });
      expect(answer.status).toBe(200);
      await world.until('the pod is ready', () => world.readyPods() === 1);
    }));

  test('a pod that fits nowhere says why, and is bound when there is room', () =>
    withWorld({ nodes: 1 }, async (world) => {
      await world.createPod('first', gpu(8));
      await world.until('the first is ready', () => world.readyPods() === 1);
      await world.createPod('second', gpu(1));
      await world.clock.advance(3_000);
      const message = '0/1 nodes are available: 1 Insufficient nvidia.com/gpu.';
      expect(objectsAt(objectAt(await world.pod('second'), 'status'), 'conditions')).toMatchObject([
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message },
      ]);
      expect(world.stored('/events')).toContainEqual(
        expect.objectContaining({ reason: 'FailedScheduling', message }),
      );
      await world.client.send({ method: 'DELETE', path: '/api/v1/namespaces/default/pods/first' });
      await world.until(
        'the second is ready',
        () => world.stored('/pods').length === 1 && world.readyPods() === 1,
      );
    }));

  test('a pod of a scheduler that nobody runs stays pending', () =>
    withWorld({}, async (world) => {
      await world.createPod('web', { schedulerName: 'other' });
      await world.clock.advance(5_000);
      expect(objectAt(await world.pod('web'), 'spec')).not.toHaveProperty('nodeName');
    }));

  test('a pod of a scheduler that is configured is bound', () =>
    withWorld({ controllers: { schedulerNames: ['other'] } }, async (world) => {
      await world.createPod('web', { schedulerName: 'other' });
      await world.until('the pod is ready', () => world.readyPods() === 1);
    }));

  test('a deleted pod is terminating until its node has stopped it', () =>
    withWorld({ controllers: { stopMs: 500 } }, async (world) => {
      await world.createPod('web');
      await world.until('the pod is ready', () => world.readyPods() === 1);
      await world.client.send({ method: 'DELETE', path: '/api/v1/namespaces/default/pods/web' });
      expect((await world.pod('web'))?.metadata).toHaveProperty('deletionTimestamp');
      await world.clock.advance(400);
      expect(await world.pod('web')).toBeDefined();
      await world.until('the pod is gone', () => world.stored('/pods').length === 0, 1_000);
    }));

  test('init containers run before the containers', () =>
    withWorld(
      { controllers: { startMs: 10, startJitterMs: 0, initContainerMs: 1_000 } },
      async (world) => {
        await world.createPod('web', {
          initContainers: [
            { name: 'a', image: 'i' },
            { name: 'b', image: 'i' },
          ],
        });
        await world.clock.advance(1_500);
        const status = objectAt(await world.pod('web'), 'status');
        expect(textAt(status, 'phase')).toBe('Pending');
        expect(objectsAt(status, 'initContainerStatuses')).toMatchObject([
          { name: 'a', ready: true },
          { name: 'b', ready: false },
        ]);
        await world.until('the pod is ready', () => world.readyPods() === 1, 2_000);
      },
    ));

  test('the init container of Grove waits for the cliques that it names', () =>
    withWorld({}, async (world) => {
      const member = (clique: string) => ({
        labels: { 'grove.io/podgang': 'gang', 'grove.io/podclique': clique },
      });
      const args = ['--podcliques=parent:2'];
      const initContainers = [{ name: 'grove-initc', image: 'grove-initc:1', args }];
      await world.createPod('child', { initContainers }, member('child'));
      await world.createPod('parent-1', {}, member('parent'));
      await world.clock.advance(5_000);
      expect(world.readyPods()).toBe(1);
      await world.createPod('parent-2', {}, member('parent'));
      await world.until('all are ready', () => world.readyPods() === 3);
    }));

  test('a scripted failure ends the pod with its exit code', () =>
    withWorld({}, async (world) => {
      const annotations = { 'dev.coppice/run-for': '2s', 'dev.coppice/exit-code': '7' };
      await world.createPod('job', { restartPolicy: 'Never' }, { annotations });
      await world.clock.advance(5_000);
      expect(objectAt(await world.pod('job'), 'status')).toMatchObject({
        phase: 'Failed',
        containerStatuses: [{ state: { terminated: { exitCode: 7 } } }],
      });
    }));

  test('a thousand pods are ready within some seconds, each with one status write', () =>
    withWorld({ nodes: 10 }, async (world) => {
      for (let n = 0; n < 1_000; n++) await world.createPod(`p-${n}`);
      await world.until('all are ready', () => world.readyPods() === 1_000, 10_000);
      const perNode = new Map<string, number>();
      for (const pod of world.stored('/pods')) {
        const node = textAt(objectAt(pod, 'spec'), 'nodeName');
        perNode.set(node, (perNode.get(node) ?? 0) + 1);
      }
      expect([...perNode.values()]).toEqual(Array.from({ length: 10 }, () => 100));
    }));
});

describe('nodes', () => {
  test('every node is there with its resources, and renews its lease', () =>
    withWorld({ nodes: 2 }, async (world) => {
      expect(world.stored('/nodes')).toMatchObject([
        { metadata: { name: 'node-0' }, status: { allocatable: { cpu: '64', memory: '512Gi' } } },
        { metadata: { name: 'node-1' }, status: { capacity: { 'nvidia.com/gpu': '8' } } },
      ]);
      const renewals = () =>
        world
          .stored('coordination.k8s.io/leases')
          .map((lease) => textAt(objectAt(lease, 'spec'), 'renewTime'));
      const before = renewals();
      expect(before).toHaveLength(2);
      await world.clock.advance(11_000);
      expect(renewals().every((time, i) => time > (before[i] ?? ''))).toBe(true);
    }));
});
