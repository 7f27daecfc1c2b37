// Scheduler backends on a real controller process, with their CRDs and no scheduler of theirs: KAI
// is enabled before its CRD is there, pods wait, and go on when it comes; Volcano is looked at
// before the start. Seen from outside.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { kaiPodGroupCrd, volcanoCrd } from '#test/support/backends.ts';
import { eventually } from '#test/support/eventually.ts';
import { atMost } from '#test/support/optional.mjs';
import { Place } from '#test/support/place.ts';
import type { Running } from '#test/support/place.ts';
import { cliqueSet, scheduledBy } from '#test/support/samples.ts';
import { createNamespace, deleteSet, get, must, setsIn } from '#test/support/workload.ts';

const patient = { timeout: 120_000 };
const namespace = 'gangs';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const kaiGroups = `/apis/scheduling.run.ai/v2alpha2/namespaces/${namespace}/podgroups`;
const volcanoGroups = `/apis/scheduling.volcano.sh/v1beta1/namespaces/${namespace}/podgroups`;

const place = new Place();
let running: Running;
beforeAll(async () => {
  await place.start({ nodes: 1 });
  await createNamespace(place.client, namespace);
}, 60_000);
afterAll(() => place.end());

const start = (...names: readonly string[]): Promise<Running> =>
  place.controller({ scheduler: { profiles: names.map((name) => ({ name })) } });

const install = (body: JsonObject): Promise<unknown> =>
  must(place.client, { method: 'POST', path: definitions, body });

const merge = (path: string, body: JsonObject): Promise<unknown> =>
  must(place.client, {
    method: 'PATCH',
    path,
    contentType: 'application/merge-patch+json',
    body,
  });

async function deploy(name: string, scheduler: string, annotations: Record<string, string>) {
  const set = scheduledBy(cliqueSet(1), scheduler, annotations);
  const body = { ...set, metadata: { ...set.metadata, name, namespace } };
  await must(place.client, { method: 'POST', path: setsIn(namespace), body });
}

async function itemsOf(path: string): Promise<readonly unknown[]> {
  const { status, body } = await place.client.request({ method: 'GET', path });
  return status === 200 ? list(at(body, 'items')) : [];
}

/** How many gates each pod of the set has. */
async function gatesOf(set: string): Promise<readonly number[]> {
  const selector = encodeURIComponent(`app.kubernetes.io/part-of=${set}`);
  const pods = await itemsOf(`/api/v1/namespaces/${namespace}/pods?labelSelector=${selector}`);
  return pods.map((pod) => list(at(pod, 'spec', 'schedulingGates')).length);
}

async function reasonsOn(name: string): Promise<readonly string[]> {
  const events = [
    ...(await itemsOf(`/api/v1/namespaces/${namespace}/events`)),
    ...(await itemsOf('/api/v1/namespaces/default/events')),
  ];
  return events
    .filter((event) => at(event, 'involvedObject', 'name') === name)
    .map((event) => text(at(event, 'reason')));
}

const specOf = async (path: string): Promise<unknown> => at(await get(place.client, path), 'spec');

describe('The controller with KAI', () => {
  beforeAll(async () => {
    running = await start('kai-scheduler');
    await running.program.line(/controller synced/);
  }, 60_000);

  test(
    'holds pods while the CRD is missing, and lets them go as soon as it is there',
    patient,
    async () => {
      await deploy('early', 'kai-scheduler', { 'kai.scheduler/queue': 'team' });
      await eventually(
        'two gated pods',
        () => gatesOf('early'),
        (gates) => String(gates) === '1,1',
      );
      await eventually(
        'told',
        () => reasonsOn('early-0'),
        (reasons) => reasons.includes('PodGroupSyncFailed'),
      );
      await install(kaiPodGroupCrd());
      const installed = performance.now();
      await eventually(
        'no gate',
        () => gatesOf('early'),
        (gates) => String(gates) === '0,0',
      );
      expect(performance.now() - installed).toBeLessThan(atMost(5_000));
      expect(await specOf(`${kaiGroups}/early-0`)).toEqual({
        queue: 'team',
        minMember: 2,
        subGroups: [{ name: 'early-0-worker', minMember: 2 }],
      });
    },
  );

  test('creates pods without a gate where the CRD is there, marked for KAI', patient, async () => {
    const before = await place.requests();
    expect(before['patch pods 200']).toBeGreaterThanOrEqual(2);
    await deploy('late', 'kai-scheduler', { 'kai.scheduler/queue': 'team' });
    await eventually(
      'two pods',
      () => gatesOf('late'),
      ({ length }) => length === 2,
    );
    expect(await gatesOf('late')).toEqual([0, 0]);
    const after = await place.requests();
    expect(after['patch pods 200']).toBe(before['patch pods 200']);
    const [pod] = await itemsOf(
      `/api/v1/namespaces/${namespace}/pods?labelSelector=app.kubernetes.io%2Fpart-of%3Dlate`,
    );
    expect(at(pod, 'metadata')).toMatchObject({
      labels: { 'kai.scheduler/subgroup-name': 'late-0-worker' },
      annotations: { 'kai.scheduler/skip-podgrouper': 'true', 'pod-group-name': 'late-0' },
    });
  });

  test('puts right what is its own in a PodGroup, and leaves the rest', patient, async () => {
    const path = `${kaiGroups}/late-0`;
    await merge(path, {
      metadata: { labels: { 'foreign/x': 'y' } },
      spec: { minMember: 1, queue: 'moved', markUnschedulable: true },
    });
    await eventually(
      'put right',
      () => specOf(path),
      (spec) => at(spec, 'minMember') === 2,
    );
    expect(await get(place.client, path)).toMatchObject({
      metadata: { labels: { 'foreign/x': 'y' } },
      spec: { queue: 'moved', markUnschedulable: true },
    });
  });

  test('makes no PodGroup without a queue, and says so on the gang', patient, async () => {
    await deploy('lost', 'kai-scheduler', {});
    await eventually(
      'told',
      () => reasonsOn('lost-0'),
      (reasons) => reasons.includes('KAIBackendMappingFailed'),
    );
    await eventually(
      'two gated pods',
      () => gatesOf('lost'),
      (gates) => String(gates) === '1,1',
    );
    await merge(`${setsIn(namespace)}/lost`, {
      metadata: { annotations: { 'kai.scheduler/queue': 'found' } },
    });
    await eventually(
      'no gate',
      () => gatesOf('lost'),
      (gates) => String(gates) === '0,0',
    );
  });

  test('leaves no PodGroup behind (10.2 gap 29)', patient, async () => {
    for (const name of ['early', 'late', 'lost']) await deleteSet(place.client, namespace, name);
    await eventually(
      'gone',
      () => itemsOf(kaiGroups),
      ({ length }) => length === 0,
    );
    await running.program.kill();
  });
});

describe('The controller with Volcano', () => {
  const crd = volcanoCrd();
  const name = 'podgroups.scheduling.volcano.sh';

  test(
    'does not start without the CRD, nor with one that lacks what gangs need',
    patient,
    async () => {
      const file = place.writeConfiguration({ scheduler: { profiles: [{ name: 'volcano' }] } });
      const flags = ['--config', file, '--kubeconfig', place.kubeconfig];
      const without = place.programs.coppice('controller', ...flags);
      expect(await without.ended).toMatchObject({ code: 5 });
      await install(volcanoCrd({ hasPolicies: false }));
      const old = place.programs.coppice('controller', ...flags);
      expect(await old.ended).toMatchObject({ code: 5 });
      expect(await reasonsOn(name)).toEqual(['VolcanoCapabilityUnavailable']);
      await must(place.client, { method: 'DELETE', path: `${definitions}/${name}` });
    },
  );

  test(
    'makes a PodGroup of each gang, in the queue of its cliques (10.2 gap 28)',
    patient,
    async () => {
      await eventually(
        'the old one gone',
        () => itemsOf(definitions),
        (all) => !all.some((one) => at(one, 'metadata', 'name') === name),
      );
      await install(crd);
      running = await start('volcano');
      await running.program.line(/controller synced/);
      const set = scheduledBy(cliqueSet(1), 'volcano');
      const [clique] = list(at(set, 'spec', 'template', 'cliques'));
      const cliques = [
        { ...object(clique), annotations: { 'scheduling.grove.io/volcano-queue': 'q' } },
      ];
      const body = {
        ...set,
        metadata: { name: 'vol', namespace },
        spec: { replicas: 1, template: { cliques } },
      };
      await must(place.client, { method: 'POST', path: setsIn(namespace), body });
      await eventually(
        'two pods',
        () => gatesOf('vol'),
        (gates) => String(gates) === '0,0',
      );
      expect(await specOf(`${volcanoGroups}/vol-0`)).toMatchObject({
        queue: 'q',
        minMember: 2,
        subGroupPolicy: [{ name: 'vol-0-worker', subGroupSize: 2, minSubGroups: 1 }],
      });
      await deleteSet(place.client, namespace, 'vol');
      await eventually(
        'gone',
        () => itemsOf(volcanoGroups),
        ({ length }) => length === 0,
      );
    },
  );
});
