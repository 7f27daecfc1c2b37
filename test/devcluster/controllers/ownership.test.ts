// The garbage collector, the namespace life-cycle and the service accounts on an embedded cluster
// with a virtual clock.
import { describe, expect, test } from 'vitest';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { nameOf, uidOf } from '#src/devcluster/controllers/client.ts';
import { FaultPlan } from '#src/devcluster/faults.ts';
import { kaiPodGroupCrd } from '#test/support/backends.ts';
import { withWorld } from './support.ts';
import type { World } from './support.ts';

const configMaps = '/api/v1/namespaces/default/configmaps';

const owner = (object: Stored, blockOwnerDeletion = false): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: nameOf(object),
  uid: uidOf(object),
  blockOwnerDeletion,
});

const configMap = (world: World, name: string, ownerReferences: JsonObject[] = [], more = {}) =>
  world.create(configMaps, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ownerReferences, ...more },
  });

/** Names in the namespace, without what the cluster put there. */
const names = (world: World): string[] =>
  world
    .stored('/configmaps')
    .filter((each) => each.metadata['namespace'] === 'default')
    .map(nameOf)
    .filter((name) => name !== 'kube-root-ca.crt');

const remove = (world: World, name: string, propagationPolicy: string) =>
  world.client.send({
    method: 'DELETE',
    path: `${configMaps}/${name}`,
    body: { propagationPolicy },
  });

describe('the garbage collector', () => {
  test('what an object owned goes after it', () =>
    withWorld({}, async (world) => {
      const root = await configMap(world, 'root');
      const child = await configMap(world, 'child', [owner(root)]);
      await configMap(world, 'grandchild', [owner(child)]);
      await world.clock.advance(1_000);
      expect(names(world)).toHaveLength(3);
      await remove(world, 'root', 'Background');
      await world.until('all are gone', () => names(world).length === 0);
    }));

  test('an owner that waits for its dependents goes when these went with their kind', () =>
    withWorld({}, async (world) => {
      const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
      await world.create(definitions, kaiPodGroupCrd());
      const root = await configMap(world, 'root');
      await world.create('/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups', {
        apiVersion: 'scheduling.run.ai/v2alpha2',
        kind: 'PodGroup',
        metadata: { name: 'child', ownerReferences: [owner(root, true)] },
      });
      await world.clock.advance(1_000);
      const path = `${definitions}/podgroups.scheduling.run.ai`;
      await world.client.send({ method: 'DELETE', path });
      await world.clock.advance(1_000);
      await remove(world, 'root', 'Foreground');
      await world.until('it is gone', () => names(world).length === 0);
    }));

  test('an object with another owner stays and loses the reference', () =>
    withWorld({}, async (world) => {
      const [a, b] = [await configMap(world, 'a'), await configMap(world, 'b')];
      await configMap(world, 'child', [owner(a), owner(b)]);
      await remove(world, 'a', 'Background');
      await world.clock.advance(1_000);
      const child = await world.get(`${configMaps}/child`);
      expect(child?.metadata['ownerReferences']).toMatchObject([{ name: 'b' }]);
    }));

  test('an owner deleted in the foreground waits for those that block it', () =>
    withWorld({}, async (world) => {
      const root = await configMap(world, 'root');
      await configMap(world, 'held', [owner(root, true)], { finalizers: ['a.io/hold'] });
      await configMap(world, 'free', [owner(root, false)]);
      await remove(world, 'root', 'Foreground');
      await world.clock.advance(1_000);
      expect(names(world)).toContain('root');
      expect((await world.get(`${configMaps}/held`))?.metadata).toHaveProperty('deletionTimestamp');
      await world.client.mergePatch(`${configMaps}/held`, { metadata: { finalizers: null } });
      await world.until('all are gone', () => names(world).length === 0);
    }));

  test('orphans stay, without their owner', () =>
    withWorld({}, async (world) => {
      const root = await configMap(world, 'root');
      await configMap(world, 'child', [owner(root)]);
      await remove(world, 'root', 'Orphan');
      await world.until('the root is gone', () => names(world).join() === 'child');
      const child = await world.get(`${configMaps}/child`);
      expect(child?.metadata['ownerReferences'] ?? []).toEqual([]);
    }));

  test('an object whose owner never was is removed', () =>
    withWorld({}, async (world) => {
      const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'ghost', uid: 'no-such-uid' };
      await configMap(world, 'child', [reference]);
      await world.until('it is gone', () => names(world).length === 0);
    }));

  test('a namesake of an owner does not keep what the owner had', () =>
    withWorld({}, async (world) => {
      const root = await configMap(world, 'root');
      await remove(world, 'root', 'Background');
      await configMap(world, 'root');
      await configMap(world, 'child', [owner(root)]);
      await world.until('the child is gone', () => names(world).join() === 'root');
    }));

  test('faults delay it and change nothing', () =>
    withWorld(
      {
        faults: new FaultPlan([
          { verb: 'delete', kind: 'configmaps', times: 2, fault: { kind: 'dropReply' } },
          { verb: 'delete', kind: 'configmaps', nth: 3, fault: { kind: 'error', code: 500 } },
          { verb: 'watch', kind: 'configmaps', fault: { kind: 'dropWatch', afterEvents: 5 } },
        ]),
      },
      async (world) => {
        const root = await configMap(world, 'root');
        for (let n = 0; n < 5; n++) await configMap(world, `child-${n}`, [owner(root)]);
        await remove(world, 'root', 'Foreground').catch(() => undefined);
        await world.until('all are gone', () => names(world).length === 0);
      },
    ));
});

describe('namespaces and accounts', () => {
  test('a new namespace gets its account and the authority', () =>
    withWorld({}, async (world) => {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
      await world.create('/api/v1/namespaces', body);
      await world.clock.advance(1_000);
      expect(await world.get('/api/v1/namespaces/team/serviceaccounts/default')).toBeDefined();
      expect(await world.get('/api/v1/namespaces/team/configmaps/kube-root-ca.crt')).toMatchObject({
        data: { 'ca.crt': expect.stringContaining('BEGIN CERTIFICATE') },
      });
    }));

  test('a deleted namespace is emptied, pods too, and then gone', () =>
    withWorld({}, async (world) => {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } };
      await world.create('/api/v1/namespaces', body);
      await world.clock.advance(1_000);
      await world.create('/api/v1/namespaces/team/pods', {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'web' },
        spec: { containers: [{ name: 'a', image: 'b' }] },
      });
      await world.until('the pod is ready', () => world.readyPods() === 1);
      await world.client.send({ method: 'DELETE', path: '/api/v1/namespaces/team' });
      expect((await world.get('/api/v1/namespaces/team'))?.['status']).toMatchObject({
        phase: 'Terminating',
      });
      await world.until('it is gone', () =>
        world.stored('/namespaces').every((each) => nameOf(each) !== 'team'),
      );
      expect(world.stored('/pods')).toEqual([]);
    }));

  test('a token secret is filled, and goes with its account', () =>
    withWorld({}, async (world) => {
      const path = '/api/v1/namespaces/default';
      await world.create(`${path}/serviceaccounts`, {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 'robot' },
      });
      await world.create(`${path}/secrets`, {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/service-account-token',
        metadata: { name: 'robot', annotations: { 'kubernetes.io/service-account.name': 'robot' } },
      });
      await world.clock.advance(1_000);
      const data = objectAt(await world.get(`${path}/secrets/robot`), 'data');
      const text = (key: string) => Buffer.from(textAt(data, key), 'base64').toString();
      expect(text('namespace')).toBe('default');
      expect(text('token').split('.')).toHaveLength(3);
      expect(text('ca.crt')).toContain('BEGIN CERTIFICATE');
      await world.client.send({ method: 'DELETE', path: `${path}/serviceaccounts/robot` });
      await world.until('the secret is gone', () => world.stored('/secrets').length === 0);
    }));

  test('a token secret goes where its account is not there', () =>
    withWorld({}, async (world) => {
      await world.create('/api/v1/namespaces/default/secrets', {
        apiVersion: 'v1',
        kind: 'Secret',
        type: 'kubernetes.io/service-account-token',
        metadata: { name: 'lost', annotations: { 'kubernetes.io/service-account.name': 'nobody' } },
      });
      await world.until('the secret is gone', () => world.stored('/secrets').length === 0);
    }));
});
