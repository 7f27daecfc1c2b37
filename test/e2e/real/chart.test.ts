// The chart on a real API server, installed by Helm: with each combination that its README names a
// second upgrade changes nothing, its controller does its work under its own account, and its pods
// are taken by a namespace that demands restricted ones.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { at, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { combinations } from '#test/charts/combinations.ts';
import { objectsIn, podsIn } from '#test/charts/manifests.ts';
import { eventually } from '#test/support/eventually.ts';
import { amountOf, spread } from '#test/support/optional.mjs';
import { root } from '#test/tidy/sources.ts';
import { installBackends } from './backend-crds.ts';
import { isLookForLeftovers, Release, unregister } from './helm-release.ts';
import { pathOf } from './kube.ts';
import { manifest, type SetWanted } from './sets.ts';
import { describeReal } from './stage.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const folder = join(root, 'test/charts/crds');

/** Of the Prometheus operator (annotations have its version) and cert-manager at 2d0d7f7f7, without
 *  descriptions. */
const foreign = readdirSync(folder).map((file) => {
  const crd: unknown = JSON.parse(readFileSync(join(folder, file), 'utf8'));
  return { name: text(at(crd, 'metadata', 'name')), crd };
});

/** All, where the machine is fast enough. */
const tried = amountOf('combinations of the chart on the real control plane');

/** Its daemons, pods and labels go one after the other. */
const goneMs = 60_000;

const tolerations = [
  { key: 'node_role.e2e.grove.nvidia.com', operator: 'Exists', effect: 'NoSchedule' },
];

/** It says what the webhooks would fill in: API servers learn of them a moment after their
 *  registration, and a set that was there before may not have its minimum changed. */
const wanted: SetWanted = {
  name: 'p',
  replicas: 1,
  cliques: [{ name: 'w', replicas: 2, minAvailable: 2 }],
};

const sandbox: JsonObject = {
  apiVersion: 'agents.x-k8s.io/v1beta1',
  kind: 'Sandbox',
  metadata: { name: 'box' },
  spec: { podTemplate: { spec: { tolerations, containers: [{ name: 'a', image: 'none:1' }] } } },
};
const domain: JsonObject = {
  apiVersion: 'resource.nvidia.com/v1beta1',
  kind: 'ComputeDomain',
  metadata: { name: 'nvl' },
  spec: { numNodes: 0, channel: { resourceClaimTemplate: { name: 'nvl-channel' } } },
};

/** Each combination has a driver of its own. */
const withDriver = (values: JsonObject, driverNamespace: string): JsonObject => {
  const config = object(values['config'] ?? {});
  const computeDomains = { ...object(config['computeDomains'] ?? {}), driverNamespace };
  return { ...values, config: { ...config, computeDomains } };
};

describeReal('The chart that Helm installs', (stage) => {
  let removeBackends: () => Promise<void>;
  beforeAll(async () => {
    stage().allowsRefusal(isLookForLeftovers);
    removeBackends = await installBackends(stage().kube);
    for (const { crd } of foreign)
      await stage().kube.send({ method: 'POST', path: crds, body: crd });
  });
  afterEach(() => unregister(stage().transport));
  afterAll(async () => {
    await removeBackends();
    for (const { name } of foreign) {
      await stage().kube.send({ method: 'DELETE', path: `${crds}/${name}` });
    }
  });

  /** Until it has a status; then it is deleted, and goes. */
  async function lives(namespace: string, plural: string, body: JsonObject): Promise<void> {
    const path = `/apis/${text(body['apiVersion'])}/namespaces/${namespace}/${plural}`;
    await stage().kube.send({ method: 'POST', path, body });
    const one = `${path}/${text(at(body, 'metadata', 'name'))}`;
    const read = () => stage().transport.request({ method: 'GET', path: one });
    await eventually(
      `${plural} with a status`,
      read,
      (reply) => at(reply.body, 'status') !== undefined,
    );
    await stage().kube.send({ method: 'DELETE', path: one });
    await eventually(`${plural} gone`, read, ({ status }) => status === 404, goneMs);
  }

  test.for(spread(Object.entries(combinations), tried))(
    'changes nothing twice, runs restricted, and lets its controller work: %s',
    async ([title, { values: given }]) => {
      const name = `chart-${title.replaceAll(/\W+/g, '-').toLowerCase()}`;
      const [namespace, users] = [
        await stage().namespace(name),
        await stage().namespace(`${name}-users`),
      ];
      const release = new Release(stage(), namespace);
      await release.restrict();
      const values = withDriver(given, namespace);
      await release.strictly(values);

      await release.install(values);
      const installed = await release.versions();
      await release.upgrade(values);
      expect(await release.versions()).toEqual(installed);

      for (const [of, { metadata, spec }] of Object.entries(podsIn(await release.manifests()))) {
        const body = { metadata: { ...object(metadata), name: of }, spec };
        const path = `${pathOf(namespace, 'pods')}?dryRun=All`;
        await stage().kube.send({ method: 'POST', path, body });
      }

      const controller = await release.controller();
      const modules = object(at(values, 'config', 'modules') ?? {});
      if (modules['grove'] !== false) {
        await stage().kube.create(users, 'podcliquesets', manifest(wanted));
        await stage().ready(users, wanted);
        await stage().kube.delete(users, 'podcliquesets', 'p');
        await stage().empty(users);
      }
      if (modules['agentsandbox'] === true) await lives(users, 'sandboxes', sandbox);
      if (modules['nvidia'] === true) await lives(users, 'computedomains', domain);
      controller.signal('SIGTERM');
      await controller.ended;
      await release.uninstall();
    },
  );

  test('is refused its pods by that namespace where they are less restricted', async () => {
    const namespace = await stage().namespace('chart-unrestricted');
    const release = new Release(stage(), namespace);
    await release.restrict();
    const [pod] = Object.values(podsIn(objectsIn(await release.render({}))));
    const own = object(at(pod, 'spec'));
    const spec = { ...own, serviceAccountName: 'default', securityContext: {} };
    const body = { metadata: { name: 'free' }, spec };
    const path = `${pathOf(namespace, 'pods')}?dryRun=All`;
    await expect(stage().kube.send({ method: 'POST', path, body })).rejects.toThrow(
      'violates PodSecurity',
    );
  });
});
