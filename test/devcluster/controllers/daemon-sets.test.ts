// The simulated DaemonSet controller where the conformance suite does not look: at failures of pods
// and of requests, at nodes that are deleted, and at how many writes it takes.
import { describe, expect, test } from 'vitest';
import { numberAt, objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { nodeOf } from '#src/devcluster/controllers/client.ts';
import { FaultPlan } from '#src/devcluster/faults.ts';
import { isReady, withWorld, type World } from './support.ts';

const path = '/apis/apps/v1/namespaces/default/daemonsets';
const podsPath = '/api/v1/namespaces/default/pods';
const labels = { app: 'd' };

const makeSet = (world: World, spec: JsonObject = {}, more: JsonObject = {}): Promise<Stored> =>
  world.create(path, {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'd' },
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'main', image: 'x:1' }], ...spec },
      },
      ...more,
    },
  });

const isGoing = (pod: Stored): boolean => textAt(pod.metadata, 'deletionTimestamp') !== '';

const readyOn = (world: World): string =>
  world
    .stored('/pods')
    .filter((pod) => isReady(pod) && !isGoing(pod))
    .map(nodeOf)
    .toSorted()
    .join(' ');

const runsOn = (world: World, nodes: string): Promise<void> =>
  world.until(`pods are ready on ${nodes}`, () => readyOn(world) === nodes);

const statusAt = (world: World, field: string): number =>
  numberAt(objectAt(world.stored('apps/daemonsets')[0], 'status'), field) ?? 0;

const saysReady = (world: World, count: number): Promise<void> =>
  world.until(`${count} are ready`, () => statusAt(world, 'numberReady') === count);

const made = (world: World): number => world.cluster.requests.counts()['create pods 201'] ?? 0;

const fail = async (world: World): Promise<string> => {
  const pod = world.stored('/pods').find((each) => !isGoing(each));
  const name = textAt(pod?.metadata, 'name');
  const answer = await world.client.mergePatch(`${podsPath}/${name}/status`, {
    status: { phase: 'Failed' },
  });
  expect(answer.status).toBe(200);
  return name;
};

describe('a daemon set', () => {
  test('of eighteen nodes makes eighteen pods with eighteen addresses, each once', () =>
    withWorld({ nodes: 18 }, async (world) => {
      await makeSet(world);
      await saysReady(world, 18);
      const pods = world.stored('/pods');
      expect(new Set(pods.map(nodeOf)).size).toBe(18);
      const addresses = pods.map((pod) => textAt(objectAt(pod, 'status'), 'podIP'));
      expect(new Set(addresses).size).toBe(18);
      await world.clock.advance(60_000);
      expect(made(world)).toBe(18);
    }));

  test('makes a pod once although the replies to the first requests are lost', () => {
    const faults = new FaultPlan();
    faults.add({ verb: 'create', kind: 'Pod', times: 2, fault: { kind: 'dropReply' } });
    return withWorld({ nodes: 3, faults }, async (world) => {
      await makeSet(world);
      await saysReady(world, 3);
      await world.clock.advance(60_000);
      expect(readyOn(world)).toBe('node-0 node-1 node-2');
      expect(world.stored('/pods')).toHaveLength(3);
    });
  });

  test('converges while watches break and requests are refused', () => {
    const faults = new FaultPlan();
    faults.add({ verb: 'watch', rate: 0.3, fault: { kind: 'dropWatch', afterEvents: 3 } });
    faults.add({ verb: 'watch', rate: 0.3, fault: { kind: 'lagWatch', ms: 700 } });
    faults.add({ kind: 'Pod', rate: 0.2, times: 40, fault: { kind: 'error', code: 500 } });
    return withWorld({ nodes: 4, faults, seed: 5 }, async (world) => {
      await makeSet(world);
      await runsOn(world, 'node-0 node-1 node-2 node-3');
      await world.clock.advance(60_000);
      expect(world.stored('/pods')).toHaveLength(4);
      expect(statusAt(world, 'numberAvailable')).toBe(4);
    });
  });

  test('replaces a failed pod at once, and later and later if it goes on failing', () =>
    withWorld({ nodes: 1 }, async (world) => {
      await makeSet(world);
      const pauses: number[] = [];
      for (let round = 0; round < 4; round++) {
        await runsOn(world, 'node-0');
        const name = await fail(world);
        const failedAt = world.clock.now();
        const isThere = (): boolean =>
          world.stored('/pods').some((pod) => textAt(pod.metadata, 'name') === name);
        await world.until('it is gone', () => !isThere());
        pauses.push(Math.round((world.clock.now() - failedAt) / 1000));
      }
      expect(pauses).toEqual([0, 1, 2, 4]);
      const failures = world.stored('/events').filter((e) => e['reason'] === 'FailedDaemonPod');
      expect(failures).toHaveLength(4);
    }));

  test('says in Events of its own which pods it made', () =>
    withWorld({ nodes: 1 }, async (world) => {
      const set = await makeSet(world);
      await runsOn(world, 'node-0');
      const [pod] = world.stored('/pods');
      expect(
        world.stored('/events').filter((e) => e['reason'] === 'SuccessfulCreate'),
      ).toMatchObject([
        {
          involvedObject: { kind: 'DaemonSet', name: 'd', uid: set.metadata['uid'] },
          message: `Created pod: ${textAt(pod?.metadata, 'name')}`,
        },
      ]);
    }));

  test('of which a share may be unavailable replaces so many pods at once', () =>
    withWorld({ nodes: 4 }, async (world) => {
      const rollingUpdate = { maxUnavailable: '50%' };
      await makeSet(world, {}, { updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
      await saysReady(world, 4);
      const template = { spec: { containers: [{ name: 'main', image: 'x:2' }] } };
      await world.client.strategicPatch(`${path}/d`, { spec: { template } });
      let fewest = 4;
      await world.until('all are new and ready', () => {
        fewest = Math.min(fewest, world.readyPods());
        return statusAt(world, 'updatedNumberScheduled') === 4 && world.readyPods() === 4;
      });
      expect(fewest).toBe(2);
    }));

  test('goes with its namespace and makes nothing in the meantime', () =>
    withWorld({ nodes: 2 }, async (world) => {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'n' } };
      const namespace = await world.create('/api/v1/namespaces', body);
      const template = { metadata: { labels }, spec: { containers: [{ name: 'm', image: 'x' }] } };
      await world.create('/apis/apps/v1/namespaces/n/daemonsets', {
        metadata: { name: 'd' },
        spec: { selector: { matchLabels: labels }, template },
      });
      await runsOn(world, 'node-0 node-1');
      await world.client.remove('/api/v1/namespaces/n', textAt(namespace.metadata, 'uid'));
      await world.until('all is gone', () => world.stored('/pods').length === 0);
      await world.until('the set is gone', () => world.stored('apps/daemonsets').length === 0);
    }));

  test('whose pods claim devices by a template has them run, with no claim made', () =>
    withWorld({ nodes: 1 }, async (world) => {
      const resourceClaims = [{ name: 'c', resourceClaimTemplateName: 'no-such-template' }];
      const containers = [{ name: 'm', image: 'x', resources: { claims: [{ name: 'c' }] } }];
      await makeSet(world, { resourceClaims, containers });
      await runsOn(world, 'node-0');
      expect(world.stored('resource.k8s.io/resourceclaims')).toEqual([]);
    }));
});

describe('a node', () => {
  test('that is deleted loses its pods after a while, and gets one when it is back', () =>
    withWorld({ nodes: 2 }, async (world) => {
      await makeSet(world);
      await runsOn(world, 'node-0 node-1');
      const node = world.stored('/nodes').find(({ metadata }) => metadata['name'] === 'node-1');
      await world.client.remove('/api/v1/nodes/node-1', textAt(node?.metadata, 'uid'));
      await saysReady(world, 1);
      expect(statusAt(world, 'desiredNumberScheduled')).toBe(1);
      await world.clock.advance(30_000);
      expect(world.stored('/pods')).toHaveLength(2);
      await world.clock.advance(15_000);
      expect(readyOn(world)).toBe('node-0');
      const { labels: own } = node?.metadata ?? {};
      const status = node?.['status'] ?? {};
      const metadata = { name: 'node-1', labels: own ?? {} };
      await world.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata, status });
      await runsOn(world, 'node-0 node-1');
    }));

  test('that is deleted has nothing start or end on it until it is back, in its old place', () =>
    withWorld({ nodes: 2, controllers: { startMs: 5_000 } }, async (world) => {
      await world.createPod('running', { nodeName: 'node-0' });
      await world.until('it runs', () => world.readyPods() === 1);
      await world.createPod('starting', { nodeName: 'node-0' });
      const [node] = world.stored('/nodes');
      await world.client.remove('/api/v1/nodes/node-0', textAt(node?.metadata, 'uid'));
      await world.client.send({ method: 'DELETE', path: `${podsPath}/running` });
      await world.clock.advance(20_000);
      expect((await world.pod('running'))?.metadata).toHaveProperty('deletionTimestamp');
      expect(objectAt(await world.pod('starting'), 'status')).not.toHaveProperty('podIP');
      const status = node?.['status'] ?? {};
      const metadata = { name: 'node-0' };
      await world.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata, status });
      await world.clock.advance(10_000);
      expect(await world.pod('running')).toBeUndefined();
      expect(await world.pod('starting')).toMatchObject({ status: { hostIP: '172.18.0.2' } });
      expect(world.readyPods()).toBe(1);
    }));

  test('that is deleted and comes back soon keeps its pods', () =>
    withWorld({ nodes: 1 }, async (world) => {
      await makeSet(world);
      await runsOn(world, 'node-0');
      const [node] = world.stored('/nodes');
      const [pod] = world.stored('/pods');
      await world.client.remove('/api/v1/nodes/node-0', textAt(node?.metadata, 'uid'));
      await world.clock.advance(10_000);
      const status = node?.['status'] ?? {};
      const metadata = { name: 'node-0' };
      await world.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata, status });
      await world.clock.advance(60_000);
      expect(world.stored('/pods').map((each) => each.metadata['uid'])).toEqual([
        pod?.metadata['uid'],
      ]);
    }));

  test('that a user makes runs pods, each with an address of its own', () =>
    withWorld({ nodes: 1 }, async (world) => {
      const size = { cpu: '4', memory: '8Gi', pods: '10' };
      const status = { capacity: size, allocatable: size };
      const metadata = { name: 'mine' };
      await world.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata, status });
      await makeSet(world);
      await runsOn(world, 'mine node-0');
      const hosts = world.stored('/pods').map((p) => textAt(objectAt(p, 'status'), 'hostIP'));
      expect(new Set(hosts).size).toBe(2);
    }));
});
