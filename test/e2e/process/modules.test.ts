// A controller that serves no Grove runs in a cluster that has none of its CRDs.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { grove } from '#machines/grove/module.ts';
import { kindRow } from '#machines/kinds.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import { scrape } from '#test/support/exposition.ts';
import { Place } from '#test/support/place.ts';
import { get } from '#test/support/workload.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const place = new Place();

const names = async (): Promise<readonly string[]> =>
  list(at(await get(place.client, crds), 'items')).map((crd) => text(at(crd, 'metadata', 'name')));

beforeAll(async () => {
  await place.start();
  for (const name of await names()) {
    await place.client.request({ method: 'DELETE', path: `${crds}/${name}` });
  }
  await eventually('no CRDs', names, (left) => left.length === 0);
}, 60_000);
afterAll(() => place.end());

test('a controller without Grove is ready without its CRDs', { timeout: 60_000 }, async () => {
  const { program, url } = await place.controller({ modules: { grove: false } });
  await program.line(/controller synced/);
  expect((await fetch(`${url}/readyz`)).status).toBe(200);
  const metrics = await scrape(url);
  expect(metrics.of('controller_runtime_reconcile_total')).toEqual([]);
  expect([...metrics.families].filter((name) => name.includes('grove'))).toEqual([]);
  const plurals = grove.kinds.map((kind) => kindRow(kind).plural);
  const asked = Object.keys(await place.requests());
  expect(asked.filter((line) => plurals.some((plural) => line.includes(plural)))).toEqual([]);
});
