// Topology constraints end to end: a set with constraints at all three levels on a controller
// process, whose PodGangs follow the binding as it is edited, deleted and made again.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list, object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { eventually } from '#test/support/eventually.ts';
import { Place, type Running } from '#test/support/place.ts';
import { cliqueTemplate } from '#test/support/samples.ts';
import { everywhere, fabric, placedSet } from '#test/support/topology.ts';
import { createNamespace, get, must, setsIn } from '#test/support/workload.ts';

const patient = { timeout: 120_000 };
const settings = { topologyAwareScheduling: { enabled: true } };
const place = new Place();
let running: Running | undefined;

const namespace = 'demo';
const bindings = '/apis/grove.io/v1alpha1/clustertopologybindings';
const gangs = `/apis/scheduler.grove.io/v1alpha1/namespaces/${namespace}/podgangs`;

/** As the nodes are labelled. */
const zone = { domain: 'zone', key: 'topology.kubernetes.io/zone' };
const rack = { domain: 'rack', key: 'topology.kubernetes.io/rack' };
const block = { domain: 'rack', key: 'topology.kubernetes.io/block' };
const host = { domain: 'host', key: 'kubernetes.io/hostname' };

/** A new set may not use the deprecated field. */
const constraints = { ...everywhere, worker: { pack: { required: 'rack' } } };

beforeAll(async () => {
  await place.start({ nodes: 20 });
  await createNamespace(place.client, namespace);
  running = await place.controller(settings);
  await running.program.line(/controller synced/);
}, 90_000);
afterAll(() => place.end());

const edit = (levels: readonly JsonObject[]): Promise<unknown> =>
  must(place.client, {
    method: 'PATCH',
    path: `${bindings}/fabric`,
    contentType: 'application/merge-patch+json',
    body: { spec: { levels: [...levels] } },
  });

const packOf = (part: unknown): unknown => at(part, 'topologyConstraint', 'packConstraint');

/** What a PodGang says of places, in short. */
async function said(name: string): Promise<JsonObject> {
  const gang = await get(place.client, `${gangs}/${name}`);
  const configs = list(at(gang, 'spec', 'topologyConstraintGroupConfigs'));
  const groups = list(at(gang, 'spec', 'podgroups'));
  const worker = groups.find((group) => at(group, 'name') === 'demo-0-worker');
  return JSON.parse(
    JSON.stringify({
      all: packOf(object(at(gang, 'spec'))),
      groups: configs.map((config) => packOf(config) ?? null),
      worker: packOf(worker),
      topology: at(gang, 'metadata', 'annotations', 'grove.io/topology-name'),
    }),
  );
}

async function condition(): Promise<readonly unknown[]> {
  const set = await get(place.client, `${setsIn(namespace)}/demo`);
  const one = list(at(set, 'status', 'conditions')).find(
    (row) => at(row, 'type') === 'TopologyLevelsUnavailable',
  );
  return [at(one, 'status'), at(one, 'reason'), at(one, 'message')];
}

const becomes = (status: string) =>
  eventually(`TopologyLevelsUnavailable ${status}`, condition, ([now]) => now === status);

const ready = (pods: number): Promise<void> =>
  place.onlooker.until(
    `${pods} pods ready`,
    () => place.onlooker.readyPods(namespace) === pods,
    () => [...place.onlooker.all('pods', namespace).keys()],
  );

describe('A set with topology constraints at all levels', () => {
  test('has PodGangs without them while the binding is missing, and says so', patient, async () => {
    const body = placedSet(constraints);
    await must(place.client, { method: 'POST', path: setsIn(namespace), body });
    await becomes('Unknown');
    expect((await condition())[1]).toBe('ClusterTopologyNotFound');
    await ready(13);
    expect(await said('demo-0')).toEqual({ groups: [null, null] });
    expect(await said('demo-0-engine-0')).toEqual({ groups: [] });
  });

  test('has them as node label keys once the binding is there', patient, async () => {
    await must(place.client, { method: 'POST', path: bindings, body: fabric([zone, rack, host]) });
    await becomes('False');
    const group = { required: rack.key, preferred: host.key };
    const all = { required: zone.key };
    const base = {
      all,
      groups: [group, group],
      worker: { required: rack.key },
      topology: 'fabric',
    };
    await eventually(
      'translated',
      () => said('demo-0'),
      (now) => now['topology'] !== undefined,
    );
    expect(await said('demo-0')).toEqual(base);
    expect(await said('demo-0-engine-0')).toEqual({ all: group, groups: [], topology: 'fabric' });
    expect(await said('demo-0-side-0')).toEqual({ all, groups: [], topology: 'fabric' });
  });

  test('has one patch for each PodGang that an edit of the levels changes', patient, async () => {
    const before = await patches();
    await edit([zone, block]);
    await becomes('True');
    expect((await condition())[2]).toBe('Unavailable topology domains: [host]');
    await eventually(
      'translated',
      () => said('demo-0-engine-0'),
      ({ all }) => at(all, 'required') === block.key,
    );
    expect(await said('demo-0')).toMatchObject({
      groups: [{ required: block.key }, { required: block.key }],
      worker: { required: block.key },
    });
    // The base gang and the group's; the other scaled one is about zones.
    expect((await patches()) - before).toBe(2);
  });

  test('is left alone by a restart', patient, async () => {
    const before = await place.requests();
    await running?.program.kill();
    running = await place.controller(settings);
    await running.program.line(/controller synced/);
    await must(place.client, { method: 'DELETE', path: `${bindings}/fabric` });
    await becomes('Unknown');
    await eventually(
      'without constraints',
      () => said('demo-0-engine-0'),
      ({ all }) => all === undefined,
    );
    const after = await place.requests();
    const isWrite = (key: string) => /^patch podgangs|^create (podgangs|pods) /.test(key);
    const written = (counts: typeof after) =>
      Object.entries(counts)
        .filter(([key]) => isWrite(key))
        .map(([, count]) => Number(count));
    const sum = (counts: typeof after) => written(counts).reduce((a, b) => a + b, 0);
    // Of the three gangs each for the binding that went, and none for the restart.
    expect(sum(after) - sum(before)).toBe(3);
  });

  test('has the pods of each constrained group in one domain', patient, async () => {
    await must(place.client, { method: 'POST', path: bindings, body: fabric([zone, rack, host]) });
    const worker = cliqueTemplate({ name: 'worker', replicas: 12 });
    const constrained = {
      ...worker,
      topologyConstraint: { topologyName: 'fabric', pack: { required: 'rack' } },
    };
    const body = {
      apiVersion: 'grove.io/v1alpha1',
      kind: 'PodCliqueSet',
      metadata: { name: 'packed' },
      spec: { replicas: 3, template: { cliques: [constrained] } },
    };
    await must(place.client, { method: 'POST', path: setsIn(namespace), body });
    await ready(13 + 36);
    const racks = await racksByGang();
    expect([...racks].map(([gang, used]) => [gang, used.size])).toEqual(
      [0, 1, 2].map((index) => [`packed-${index}`, 1]),
    );
  });
});

const patches = async (): Promise<number> =>
  Number((await place.requests())['patch podgangs 200'] ?? 0);

/** Racks of the nodes on which the pods of `packed` are, by PodGang. */
async function racksByGang(): Promise<ReadonlyMap<string, ReadonlySet<unknown>>> {
  const nodes = list(at(await get(place.client, '/api/v1/nodes'), 'items'));
  const rackOf = new Map(
    nodes.map((node) => [at(node, 'metadata', 'name'), at(node, 'metadata', 'labels', rack.key)]),
  );
  const selector = 'app.kubernetes.io/part-of=packed';
  const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(selector)}`;
  const racks = new Map<string, Set<unknown>>();
  for (const pod of list(at(await get(place.client, path), 'items'))) {
    const gang = String(at(pod, 'metadata', 'labels', 'grove.io/podgang'));
    const used = racks.get(gang) ?? new Set();
    racks.set(gang, used.add(rackOf.get(at(pod, 'spec', 'nodeName'))));
  }
  return new Map([...racks].toSorted(([a], [b]) => a.localeCompare(b)));
}
