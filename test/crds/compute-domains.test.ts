// The CRDs of ComputeDomains are those that NVIDIA's kubelet plugin and daemons were built for
// (spec compute-domain 1.1, 1.2), and the API server keeps to them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { crd, crdSchema } from '#test/devcluster/schema/crd-fixtures.ts';
import { Bench, definitions } from '#test/devcluster/api/support.ts';

const group = '/apis/resource.nvidia.com/v1beta1/namespaces/default';
const domains = `${group}/computedomains`;
const cliques = `${group}/computedomaincliques`;

const domain = (name: string, spec: JsonObject = {}): JsonObject => ({
  apiVersion: 'resource.nvidia.com/v1beta1',
  kind: 'ComputeDomain',
  metadata: { name },
  spec: { channel: { resourceClaimTemplate: { name: `${name}-channel` } }, ...spec },
});

const row = (nodeName: string, more: JsonObject = {}): JsonObject => ({
  nodeName,
  ipAddress: '10.0.0.1',
  cliqueID: 'fabric.0',
  ...more,
});

const clique = (name: string, daemons: JsonObject[]): JsonObject => ({
  apiVersion: 'resource.nvidia.com/v1beta1',
  kind: 'ComputeDomainClique',
  metadata: { name },
  daemons,
});

const readiness = { type: 'string', enum: ['Ready', 'NotReady'], default: 'NotReady' };

describe('The schemas of ComputeDomains', () => {
  test('have plain words as enums and defaults (HC-74)', () => {
    const schema = crdSchema('computedomains');
    const status = at(schema, 'properties', 'status', 'properties');
    expect(at(status, 'status')).toMatchObject(readiness);
    expect(at(status, 'nodes', 'items', 'properties', 'status')).toMatchObject(readiness);
    const channel = at(schema, 'properties', 'spec', 'properties', 'channel');
    expect(at(channel, 'properties', 'allocationMode')).toMatchObject({
      type: 'string',
      enum: ['All', 'Single'],
      default: 'Single',
    });
    const daemons = at(crdSchema('computedomaincliques'), 'properties', 'daemons');
    expect(at(daemons, 'items', 'properties', 'status')).toMatchObject(readiness);
  });

  test.each([
    ['computedomains', 'ComputeDomain', { status: {} }],
    ['computedomaincliques', 'ComputeDomainClique', undefined],
  ])('of %s have one version and no columns or short names', (plural, kind, subresources) => {
    const spec = at(crd(plural), 'spec');
    expect(at(spec, 'names')).toEqual({
      kind,
      listKind: `${kind}List`,
      plural,
      singular: kind.toLowerCase(),
    });
    expect(at(spec, 'scope')).toBe('Namespaced');
    expect(at(spec, 'versions')).toEqual([
      {
        name: 'v1beta1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: crdSchema(plural) },
        ...(subresources === undefined ? {} : { subresources }),
      },
    ]);
  });
});

describe('The API server', () => {
  const bench = new Bench();
  beforeAll(async () => {
    await bench.cluster.start();
    for (const plural of ['computedomains', 'computedomaincliques']) {
      await bench.post(definitions, crd(plural));
    }
  });
  afterAll(() => bench.cluster.stop());

  test('refuses two rows of one node, and two nodes of one name (422)', async () => {
    const twice = await bench.post(cliques, clique('twice', [row('a'), row('b'), row('a')]));
    expect(twice).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(JSON.stringify(twice.body)).toMatch(/daemons\[2\].*Duplicate value/);

    const { body } = await bench.post(domains, domain('twice'));
    const node = { name: 'a', ipAddress: '10.0.0.1', cliqueID: '' };
    const status = { status: 'Ready', nodes: [node, node] };
    const answer = await bench.put(`${domains}/twice/status`, { ...body, status });
    expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });

  test('takes two rows with one index, which is why somebody must see to it', async () => {
    const rows = [row('a', { index: 3 }), row('b', { index: 3 }), row('c', { index: -7 })];
    const { status, body } = await bench.post(cliques, clique('same', rows));
    expect(status).toBe(201);
    expect(list(body['daemons']).map((one) => at(one, 'index'))).toEqual([3, 3, -7]);
  });

  test('prunes what it does not know of a row, and fills in its status', async () => {
    const { status, body } = await bench.post(
      cliques,
      clique('pruned', [row('a', { index: 0, podUid: 'u', reserved: true })]),
    );
    expect(status).toBe(201);
    expect(body['daemons']).toEqual([row('a', { index: 0, status: 'NotReady' })]);
  });

  test('refuses another word for readiness', async () => {
    const wrong = clique('wrong', [row('a', { status: 'UmVhZHk=' })]);
    expect(await bench.post(cliques, wrong)).toMatchObject({ status: 422 });
  });

  test('fills in what a ComputeDomain leaves out', async () => {
    const { status, body } = await bench.post(domains, domain('plain'));
    expect(status).toBe(201);
    expect(body['spec']).toEqual({
      numNodes: 0,
      channel: { resourceClaimTemplate: { name: 'plain-channel' }, allocationMode: 'Single' },
    });
    expect(body).not.toHaveProperty('status');
  });

  test.each([
    ['no channel', { channel: null }],
    ['a channel without a template', { channel: {} }],
    ['a template without a name', { channel: { resourceClaimTemplate: {} } }],
    ['fewer nodes than none', { numNodes: -1 }],
  ] satisfies [string, JsonObject][])('refuses a ComputeDomain with %s', async (_, spec) => {
    expect(await bench.post(domains, domain('bad', spec))).toMatchObject({ status: 422 });
  });

  test('lets nobody change the spec, but everything else (HC-59)', async () => {
    await bench.post(domains, domain('fixed', { numNodes: 2 }));
    const labels = { metadata: { labels: { a: 'b' } } };
    const labelled = await bench.patch(`${domains}/fixed`, labels);
    expect(labelled).toMatchObject({ status: 200 });
    const more = await bench.patch(`${domains}/fixed`, { spec: { numNodes: 3 } });
    expect(more).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
    expect(at(more.body, 'message')).toBe(
      'ComputeDomain.resource.nvidia.com "fixed" is invalid: spec: Invalid value: ' +
        'A computeDomain.spec is immutable',
    );
    const status = { status: 'Ready', nodes: [{ name: 'a', ipAddress: '', cliqueID: '' }] };
    const told = await bench.put(`${domains}/fixed/status`, { ...labelled.body, status });
    expect(told).toMatchObject({ status: 200 });
    expect(list(at(told.body, 'status', 'nodes'))).toMatchObject([{ status: 'NotReady' }]);
  });

  test('has the status of a ComputeDomain beside it, and no status of a clique', async () => {
    const sent = { ...domain('beside'), status: { status: 'Ready' } };
    expect((await bench.post(domains, sent)).body).not.toHaveProperty('status');
    await bench.post(cliques, clique('beside', []));
    expect(await bench.get(`${cliques}/beside/status`)).toMatchObject({ status: 404 });
  });
});
