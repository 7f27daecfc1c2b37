// A ComputeDomain on the real control plane, under what the chart grants: the cluster's own
// controllers run its daemons and take its clique away. The test is the agents of NVIDIA's driver,
// which are not there: it labels the nodes, and says for each daemon in which clique it is.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { releaseNamespace as driver } from '#test/cluster/chart.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Program } from '#test/support/program.ts';
import { tally } from './audit.ts';
import { domainLabel as label, freed } from './cluster-wide.ts';
import { driverObjects } from './nvidia-driver.ts';
import { describeReal, type Stage } from './stage.ts';

const dra = '/apis/resource.k8s.io/v1';
const nvidia = '/apis/resource.nvidia.com/v1beta1';
const cliqueID = '00000000-0000-4000-8000-00000000fab0.0';
const count = 18;
const limitMs = 90_000;
const cliques = `${nvidia}/namespaces/${driver}/computedomaincliques`;

const settings = {
  modules: { grove: false, nvidia: true },
  computeDomains: { driverNamespace: driver, image: 'registry.example/none:1' },
};

const ofDriver = driverObjects(driver, count);

const items = async ({ kube }: Stage, path: string): Promise<readonly unknown[]> =>
  list(at(await kube.send({ method: 'GET', path }), 'items'));

const post = ({ kube }: Stage, path: string, body: JsonObject): Promise<unknown> =>
  kube.send({ method: 'POST', path, body });

const setLabels = ({ kube }: Stage, path: string, labels: JsonObject): Promise<unknown> => {
  const contentType = 'application/merge-patch+json';
  return kube.send({ method: 'PATCH', path, contentType, body: { metadata: { labels } } });
};

const labelNode = (stage: Stage, node: unknown, uid: string | null): Promise<unknown> =>
  setLabels(stage, `/api/v1/nodes/${text(at(node, 'metadata', 'name'))}`, { [label]: uid });

async function provideDriver(stage: Stage): Promise<void> {
  for (const { path, body } of ofDriver) await post(stage, path, body);
}

/** Takes away what this file made outside of its namespaces; a test that failed leaves more. */
async function removeDriver(stage: Stage): Promise<void> {
  const labelled = `/api/v1/nodes?labelSelector=${encodeURIComponent(label)}`;
  for (const node of await items(stage, labelled)) await labelNode(stage, node, null);
  await freed(stage.kube);
  for (const { path: collection, name } of ofDriver) {
    const path = `${collection}/${name}`;
    const { status } = await stage.transport.request({ method: 'DELETE', path });
    if (status >= 300 && status !== 404) throw new Error(`DELETE ${path}: ${status}`);
  }
}

/** Says the clique of each daemon that runs, until all have said it. */
const sayCliques = (stage: Stage, uid: string): Promise<unknown> =>
  eventually(
    'told by all daemons',
    async () => {
      const query = `labelSelector=${encodeURIComponent(`${label}=${uid}`)}`;
      const pods = await items(stage, `/api/v1/namespaces/${driver}/pods?${query}`);
      const running = pods.filter((pod) => at(pod, 'status', 'phase') === 'Running');
      for (const pod of running) {
        if (at(pod, 'metadata', 'labels', `${label}.cliqueID`) !== undefined) continue;
        const path = `/api/v1/namespaces/${driver}/pods/${text(at(pod, 'metadata', 'name'))}`;
        await setLabels(stage, path, { [`${label}.cliqueID`]: cliqueID });
      }
      return running.length;
    },
    (running) => running === count,
    limitMs,
  );

describeReal('A ComputeDomain on the real control plane', (stageNow) => {
  let controller: Program | undefined;

  beforeAll(async () => {
    await provideDriver(stageNow());
    controller = await stageNow().controller({ settings });
  });
  afterAll(async () => {
    // It would put finalizers back, and make again what is missing.
    await controller?.kill();
    await removeDriver(stageNow());
  });

  test('has eighteen nodes join with 0 to 17, and leaves nothing', async () => {
    const stage = stageNow();
    const namespace = await stage.namespace('e2e-cliques');
    const domains = `${nvidia}/namespaces/${namespace}/computedomains`;
    const made = await post(stage, domains, {
      apiVersion: 'resource.nvidia.com/v1beta1',
      kind: 'ComputeDomain',
      metadata: { name: 'training' },
      spec: { numNodes: count, channel: { resourceClaimTemplate: { name: 'training' } } },
    });
    const uid = text(at(made, 'metadata', 'uid'));
    const selector = `labelSelector=${encodeURIComponent(`${label}=${uid}`)}`;
    // Other tests take nodes of this cluster away.
    const nodes = (await items(stage, '/api/v1/nodes?labelSelector=type%3Dkwok')).slice(0, count);
    expect(nodes).toHaveLength(count);
    for (const node of nodes) await labelNode(stage, node, uid);
    await sayCliques(stage, uid);
    const status = await eventually(
      'Ready',
      async () => at((await items(stage, domains))[0], 'status'),
      (one) => at(one, 'status') === 'Ready',
      limitMs,
    );
    const rows = list(at((await items(stage, `${cliques}?${selector}`))[0], 'daemons'));
    const indices = rows.map((row) => Number(at(row, 'index')));
    expect(indices.toSorted((one, other) => one - other)).toEqual([...nodes.keys()]);
    expect(list(at(status, 'nodes'))).toHaveLength(count);
    const asked = stage.audit
      .requests(driver)
      .filter(({ resource }) => resource === 'computedomaincliques');
    expect(Object.keys(tally(asked)).filter((line) => line.endsWith(' 409'))).toEqual([]);

    await stage.kube.send({ method: 'DELETE', path: `${domains}/training` });
    for (const path of [
      domains,
      `${cliques}?${selector}`,
      `/api/v1/nodes?${selector}`,
      `/api/v1/namespaces/${driver}/pods?${selector}`,
      `/apis/apps/v1/namespaces/${driver}/daemonsets?${selector}`,
      `${dra}/resourceclaimtemplates?${selector}`,
    ]) {
      await eventually(
        `without ${path}`,
        () => items(stage, path),
        ({ length }) => length === 0,
        limitMs,
      );
    }
  });
});
