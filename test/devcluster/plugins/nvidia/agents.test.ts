// The stand-in for the agents of NVIDIA's DRA driver: which node has the label of which
// ComputeDomain, and which clique a daemon says.
import { expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { textAt, textsAt } from '#machines/kubernetes/fields.ts';
import { nvidiaPlugin } from '#src/devcluster/plugins/nvidia/index.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { uidOf } from '#src/devcluster/controllers/client.ts';
import { FaultPlan } from '#src/devcluster/faults.ts';
import { withWorld, type World } from '#test/devcluster/controllers/support.ts';

const domainLabel = 'resource.nvidia.com/computeDomain';
const cliqueLabel = 'resource.nvidia.com/computeDomain.cliqueID';
const pods = '/api/v1/namespaces/default/pods';

const withAgents = (
  nodes: number,
  run: (world: World) => Promise<void>,
  faults = new FaultPlan(),
): Promise<void> => withWorld({ nodes, plugins: [nvidiaPlugin], faults }, run);

const template = (world: World, name: string, labels: JsonObject) =>
  world.create('/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates', {
    apiVersion: 'resource.k8s.io/v1',
    kind: 'ResourceClaimTemplate',
    metadata: { name, labels },
    spec: { spec: { devices: {} } },
  });

const ofDomain = (uid: string): JsonObject => ({
  [domainLabel]: uid,
  'resource.nvidia.com/computeDomainTarget': 'Workload',
});

/** Takes a whole node. */
const workload = (name: string, claim: string, nodeName = ''): [string, JsonObject] => [
  name,
  {
    resourceClaims: [{ name: 'imex', resourceClaimTemplateName: claim }],
    ...(nodeName === '' ? {} : { nodeName }),
  },
];

/** `node-0=uid`, of all that have the label. */
const labelled = (world: World): readonly string[] =>
  world
    .stored('/nodes')
    .map(({ metadata }) => [textAt(metadata, 'name'), textsAt(metadata, 'labels')[domainLabel]])
    .filter(([, uid]) => uid !== undefined)
    .map(([name, uid]) => `${name}=${uid}`)
    .toSorted();

const remove = async (world: World, path: string): Promise<void> => {
  await world.client.send({ method: 'DELETE', path });
  await world.clock.advance(5_000);
};

test('A node is labelled while a pod on it has a channel, and loses the label with the last', () =>
  withAgents(2, async (world) => {
    await template(world, 'channel', ofDomain('d1'));
    await world.createPod(...workload('one', 'channel', 'node-1'));
    await world.createPod(...workload('two', 'channel', 'node-1'));
    await world.clock.advance(2_000);
    expect(labelled(world)).toEqual(['node-1=d1']);
    await remove(world, `${pods}/one`);
    expect(labelled(world)).toEqual(['node-1=d1']);
    await remove(world, `${pods}/two`);
    expect(labelled(world)).toEqual([]);
  }));

test('A node is labelled for a template that comes after the pod, and for no other template', () =>
  withAgents(2, async (world) => {
    await template(world, 'daemon', { [domainLabel]: 'd1' });
    await template(world, 'gpus', {});
    await world.createPod(...workload('one', 'late', 'node-0'));
    await world.createPod(...workload('two', 'daemon', 'node-1'));
    await world.createPod(...workload('three', 'gpus', 'node-1'));
    await world.clock.advance(5_000);
    expect(labelled(world)).toEqual([]);
    expect(world.cluster.idle()).toBe(true);
    await template(world, 'late', ofDomain('d1'));
    await world.clock.advance(2_000);
    expect(labelled(world)).toEqual(['node-0=d1']);
  }));

test('A label that somebody took away stays away, and a node is in one domain after the other', () =>
  withAgents(1, async (world) => {
    await template(world, 'first', ofDomain('d1'));
    await template(world, 'second', ofDomain('d2'));
    await world.createPod(...workload('one', 'first', 'node-0'));
    await world.clock.advance(2_000);
    await world.createPod(...workload('two', 'second', 'node-0'));
    await world.clock.advance(2_000);
    expect(labelled(world)).toEqual(['node-0=d1']);
    const taken = { metadata: { labels: { [domainLabel]: null } } };
    await world.client.mergePatch('/api/v1/nodes/node-0', taken);
    await world.clock.advance(2_000);
    expect(labelled(world)).toEqual(['node-0=d2']);
    await remove(world, `${pods}/one`);
    expect(labelled(world)).toEqual(['node-0=d2']);
  }));

test('A pod waits for a label of which no event has come yet', () => {
  const fault = { kind: 'lagWatch', ms: 3_000 } as const;
  const faults = new FaultPlan([{ verb: 'watch', kind: 'Node', fault }]);
  return withAgents(
    1,
    async (world) => {
      await template(world, 'first', ofDomain('d1'));
      await template(world, 'second', ofDomain('d2'));
      await world.createPod(...workload('one', 'first', 'node-0'));
      await world.until('it has the label', () => labelled(world).length === 1);
      await world.createPod(...workload('two', 'second', 'node-0'));
      await world.clock.advance(10_000);
      expect(labelled(world)).toEqual(['node-0=d1']);
      await remove(world, `${pods}/one`);
      expect(labelled(world)).toEqual(['node-0=d2']);
    },
    faults,
  );
});

test.each([409, 403])('A label or clique that is refused with %i is written later', (code) => {
  const refused = { verb: 'patch', fault: { kind: 'error', code } } as const;
  const faults = new FaultPlan([
    { ...refused, kind: 'Node', times: 2 },
    { ...refused, kind: 'Pod', subresource: '', times: 2 },
  ]);
  return withAgents(
    1,
    async (world) => {
      await template(world, 'channel', ofDomain('d1'));
      await world.createPod(...workload('one', 'channel', 'node-0'));
      await createDaemon(world, 0, await createSet(world));
      await world.clock.advance(3_000);
      expect(labelled(world)).toEqual(['node-0=d1']);
      expect(await cliqueOf(world, 'daemon-0')).toMatch(/\.0$/);
    },
    faults,
  );
});

/** Of no node. */
const daemonSet: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name: 'daemon' },
  spec: {
    selector: { matchLabels: { of: 'set' } },
    template: {
      metadata: { labels: { of: 'set' } },
      spec: { nodeSelector: { on: 'none' }, containers: [{ name: 'main', image: 'nginx:1' }] },
    },
  },
};

const createSet = (world: World) =>
  world.create('/apis/apps/v1/namespaces/default/daemonsets', daemonSet);

function createDaemon(world: World, index: number, set: Stored): Promise<unknown> {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'daemon', uid: uidOf(set) };
  const metadata = { labels: { [domainLabel]: 'd1' }, ownerReferences: [owner] };
  return world.createPod(`daemon-${index}`, { nodeName: `node-${index}` }, metadata);
}

const cliqueOf = async (world: World, pod: string): Promise<string | undefined> => {
  const metadata = (await world.pod(pod))?.metadata;
  return textsAt(metadata, 'labels')[cliqueLabel];
};

test('A daemon that has started says its clique: eighteen nodes are in one, some in none', () =>
  withAgents(20, async (world) => {
    const set = await createSet(world);
    const other = { metadata: { labels: { 'nvidia.com/gpu.clique': '' } } };
    await world.client.mergePatch('/api/v1/nodes/node-19', other);
    for (const index of [0, 17, 18, 19]) await createDaemon(world, index, set);
    await world.createPod('other', { nodeName: 'node-0' });
    await world.createPod('apart', { nodeName: 'node-0' }, { labels: { [domainLabel]: 'd1' } });
    await world.clock.advance(2_000);
    const names = ['daemon-0', 'daemon-17', 'daemon-18', 'daemon-19', 'other', 'apart'];
    const said = await Promise.all(names.map((name) => cliqueOf(world, name)));
    const [first, last, next, none, unlabelled, apart] = said;
    expect(first).toMatch(/^[0-9a-f-]{36}\.0$/);
    expect(last).toBe(first);
    expect(next).toMatch(/\.1$/);
    expect([none, unlabelled, apart]).toEqual(['', undefined, undefined]);
  }));
