// Grove's init container in the simulated cluster: the node agent keeps its promise with the code
// of `coppice init` and the token that the container would find.
import { describe, expect, test } from 'vitest';
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { isReady, withWorld } from '#test/devcluster/controllers/support.ts';
import type { World } from '#test/devcluster/controllers/support.ts';

const tokenFolder = '/var/run/secrets/kubernetes.io/serviceaccount';

const inGang = (gang: string, clique: string, more: JsonObject = {}) => ({
  labels: { 'grove.io/podgang': gang, 'grove.io/podclique': clique },
  ...more,
});

/** What machines/grove/podclique/pod.ts adds to a pod that starts after others. */
const waitsFor = (...parents: string[]): JsonObject => ({
  initContainers: [
    {
      name: 'grove-initc',
      image: 'grove-initc:1',
      args: parents.map((parent) => `--podcliques=${parent}`),
      volumeMounts: [{ name: 'sa-token-secret-vol', mountPath: tokenFolder, readOnly: true }],
    },
  ],
  volumes: [{ name: 'sa-token-secret-vol', secret: { secretName: 'demo-ic-sat' } }],
});

async function createToken(world: World): Promise<void> {
  const path = '/api/v1/namespaces/default';
  await world.create(`${path}/serviceaccounts`, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'demo' },
  });
  await world.create(`${path}/secrets`, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'demo-ic-sat',
      annotations: { 'kubernetes.io/service-account.name': 'demo' },
    },
    type: 'kubernetes.io/service-account-token',
  });
}

const readyNames = (world: World): string[] =>
  world
    .stored('/pods')
    .filter(isReady)
    .map((pod) => textAt(pod.metadata, 'name'))
    .toSorted();

describe('a pod with the init container of Grove', () => {
  test('starts when its parents are ready, asking with its own token', () =>
    withWorld({}, async (world) => {
      await createToken(world);
      const asked = new Set<string>();
      world.cluster.requests.onRequest(({ verb, resource, user, userAgent, code }) => {
        if (userAgent === 'coppice-init') asked.add(`${user} ${verb} ${resource} ${code}`);
      });
      await world.createPod('child', waitsFor('a-0-w:2'), inGang('g', 'child'));
      await world.createPod('w-1', {}, inGang('g', 'a-0-w'));
      await world.createPod('other', {}, inGang('g', 'a-0-worker'));
      await world.createPod('stranger', {}, inGang('g2', 'a-0-w'));
      await world.clock.advance(5_000);
      expect(readyNames(world)).toEqual(['other', 'stranger', 'w-1']);
      expect(
        objectsAt(objectAt(await world.pod('child'), 'status'), 'initContainerStatuses'),
      ).toMatchObject([{ name: 'grove-initc', ready: false, state: { running: {} } }]);
      await world.createPod('w-2', {}, inGang('g', 'a-0-w'));
      await world.until('all are ready', () => world.readyPods() === 5, 2_000);
      expect([...asked].toSorted()).toEqual([
        'system:serviceaccount:default:demo list pods 200',
        'system:serviceaccount:default:demo watch pods 200',
      ]);
    }));

  test('needs all parents at the same moment', () =>
    withWorld({}, async (world) => {
      await createToken(world);
      await world.createPod('child', waitsFor('a:1', 'b:1'), inGang('g', 'child'));
      await world.createPod('a-1', {}, inGang('g', 'a'));
      await world.until('a is ready', () => world.readyPods() === 1);
      const path = '/api/v1/namespaces/default/pods/a-1';
      await world.client.mergePatch(path, {
        metadata: { annotations: { 'dev.coppice/ready': 'false' } },
      });
      await world.until('a is not ready', () => world.readyPods() === 0);
      await world.createPod('b-1', {}, inGang('g', 'b'));
      await world.clock.advance(3_000);
      expect(readyNames(world)).toEqual(['b-1']);
      await world.client.mergePatch(path, {
        metadata: { annotations: { 'dev.coppice/ready': null } },
      });
      await world.until('all are ready', () => world.readyPods() === 3);
    }));

  test('waits with an Event while its Secret is not there', () =>
    withWorld({}, async (world) => {
      await world.createPod('a-1', {}, inGang('g', 'a'));
      await world.createPod('child', waitsFor('a:1'), inGang('g', 'child'));
      await world.clock.advance(3_000);
      expect(readyNames(world)).toEqual(['a-1']);
      const events = world.stored('/events').filter(({ reason }) => reason === 'FailedMount');
      expect(events).toMatchObject([
        {
          involvedObject: { name: 'child' },
          message:
            'MountVolume.SetUp failed for volume "sa-token-secret-vol" : secret "demo-ic-sat" not found or without a token',
        },
      ]);
      await createToken(world);
      await world.until('all are ready', () => world.readyPods() === 2);
    }));

  test('that waits is forgotten when it is deleted', () =>
    withWorld({}, async (world) => {
      await createToken(world);
      await world.createPod('child', waitsFor('a:1'), inGang('g', 'child'));
      await world.clock.advance(1_000);
      await world.client.send({ method: 'DELETE', path: '/api/v1/namespaces/default/pods/child' });
      await world.until('it is gone', () => world.stored('/pods').length === 0);
      await world.createPod('child', waitsFor('a:1'), inGang('g', 'child'));
      await world.createPod('a-1', {}, inGang('g', 'a'));
      await world.until('all are ready', () => world.readyPods() === 2);
    }));

  test('asks with a token of its own account where none is mounted for it', () =>
    withWorld({}, async (world) => {
      const users = new Set<string>();
      world.cluster.requests.onRequest(({ user, userAgent }) => {
        if (userAgent === 'coppice-init') users.add(user);
      });
      const args = ['--podcliques=a:1'];
      const initContainers = [{ name: 'grove-initc', image: 'grove-initc:1', args }];
      await world.createPod('child', { initContainers }, inGang('g', 'child'));
      await world.createPod('a-1', {}, inGang('g', 'a'));
      await world.until('all are ready', () => world.readyPods() === 2);
      expect([...users]).toEqual(['system:serviceaccount:default:default']);
    }));
});
