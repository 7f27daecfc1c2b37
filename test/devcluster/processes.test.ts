// The plug-in by which pods of the embedded cluster run, with a runtime whose containers the test
// plays, and the EndpointSlices of Services.
import { describe, expect, test } from 'vitest';
import { objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { ContainerRun, ContainerRuntime } from '#src/devcluster/plugins/contract.ts';
import { EndpointSlices } from '#src/devcluster/processes/endpoint-slices.ts';
import { isReady, withWorld, type World } from '#test/devcluster/controllers/support.ts';

interface Played {
  readonly run: ContainerRun;
  readonly signals: string[];
  ready(): void;
}

function playedRuntime() {
  const started: Played[] = [];
  const runtime: ContainerRuntime = {
    isFor: (pod) => textsAt(pod.metadata, 'labels')['real'] === 'true',
    start: (run) => {
      const signals: string[] = [];
      let isUp = false;
      const ready = (): void => {
        isUp = true;
        run.changed();
      };
      started.push({ run, signals, ready });
      return {
        get isReady() {
          return isUp;
        },
        stop: () => void signals.push('stop'),
        kill: () => void signals.push('kill'),
      };
    },
  };
  return { started, runtime };
}

const real = { labels: { real: 'true' } };
const statusOf = (world: World, name: string): JsonObject | undefined => {
  const pod = world.stored('/pods').find((each) => textAt(each.metadata, 'name') === name);
  return objectAt(pod, 'status');
};
const containerOf = (world: World, name: string): JsonObject | undefined =>
  objectsAt(statusOf(world, name), 'containerStatuses')[0];

describe('The kubelet with a runtime', () => {
  test('starts the containers of pods that ask for it, and no others', () => {
    const { started, runtime } = playedRuntime();
    return withWorld({ plugins: [{ runtime }] }, async (world) => {
      await world.createPod('simulated');
      await world.createPod('p', {}, real);
      await world.until('it is started', () => started.length === 1);
      await world.clock.advance(5_000);
      expect(
        world
          .stored('/pods')
          .filter(isReady)
          .map(({ metadata }) => metadata['name']),
      ).toEqual(['simulated']);
      started[0]?.ready();
      await world.until('it is ready', () => world.readyPods() === 2);
      expect(textAt(statusOf(world, 'p'), 'podIP')).toMatch(/^127\.244\./);
      expect(textAt(statusOf(world, 'p'), 'podIP')).toBe(started[0]?.run.podIP);
      expect(textAt(statusOf(world, 'simulated'), 'podIP')).toMatch(/^10\.244\./);
      expect(started).toHaveLength(1);
    });
  });

  test('starts one that ended again after a pause that grows', () => {
    const { started, runtime } = playedRuntime();
    return withWorld({ plugins: [{ runtime }] }, async (world) => {
      await world.createPod('p', {}, real);
      await world.until('it is started', () => started.length === 1);
      const pauses: number[] = [];
      for (let times = 1; times <= 3; times++) {
        const endedAt = world.clock.now();
        started.at(-1)?.run.ended(3);
        await world.until('it waits', () => {
          const waiting = objectAt(objectAt(containerOf(world, 'p'), 'state'), 'waiting');
          return textAt(waiting, 'reason') === 'CrashLoopBackOff';
        });
        await world.until('it is started again', () => started.length === times + 1, 300_000);
        pauses.push(Math.round((world.clock.now() - endedAt) / 1_000));
        await world.until(
          'that is counted',
          () => containerOf(world, 'p')?.['restartCount'] === times,
        );
      }
      expect(pauses).toEqual([10, 20, 40]);
      expect(containerOf(world, 'p')).toMatchObject({ lastState: { terminated: { exitCode: 3 } } });
    });
  });

  test('is over with a pod whose container ended and is not to start again', () => {
    const { started, runtime } = playedRuntime();
    return withWorld({ plugins: [{ runtime }] }, async (world) => {
      await world.createPod('p', { restartPolicy: 'Never' }, real);
      await world.until('it is started', () => started.length === 1);
      started[0]?.run.ended(0);
      await world.until('it is over', () => textAt(statusOf(world, 'p'), 'phase') === 'Succeeded');
      await world.clock.advance(600_000);
      expect(started).toHaveLength(1);
    });
  });

  test('asks a container to end, kills it after the grace, and then lets the pod go', () => {
    const { started, runtime } = playedRuntime();
    return withWorld({ plugins: [{ runtime }] }, async (world) => {
      const pod = await world.createPod('p', { terminationGracePeriodSeconds: 7 }, real);
      await world.until('it is started', () => started.length === 1);
      await world.client.remove('/api/v1/namespaces/default/pods/p', textAt(pod.metadata, 'uid'));
      await world.clock.advance(6_500);
      expect(started[0]?.signals).toEqual(['stop']);
      await world.until('it is killed', () => started[0]?.signals.includes('kill') === true, 1_000);
      expect(world.stored('/pods')).toHaveLength(1);
      started[0]?.run.ended(137);
      await world.until('it is gone', () => world.stored('/pods').length === 0);
    });
  });
});

const slicesOf = (world: World): readonly Stored[] =>
  world.stored('discovery.k8s.io/endpointslices');

const service = (targetPort: string | number): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 's' },
  spec: { selector: { app: 'a' }, ports: [{ name: 'http', port: 80, targetPort }] },
});

describe('EndpointSlices of the embedded cluster', () => {
  const plugins = [{ agents: [(context) => new EndpointSlices(context)] }] satisfies Parameters<
    typeof withWorld
  >[0]['plugins'];
  const port = (number: number): JsonObject => ({
    containers: [{ name: 'c', image: 'i', ports: [{ name: 'web', containerPort: number }] }],
  });

  test('list the selected pods as they get ready and go', () =>
    withWorld({ plugins }, async (world) => {
      await world.create('/api/v1/namespaces/default/services', service(8080));
      await world.createPod('p', {}, { labels: { app: 'a' } });
      await world.createPod('other', {}, { labels: { app: 'b' } });
      await world.until('it is listed', () =>
        slicesOf(world).some((slice) => objectsAt(slice, 'endpoints').length === 1),
      );
      await world.until('it is ready', () => world.readyPods() === 2);
      await world.clock.advance(1_000);
      const [slice, ...others] = slicesOf(world);
      expect(others).toEqual([]);
      expect(slice).toMatchObject({
        metadata: { labels: { 'kubernetes.io/service-name': 's' } },
        ports: [{ name: 'http', port: 8080 }],
        endpoints: [{ conditions: { ready: true, terminating: false }, targetRef: { name: 'p' } }],
      });
      const uid = textAt((await world.pod('p'))?.metadata, 'uid');
      await world.client.remove('/api/v1/namespaces/default/pods/p', uid);
      await world.until('nobody is listed', () =>
        slicesOf(world).every((each) => objectsAt(each, 'endpoints').length === 0),
      );
    }));

  test('are one for each number that a named port stands for', () =>
    withWorld({ plugins }, async (world) => {
      await world.create('/api/v1/namespaces/default/services', service('web'));
      await world.createPod('p', port(1_000), { labels: { app: 'a' } });
      await world.createPod('q', port(2_000), { labels: { app: 'a' } });
      const ports = (): unknown[] =>
        slicesOf(world).flatMap((slice) => objectsAt(slice, 'ports').map((each) => each['port']));
      await world.until('both are listed', () => ports().length === 2);
      expect(
        ports()
          .map(Number)
          .toSorted((a, b) => a - b),
      ).toEqual([1_000, 2_000]);
    }));

  test('go with their Service', () =>
    withWorld({ plugins }, async (world) => {
      const made = await world.create('/api/v1/namespaces/default/services', service(8080));
      await world.until('there is one', () => slicesOf(world).length === 1);
      const path = '/api/v1/namespaces/default/services/s';
      await world.client.remove(path, textAt(made.metadata, 'uid'));
      await world.until('it is gone', () => slicesOf(world).length === 0);
    }));
});
