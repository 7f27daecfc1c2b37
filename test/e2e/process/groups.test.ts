// A set with scaling groups end to end: the controller as a process on the embedded cluster, a
// sample of the chart, `kubectl scale` through the scale subresource, deletion; seen from outside.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { at, isObject, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Watched } from '#src/bench/onlooker.ts';
import { Place } from '#test/support/place.ts';
import { createNamespace, deleteSet, get, must, setsIn } from '#test/support/workload.ts';

const patient = { timeout: 120_000 };
const namespace = 'grouped';
const set = 'multi-node-disaggregated';
const prefill = `${set}-0-prefill`;
const groups = `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliquescalinggroups`;

const place = new Place();
beforeAll(async () => {
  await place.start();
  const { program } = await place.controller();
  await program.line(/controller synced/);
  await createNamespace(place.client, namespace);
}, 60_000);
afterAll(() => place.end());

function sample(): JsonObject {
  const file = new URL(`../../../charts/coppice/samples/${set}.yaml`, import.meta.url);
  const body: unknown = parse(readFileSync(file, 'utf8'));
  if (!isObject(body)) throw new Error('the sample is no object');
  return body;
}

const names = (resource: Watched): readonly string[] =>
  [...place.onlooker.all(resource, namespace).keys()].toSorted();

const statusOf = (resource: Watched, name: string, field: string): unknown =>
  at(place.onlooker.one(resource, namespace, name), 'status', field);

const scale = (replicas: number): Promise<unknown> =>
  must(place.client, {
    method: 'PATCH',
    path: `${groups}/${prefill}/scale`,
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas } },
  });

const ready = (pods: number): Promise<void> =>
  place.onlooker.until(
    `${pods} pods ready`,
    () => names('pods').length === pods && place.onlooker.readyPods(namespace) === pods,
    () => [names('pods'), names('podgangs')],
  );

describe('A set with scaling groups', () => {
  test(
    'comes up with a base gang and one for each replica above the minimum',
    patient,
    async () => {
      await must(place.client, { method: 'POST', path: setsIn(namespace), body: sample() });
      await ready(2 * (1 + 4) + (1 + 2));
      expect(names('podgangs')).toEqual([`${set}-0`, `${prefill}-0`]);
      expect(names('podcliquescalinggroups')).toEqual([`${set}-0-decode`, prefill]);
      await place.onlooker.until(
        'available',
        () =>
          statusOf('podcliquesets', set, 'availableReplicas') === 1 &&
          statusOf('podcliquescalinggroups', prefill, 'availableReplicas') === 2,
        () => place.onlooker.one('podcliquescalinggroups', namespace, prefill),
      );
      const pods = [...place.onlooker.all('pods', namespace).values()];
      expect(pods.filter((pod) => list(at(pod, 'spec', 'schedulingGates')).length > 0)).toEqual([]);
    },
  );

  test('is scaled by its groups, one gang for each replica', patient, async () => {
    const scaled = await get(place.client, `${groups}/${prefill}/scale`);
    expect(at(scaled, 'status', 'selector')).toContain(`grove.io/podcliquescalinggroup=${prefill}`);
    await scale(1);
    await ready(5 + 3);
    expect(names('podgangs')).toEqual([`${set}-0`]);
    await scale(3);
    await ready(3 * 5 + 3);
    expect(names('podgangs')).toEqual([`${set}-0`, `${prefill}-0`, `${prefill}-1`]);
    await scale(1);
    await ready(5 + 3);
    expect(names('podcliques')).toEqual([
      `${set}-0-decode-0-dleader`,
      `${set}-0-decode-0-dworker`,
      `${prefill}-0-pleader`,
      `${prefill}-0-pworker`,
    ]);
  });

  test('leaves nothing when it is deleted', patient, async () => {
    await deleteSet(place.client, namespace, set);
    const all = [
      'pods',
      'podcliques',
      'podcliquescalinggroups',
      'podgangs',
      'services',
      'podcliquesets',
    ] as const;
    await place.onlooker.until(
      'gone',
      () => all.every((resource) => names(resource).length === 0),
      () => all.map(names),
    );
    const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
    const left = list(at(await get(place.client, accounts), 'items'));
    expect(left.map((one) => at(one, 'metadata', 'name'))).not.toContain(set);
  });
});
