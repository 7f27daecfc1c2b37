// `coppice/client` as a user has it: imported by its name, over client-node's API, against the
// embedded cluster. What the types accept and refuse is held by types.ts beside this file.
import { CustomObjectsApi, KubeConfig } from '@kubernetes/client-node';
import { clientOf, resources, type PodCliqueSet } from 'coppice/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCluster } from '#src/devcluster/cluster.ts';
import { installCrds } from '#src/dev/crds.ts';
import { clusterPlugins } from '#src/modules/index.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { allDefinitions } from '#test/surface/client.ts';
import { binding, pool, set } from './types.ts';

const cluster = createCluster({
  clock: systemClock,
  random: systemRandom,
  controllers: false,
  plugins: await clusterPlugins(),
});
const config = new KubeConfig();

beforeAll(async () => {
  await cluster.start();
  await installCrds(cluster.transport());
  config.loadFromString((await cluster.listen()).kubeconfig);
});
afterAll(() => cluster.stop());

const client = () => clientOf(config.makeApiClient(CustomObjectsApi));
const place = { name: 'demo', namespace: 'default' };

describe('The client', () => {
  test('creates, reads, lists and removes objects of a namespace', async () => {
    const made = await client().create(set);
    expect(made.spec.template.cliqueStartupType).toBe('CliqueStartupTypeAnyOrder');
    expect((await client().get('PodCliqueSet', place)).metadata.uid).toBe(made.metadata.uid);
    const all = await client().list('PodCliqueSet', { labelSelector: 'team=blue' });
    expect(all.items.map(({ spec }) => spec.replicas)).toEqual([2]);
    const others = await client().list('PodCliqueSet', { namespace: 'kube-system' });
    expect(others.items).toEqual([]);
    await client().remove('PodCliqueSet', place);
    await expect(client().get('PodCliqueSet', place)).rejects.toMatchObject({ code: 404 });
  });

  test('creates, reads and removes objects of the cluster', async () => {
    await client().create(binding);
    const { spec } = await client().get('ClusterTopologyBinding', { name: 'racks' });
    expect(spec.levels).toEqual(binding.spec.levels);
    await client().remove('ClusterTopologyBinding', { name: 'racks' });
    expect((await client().list('ClusterTopologyBinding')).items).toEqual([]);
  });

  test('edits again where somebody else wrote meanwhile, and gives up after five times', async () => {
    await client().create(pool);
    const of = { name: 'pool', namespace: 'default' };
    const scale = (replicas: number) =>
      client().edit('SandboxWarmPool', of, ({ spec }) => {
        spec.replicas = replicas;
      });
    const both = await Promise.all([scale(5), scale(6)]);
    expect(new Set(both.map(({ spec }) => spec.replicas))).toEqual(new Set([5, 6]));
    let calls = 0;
    const stale = client().edit('SandboxWarmPool', of, (object) => {
      calls += 1;
      object.metadata.resourceVersion = '1';
    });
    await expect(stale).rejects.toMatchObject({ code: 409 });
    expect(calls).toBe(6);
  });

  test('asks for the namespace and the name that are missing', async () => {
    await expect(client().get('PodCliqueSet', { name: 'demo' })).rejects.toThrow(
      'a PodCliqueSet is in a namespace: name it',
    );
    const nameless: PodCliqueSet = { ...set, metadata: { namespace: 'default' } };
    await expect(client().replace(nameless)).rejects.toThrow('the PodCliqueSet has no name');
  });

  test('knows where each kind of the CRDs is served', () => {
    const served = allDefinitions().map(({ kind, group, version, plural, scope }) => [
      kind,
      { group, version, plural, scope },
    ]);
    expect(resources).toEqual(Object.fromEntries(served));
  });
});
