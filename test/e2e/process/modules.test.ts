// A controller needs the CRDs of what it serves, and no other.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { grove } from '#machines/grove/module.ts';
import { kindRow } from '#machines/kinds.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { crdFolder } from '#src/modules/crds.ts';
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

test(
  'a controller of Sandboxes alone is ready with their CRD, and asks for no other kind of theirs',
  { timeout: 60_000 },
  async () => {
    const file = readFileSync(`${crdFolder('agentsandbox')}sandboxes.yaml`, 'utf8');
    for (const body of parseAllDocuments(file).map((one): unknown => one.toJS())) {
      await place.client.request({ method: 'POST', path: crds, body });
    }
    const before = await place.requests();
    const { program, url } = await place.controller({
      modules: { grove: false, agentsandbox: true },
      agentSandbox: { extensions: false },
    });
    await program.line(/controller synced/);
    const path = '/apis/agents.x-k8s.io/v1beta1/namespaces/default/sandboxes';
    const spec = { podTemplate: { spec: { containers: [{ name: 'main', image: 'nginx:1' }] } } };
    const sandbox = { apiVersion: 'agents.x-k8s.io/v1beta1', kind: 'Sandbox', spec };
    await place.client.request({
      ...{ method: 'POST', path },
      body: { ...sandbox, metadata: { name: 'alone' } },
    });
    await eventually(
      'a Sandbox that is ready',
      () => get(place.client, `${path}/alone`),
      (one) =>
        list(at(one, 'status', 'conditions')).some(
          (condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True',
        ),
    );
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    expect((await scrape(url)).sum('agent_sandboxes', { ready_condition: 'true' })).toBe(1);
    const counts = Object.entries(await place.requests());
    const asked = counts.flatMap(([line, count]) => (before[line] === count ? [] : [line]));
    expect(
      asked.filter((line) => / (sandbox(claim|template|warmpool)s|podclique)/.test(line)),
    ).toEqual([]);
  },
);
