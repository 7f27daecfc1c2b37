// A controller needs the CRDs of what it serves, and no other.
import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { grove } from '#machines/grove/module.ts';
import { kindRow } from '#machines/kinds.ts';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { crdFolder } from '#src/modules/crds.ts';
import { eventually } from '#test/support/eventually.ts';
import { scrape } from '#test/support/exposition.ts';
import { Place } from '#test/support/place.ts';
import { conditionOf } from '#src/bench/onlooker.ts';
import { createNamespace, createSet, get, must, setsIn } from '#test/support/workload.ts';

const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const place = new Place();

const names = async (): Promise<readonly string[]> =>
  list(at(await get(place.client, crds), 'items')).map((crd) => text(at(crd, 'metadata', 'name')));

async function addCrds(module: string, isWanted = (_: string): boolean => true): Promise<void> {
  const folder = crdFolder(module);
  for (const file of readdirSync(folder).filter(isWanted)) {
    for (const one of parseAllDocuments(readFileSync(folder + file, 'utf8'))) {
      await place.client.request({ method: 'POST', path: crds, body: one.toJS() });
    }
  }
}

const removeCrds = async (): Promise<void> => {
  for (const name of await names()) {
    await place.client.request({ method: 'DELETE', path: `${crds}/${name}` });
  }
  await eventually('no CRDs', names, (left) => left.length === 0);
};

beforeAll(async () => {
  await place.start();
  await removeCrds();
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
  await program.kill();
});

test(
  'a controller of Sandboxes alone is ready with their CRD, and asks for no other kind of theirs',
  { timeout: 60_000 },
  async () => {
    await addCrds('agentsandbox', (file) => file === 'sandboxes.yaml');
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
    await program.kill();
  },
);

const inDefault = '/apis/extensions.agents.x-k8s.io/v1beta1/namespaces/default';

const isReady = (one: unknown): boolean => conditionOf(one, 'Ready') === 'True';

/** A claim that gets a member of a pool. */
async function claimed(name: string): Promise<void> {
  const make = (kind: string, spec: object): Promise<unknown> => {
    const apiVersion = 'extensions.agents.x-k8s.io/v1beta1';
    const path = `${inDefault}/${kind.toLowerCase()}s`;
    const body = { apiVersion, kind, metadata: { name }, spec };
    return must(place.client, { method: 'POST', path, body });
  };
  const containers = [{ name: 'main', image: 'nginx:1' }];
  await make('SandboxTemplate', { podTemplate: { spec: { containers } } });
  await make('SandboxWarmPool', { replicas: 2, sandboxTemplateRef: { name } });
  const look = (plural: string) => () => get(place.client, `${inDefault}/${plural}/${name}`);
  await eventually('a full pool', look('sandboxwarmpools'), isReady);
  await make('SandboxClaim', { warmPoolRef: { name } });
  await eventually('a claim that is ready', look('sandboxclaims'), isReady);
}

async function deployed(namespace: string): Promise<void> {
  await createNamespace(place.client, namespace);
  await createSet(place.client, namespace, { name: 'demo', replicas: 1 });
  await eventually(
    'an available set',
    () => get(place.client, `${setsIn(namespace)}/demo`),
    (one) => at(one, 'status', 'availableReplicas') === 1,
  );
}

const both = { grove: true, agentsandbox: true };

test(
  'a controller of warm pools serves them where Grove has no CRDs, and says which it misses',
  { timeout: 90_000 },
  async () => {
    const early = place.programs.coppice(
      ...['controller', '--kubeconfig', place.kubeconfig],
      ...['--config', place.writeConfiguration({ modules: { ...both, grove: false } })],
    );
    await early.line(/does not serve sandboxtemplates in .*agentsandbox, or turn it off/);
    expect((await early.ended).code).not.toBe(0);
    await addCrds('agentsandbox');
    const { program } = await place.controller({ modules: { ...both, grove: false } });
    await program.line(/controller synced/);
    await claimed('first');
    await program.kill();
  },
);

test(
  'a controller of Grove serves it where agent-sandbox has no CRDs, and one of both serves both',
  { timeout: 120_000 },
  async () => {
    await removeCrds();
    await addCrds('grove');
    const alone = await place.controller();
    await alone.program.line(/controller synced/);
    await deployed('alone');
    expect([...(await scrape(alone.url)).families].filter((one) => /sandbox/.test(one))).toEqual(
      [],
    );
    await alone.program.kill();
    await addCrds('agentsandbox');
    const { program, url } = await place.controller({ modules: both });
    await program.line(/controller synced/);
    await Promise.all([deployed('beside'), claimed('second')]);
    const claims = 'agent_sandbox_claim_creation_total';
    const metrics = await eventually(
      'the count of the claim',
      () => scrape(url),
      (one) => one.sum(claims) > 0,
    );
    expect(metrics.sum(claims, { launch_type: 'warm' })).toBe(1);
    const reconciles = metrics.of('controller_runtime_reconcile_total');
    const controllers = new Set(reconciles.map(({ labels }) => labels['controller']));
    expect([...controllers]).toEqual(
      expect.arrayContaining(['podcliqueset-controller', 'sandboxclaim-controller']),
    );
  },
);
