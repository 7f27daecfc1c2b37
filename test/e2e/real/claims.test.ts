// Shared ResourceClaims on the real control plane: the scheduler allocates them, pods of different
// PodCliques reserve the same one, and those that are in use go after their pods.
import { afterAll, expect, test } from 'vitest';
import { at, isObject, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { eventually } from '#test/support/eventually.ts';
import { claimTemplate, sharingSet } from '#test/support/sharing.ts';
import { describeReal } from './stage.ts';

const dra = '/apis/resource.k8s.io/v1';
const driver = 'claims.e2e.coppice.dev';
const classes = ['card', 'cache', 'link', 'disk'].map((name) => `${name}.example.com`);
const slice = 'e2e-claims';
const limitMs = 60_000;

const deviceClass = (name: string): JsonObject => ({
  apiVersion: 'resource.k8s.io/v1',
  kind: 'DeviceClass',
  metadata: { name },
  spec: { selectors: [{ cel: { expression: `device.driver == "${driver}"` } }] },
});

/** Devices that every node can reach. */
const devices: JsonObject = {
  apiVersion: 'resource.k8s.io/v1',
  kind: 'ResourceSlice',
  metadata: { name: slice },
  spec: {
    driver,
    pool: { name: slice, generation: 1, resourceSliceCount: 1 },
    allNodes: true,
    devices: Array.from({ length: 64 }, (_, index) => ({ name: `device-${index}` })),
  },
};

/**
 * On one node: with a choice of several kube-scheduler 1.35 fails to score them for a pod that has
 * both a claim that is allocated and one that is not.
 */
function setOn(node: string): JsonObject {
  const { metadata, ...rest } = sharingSet(1);
  const template: unknown = at(rest['spec'], 'template');
  const cliques = list(at(template, 'cliques'))
    .filter(isObject)
    .map((clique) => {
      const spec = Object(clique['spec']);
      const podSpec = {
        ...spec.podSpec,
        tolerations: [{ operator: 'Exists' }],
        nodeSelector: { 'kubernetes.io/hostname': node },
      };
      return { ...clique, spec: { ...spec, podSpec } };
    });
  const spec = { replicas: 1, template: { ...Object(template), cliques } };
  return { ...rest, metadata: { name: metadata.name }, spec };
}

describeReal('Shared claims on the real control plane', (stageNow) => {
  afterAll(async () => {
    const { kube } = stageNow();
    for (const name of classes) {
      await kube.send({ method: 'DELETE', path: `${dra}/deviceclasses/${name}` });
    }
    await kube.send({ method: 'DELETE', path: `${dra}/resourceslices/${slice}` });
  });

  test('are allocated, shared by pods, and follow the scaling of a group', async () => {
    const stage = stageNow();
    const { kube } = stage;
    const here = await stage.namespace('e2e-claims');
    const shared = await stage.namespace('shared');
    for (const name of classes) {
      const path = `${dra}/deviceclasses`;
      await kube.send({ method: 'POST', path, body: deviceClass(name) });
    }
    await kube.send({ method: 'POST', path: `${dra}/resourceslices`, body: devices });
    const make = (namespace: string, name: string): Promise<unknown> =>
      kube.send({
        method: 'POST',
        path: `${dra}/namespaces/${namespace}/resourceclaimtemplates`,
        body: claimTemplate(namespace, name),
      });
    const claims = async (): Promise<readonly unknown[]> =>
      list(
        at(
          await kube.send({ method: 'GET', path: `${dra}/namespaces/${here}/resourceclaims` }),
          'items',
        ),
      );
    const names = async (): Promise<readonly string[]> =>
      (await claims()).map((claim) => text(at(claim, 'metadata', 'name'))).toSorted();
    await make(shared, 'disk');
    await stage.controller();
    const nodes = await kube.send({ method: 'GET', path: '/api/v1/nodes' });
    const node = text(at(list(at(nodes, 'items'))[0], 'metadata', 'name'));
    await kube.create(here, 'podcliquesets', setOn(node));
    await eventually(
      'the missing template told',
      async () => JSON.stringify((await kube.get(here, 'podcliquesets', 'demo'))?.status ?? {}),
      (status) => status.includes('ResourceClaimTemplate e2e-claims/link'),
      limitMs,
    );
    await make(here, 'link');
    /** What keeps each pod from being ready; empty where nothing does. */
    const obstacles = async (): Promise<readonly string[]> =>
      (await kube.list(here, 'pods')).map((pod) =>
        list(at(pod, 'status', 'conditions'))
          .filter((one) => at(one, 'status') !== 'True')
          .map((one) => `${text(at(one, 'type'))}: ${text(at(one, 'message'))}`)
          .join('; '),
      );
    const ready = (count: number) =>
      eventually(
        `${count} pods ready`,
        obstacles,
        (left) => left.length === count && left.every((one) => one === ''),
        limitMs,
      );
    await ready(6);
    const all = await claims();
    expect(await names()).toEqual([
      'demo-0-engine-0-card',
      'demo-0-engine-1-card',
      'demo-0-engine-all-cache',
      'demo-0-link',
      'demo-0-worker-0-card',
      'demo-0-worker-1-card',
      'demo-0-worker-all-disk',
      'demo-all-card',
    ]);
    expect(all.filter((claim) => at(claim, 'status', 'allocation') === undefined)).toEqual([]);
    const users = Object.fromEntries(
      all.map((claim) => [
        text(at(claim, 'metadata', 'name')),
        list(at(claim, 'status', 'reservedFor')).length,
      ]),
    );
    expect(users).toMatchObject({
      'demo-all-card': 6,
      'demo-0-link': 4,
      'demo-0-worker-0-card': 1,
    });

    await kube.scale(here, 'podcliquescalinggroups', 'demo-0-engine', 1);
    await ready(4);
    await eventually('the claim gone', names, (n) => !n.includes('demo-0-engine-1-card'), limitMs);
    await kube.delete(here, 'podcliquesets', 'demo');
    await stage.empty(here);
    await eventually('all claims gone', names, (n) => n.length === 0, limitMs);
  });
});
