// Shared ResourceClaims on a real controller process: templates that come late, scaling out and in
// at all levels, a claim that somebody deletes, and a cluster that does not know claims.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { Place } from '#test/support/place.ts';
import type { Program } from '#test/support/program.ts';
import { claimTemplate, sharingSet } from '#test/support/sharing.ts';
import { createNamespace, createSet, deleteSet, get, must } from '#test/support/workload.ts';
import { patchSet, setsIn } from '#test/support/workload.ts';
import { ApiProxy } from '../faults/proxy/api-proxy.ts';
import { kubeconfigThrough } from '../faults/proxy/kubeconfig.ts';

const patient = { timeout: 120_000 };
const here = 'demo';
const dra = '/apis/resource.k8s.io/v1/namespaces';
const grove = `/apis/grove.io/v1alpha1/namespaces/${here}`;

const place = new Place();
let program: Program;
beforeAll(async () => {
  await place.start({ nodes: 3 });
  for (const name of [here, 'shared', 'plain']) await createNamespace(place.client, name);
  ({ program } = await place.controller());
  await program.line(/controller synced/);
}, 60_000);
afterAll(() => place.end());

const named = async (path: string): Promise<readonly string[]> =>
  list(at(await get(place.client, path), 'items'))
    .map((one) => text(at(one, 'metadata', 'name')))
    .toSorted();
const claims = (): Promise<readonly string[]> => named(`${dra}/${here}/resourceclaims`);

const errorsOf = async (path: string): Promise<readonly string[]> => {
  const { body } = await place.client.request({ method: 'GET', path });
  return list(at(body, 'status', 'lastErrors')).map((one) => text(at(one, 'description')));
};

const make = (namespace: string, name: string): Promise<unknown> =>
  must(place.client, {
    method: 'POST',
    path: `${dra}/${namespace}/resourceclaimtemplates`,
    body: claimTemplate(namespace, name),
  });

const scale = (path: string, replicas: number): Promise<unknown> =>
  must(place.client, {
    method: 'PATCH',
    path: `${path}/scale`,
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas } },
  });

const ready = (pods: number): Promise<void> =>
  place.onlooker.until(
    `${pods} pods ready`,
    () => place.onlooker.all('pods', here).size === pods && place.onlooker.readyPods(here) === pods,
    () => [...place.onlooker.all('pods', here).keys()],
  );

const holding = (names: readonly string[]): Promise<readonly string[]> =>
  eventually(`claims ${names.join()}`, claims, (there) => there.join() === names.join());

const ofReplica = (i: number, groupReplicas: number, pods: number): readonly string[] => [
  ...range(groupReplicas).map((g) => `demo-${i}-engine-${g}-card`),
  `demo-${i}-engine-all-cache`,
  `demo-${i}-link`,
  ...range(pods).map((p) => `demo-${i}-worker-${p}-card`),
  `demo-${i}-worker-all-disk`,
];
const range = (count: number): readonly number[] => Array.from({ length: count }, (_, i) => i);
const all = (...replicas: readonly (readonly string[])[]): readonly string[] =>
  [...replicas.flat(), 'demo-all-card'].toSorted();

describe('A set that shares claims', () => {
  test('waits for templates, and goes on at once when they come', patient, async () => {
    const { metadata, ...rest } = sharingSet(1);
    const body = { ...rest, metadata: { name: metadata.name } };
    await must(place.client, { method: 'POST', path: setsIn(here), body });
    const ofSet = await eventually(
      'told by the set',
      () => errorsOf(`${setsIn(here)}/demo`),
      (errors) => errors.length === 1,
    );
    expect(ofSet[0]).toContain('ERR_SYNC_PCS_RESOURCE_CLAIM');
    expect(ofSet[0]).toContain('ResourceClaimTemplate demo/link, which is not there');
    expect(await named(`${grove}/podcliques`)).toEqual([]);
    await make(here, 'link');
    const ofClique = await eventually(
      'told by the clique',
      () => errorsOf(`${grove}/podcliques/demo-0-worker`),
      (errors) => errors.length === 1,
      5_000,
    );
    expect(ofClique[0]).toContain('ERR_SYNC_PCLQ_RESOURCE_CLAIM');
    await make('shared', 'disk');
    await ready(6);
    expect(await claims()).toEqual(all(ofReplica(0, 2, 2)));
    await eventually(
      'no errors left',
      () => errorsOf(`${grove}/podcliques/demo-0-worker`),
      (errors) => errors.length === 0,
    );
    const pods = [...place.onlooker.all('pods', here).values()];
    const worker = pods.find((pod) => at(pod, 'spec', 'hostname') === 'demo-0-worker-1');
    expect(at(worker, 'spec', 'resourceClaims')).toEqual(
      ['demo-all-card', 'demo-0-worker-all-disk', 'demo-0-worker-1-card'].map((name) => ({
        name,
        resourceClaimName: name,
      })),
    );
  });

  test('has them made and taken away as it is scaled at all levels', patient, async () => {
    await patchSet(place.client, here, 'demo', { spec: { replicas: 2 } });
    await ready(12);
    await holding(all(ofReplica(0, 2, 2), ofReplica(1, 2, 2)));
    await scale(`${grove}/podcliquescalinggroups/demo-0-engine`, 3);
    await scale(`${grove}/podcliques/demo-1-worker`, 3);
    await ready(12 + 2 + 1);
    await holding(all(ofReplica(0, 3, 2), ofReplica(1, 2, 3)));
    await scale(`${grove}/podcliquescalinggroups/demo-0-engine`, 1);
    await scale(`${grove}/podcliques/demo-1-worker`, 1);
    await ready(12 - 2 - 1);
    // The pod that is left may have any index: its claim stays (10.2 gap 12).
    const kept = [...place.onlooker.all('pods', here).values()]
      .map((pod) => text(at(pod, 'spec', 'hostname')))
      .filter((host) => host.startsWith('demo-1-worker-'));
    const expected = [...ofReplica(1, 2, 1), ...kept.map((host) => `${host}-card`)];
    await holding(all(ofReplica(0, 1, 2), [...new Set(expected)]));
    await patchSet(place.client, here, 'demo', { spec: { replicas: 1 } });
    await ready(4);
    await holding(all(ofReplica(0, 1, 2)));
  });

  test('gets a claim back that somebody deleted', patient, async () => {
    const path = `${dra}/${here}/resourceclaims/demo-0-link`;
    const before = at(await get(place.client, path), 'metadata', 'uid');
    await must(place.client, { method: 'DELETE', path });
    const uid = async (): Promise<unknown> =>
      at((await place.client.request({ method: 'GET', path })).body, 'metadata', 'uid');
    await eventually('there again', uid, (now) => now !== undefined && now !== before);
  });

  test(
    'gets the labels back of a claim, and leaves those of others (10.1 rule 13)',
    patient,
    async () => {
      const path = `${dra}/${here}/resourceclaims/demo-all-card`;
      const strip = { 'app.kubernetes.io/component': null, theirs: 'yes' };
      await must(place.client, {
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: strip } },
      });
      const labels = async (): Promise<unknown> =>
        at(await get(place.client, path), 'metadata', 'labels');
      const repaired = await eventually('labelled', labels, (map) =>
        Object.keys(Object(map)).includes('app.kubernetes.io/component'),
      );
      expect(repaired).toEqual({
        'app.kubernetes.io/managed-by': 'grove-operator',
        'app.kubernetes.io/part-of': 'demo',
        'app.kubernetes.io/component': 'resource-claim',
        theirs: 'yes',
      });
    },
  );

  test('leaves no claim when it is deleted', patient, async () => {
    await deleteSet(place.client, here, 'demo');
    await holding([]);
  });
});

test('a cluster without claims serves plain sets as ever (10.1 rule 14)', patient, async () => {
  await program.kill();
  const proxy = await ApiProxy.start(place.connection, { seed: 1 });
  for (const kind of ['ResourceClaim', 'ResourceClaimTemplate'] as const) {
    proxy.inflict({ kind, fault: { type: 'answer', status: 404 } });
  }
  const kubeconfig = join(place.folder, 'kubeconfig-without');
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigThrough(proxy, { token: 'any' })));
  const running = await place.controller({}, { kubeconfig });
  await running.program.line(/controller synced/);
  await createSet(place.client, 'plain', { name: 'plain', replicas: 2 });
  await place.onlooker.until(
    'ready',
    () => place.onlooker.readyPods('plain') === 4,
    () => [...place.onlooker.all('pods', 'plain').keys()],
  );
  await deleteSet(place.client, 'plain', 'plain');
  await place.onlooker.until(
    'gone',
    () => place.onlooker.all('podcliques', 'plain').size === 0,
    () => [...place.onlooker.all('podcliques', 'plain').keys()],
  );
  await running.program.kill();
  await proxy.end();
});
