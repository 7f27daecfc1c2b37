// The CRDs of agent-sandbox: names, versions and subresources (spec 1.0), the defaults and rules of
// their schemas (1.1 to 1.4), and that the API server keeps to them.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { replaced } from '#test/admission/examples.ts';
import { Bench, definitions } from '#test/devcluster/api/support.ts';
import { crdObject, definitions as generated } from '#tools/crds/generate.ts';
import { groupOf, pathOf, pluralOf, sandboxObject, schemaCases } from './agent-sandbox-rules.ts';
import type { SandboxKind } from './agent-sandbox-rules.ts';

const crds = (generated['agentsandbox'] ?? []).map(
  (definition) => JSON.parse(JSON.stringify(crdObject(definition))) as JsonObject,
);

const scale = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.status.selector',
};

/** Kind, short name, subresources and columns of v1beta1, and the same of v1alpha1 (spec 1.0). */
const rows: readonly (readonly [SandboxKind, string, unknown, string[], unknown, string[]])[] = [
  ['Sandbox', 'sandbox', { status: {} }, ['Ready', 'Reason', 'Age'], { status: {}, scale }, []],
  ['SandboxTemplate', 'sandboxtemplate', undefined, [], undefined, []],
  [
    'SandboxClaim',
    'sandboxclaim',
    { status: {} },
    ['Ready', 'Sandbox', 'Reason', 'Age'],
    { status: {} },
    [],
  ],
  [
    'SandboxWarmPool',
    'swp',
    { status: {}, scale },
    ['Ready', 'Desired', 'Age'],
    { status: {}, scale },
    ['Ready', 'Desired', 'Age'],
  ],
];

const columnsOf = (version: unknown): unknown[] =>
  list(at(version, 'additionalPrinterColumns')).map((column) => at(column, 'name'));

describe('The CRDs of agent-sandbox', () => {
  test.each(rows)('of %s have two versions, the older one deprecated', (kind, short, ...more) => {
    const spec = at(
      crds.find((each) => at(each, 'spec', 'names', 'kind') === kind),
      'spec',
    );
    const group = groupOf(kind);
    expect(at(spec, 'group')).toBe(group);
    expect(at(spec, 'names')).toEqual({
      kind,
      listKind: `${kind}List`,
      plural: pluralOf(kind),
      singular: kind.toLowerCase(),
      shortNames: [short],
    });
    // Without a webhook until the controller says otherwise: it cannot be templated where it is.
    expect(at(spec, 'conversion')).toBeUndefined();
    const [stored, older] = list(at(spec, 'versions'));
    const [subresources, columns, olderSubresources, olderColumns] = more;
    expect(stored).toMatchObject({ name: 'v1beta1', served: true, storage: true });
    expect(stored).not.toHaveProperty('deprecated');
    expect(at(stored, 'subresources')).toEqual(subresources);
    expect(columnsOf(stored)).toEqual(columns);
    expect(older).toMatchObject({
      name: 'v1alpha1',
      served: true,
      storage: false,
      deprecated: true,
      deprecationWarning: `${group}/v1alpha1 ${kind} is deprecated; use ${group}/v1beta1 ${kind} instead`,
    });
    expect(at(older, 'subresources')).toEqual(olderSubresources);
    expect(columnsOf(older)).toEqual(olderColumns);
    expect(at(stored, 'schema', 'openAPIV3Schema', 'required')).toEqual(['spec']);
  });
});

const claimTemplate = { metadata: { name: 'data', labels: { a: 'b' } }, spec: {} };

describe('The API server', () => {
  const bench = new Bench();
  beforeAll(async () => {
    await bench.cluster.start();
    for (const crd of crds) await bench.post(definitions, crd);
  });
  afterAll(() => bench.cluster.stop());

  describe.each(schemaCases)('$id of $version: $kind $field', (rule) => {
    const { kind, version, before, accepts, refuses } = rule;
    const path = pathOf(kind, version, 'default');
    const send = async (given: typeof accepts) => {
      if (before === undefined) {
        return bench.post(`${path}?dryRun=All`, sandboxObject(kind, version, given));
      }
      const named = { ...before, 'metadata.name': `of-${rule.id.toLowerCase()}` };
      const first = await bench.post(path, sandboxObject(kind, version, named));
      const object =
        first.status === 201 ? first : await bench.get(`${path}/${named['metadata.name']}`);
      const name = named['metadata.name'];
      return bench.put(`${path}/${name}?dryRun=All`, replaced(object.body, given));
    };

    test('accepts its accepted example', async () => {
      expect((await send(accepts)).status).toBe(before === undefined ? 201 : 200);
    });

    test.each(refuses.map(([given, says]) => ({ given, says })))(
      'refuses $given',
      async ({ given, says }) => {
        const answer = await send(given);
        expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
        expect(answer.body['message']).toContain(says);
      },
    );
  });

  test.each([
    ['Sandbox', { shutdownPolicy: 'Retain', operatingMode: 'Running' }],
    [
      'SandboxTemplate',
      {
        networkPolicyManagement: 'Managed',
        envVarsInjectionPolicy: 'Disallowed',
        volumeClaimTemplatesPolicy: 'Disallowed',
      },
    ],
    ['SandboxClaim', {}],
    ['SandboxWarmPool', { replicas: 1 }],
  ] satisfies [SandboxKind, JsonObject][])(
    'fills in what a %s leaves out',
    async (kind, filled) => {
      const sent = sandboxObject(kind);
      const { body } = await bench.post(`${pathOf(kind, 'v1beta1', 'default')}?dryRun=All`, sent);
      expect(body['spec']).toEqual({ ...(sent['spec'] as JsonObject), ...filled });
    },
  );

  test('fills in the policy of a lifecycle, and the strategy of an update, where they are', async () => {
    const claim = sandboxObject('SandboxClaim', 'v1beta1', { 'spec.lifecycle': {} });
    const made = await bench.post(
      `${pathOf('SandboxClaim', 'v1beta1', 'default')}?dryRun=All`,
      claim,
    );
    expect(at(made.body, 'spec', 'lifecycle')).toEqual({ shutdownPolicy: 'Retain' });
    const pool = sandboxObject('SandboxWarmPool', 'v1beta1', { 'spec.updateStrategy': {} });
    const pools = pathOf('SandboxWarmPool', 'v1beta1', 'default');
    const { body } = await bench.post(`${pools}?dryRun=All`, pool);
    expect(at(body, 'spec', 'updateStrategy')).toEqual({ type: 'OnReplenish' });
  });

  test('fills in the same in v1alpha1, but one replica, and any pool', async () => {
    const made = async (kind: SandboxKind) =>
      (
        await bench.post(
          `${pathOf(kind, 'v1alpha1', 'default')}?dryRun=All`,
          sandboxObject(kind, 'v1alpha1'),
        )
      ).body;
    expect(at(await made('Sandbox'), 'spec')).toMatchObject({
      replicas: 1,
      shutdownPolicy: 'Retain',
    });
    expect(at(await made('SandboxClaim'), 'spec', 'warmpool')).toBe('default');
    expect(at(await made('SandboxTemplate'), 'spec')).not.toHaveProperty(
      'volumeClaimTemplatesPolicy',
    );
  });

  test('takes the pod of a stored template into a Sandbox as it is', async () => {
    const pod: JsonObject = {
      containers: [
        {
          name: 'main',
          image: 'example.org/main:1',
          ports: [{ containerPort: 8888 }],
          livenessProbe: { grpc: { port: 9090 } },
          resources: { requests: { cpu: 1, memory: '1024Mi' } },
          env: [{ name: 'A', valueFrom: { configMapKeyRef: { key: 'k' } } }],
        },
      ],
      volumes: [{ name: 'v', rbd: { image: 'i', monitors: ['m'] } }],
      imagePullSecrets: [{}],
    };
    const template = sandboxObject('SandboxTemplate', 'v1beta1', {
      'spec.podTemplate.spec': pod,
      'spec.volumeClaimTemplates': [claimTemplate],
    });
    const stored = await bench.post(pathOf('SandboxTemplate', 'v1beta1', 'default'), template);
    expect(at(stored.body, 'spec', 'podTemplate', 'spec', 'containers')).toMatchObject([
      { ports: [{ containerPort: 8888, protocol: 'TCP' }] },
    ]);
    const { podTemplate, volumeClaimTemplates } = stored.body['spec'] as JsonObject;
    const sandbox = sandboxObject('Sandbox', 'v1beta1', {
      'metadata.name': 'copied',
      'spec.podTemplate': podTemplate ?? null,
      'spec.volumeClaimTemplates': volumeClaimTemplates ?? null,
    });
    const { status, body } = await bench.post(pathOf('Sandbox', 'v1beta1', 'default'), sandbox);
    expect(status).toBe(201);
    expect(at(body, 'spec')).toMatchObject({ podTemplate, volumeClaimTemplates });
  });

  test('keeps of the metadata of pods and volumes what there is to say', async () => {
    const metadata = {
      name: 'x',
      labels: { a: 'b' },
      annotations: { c: 'd' },
      finalizers: ['e/f'],
    };
    const { body } = await bench.post(
      `${pathOf('Sandbox', 'v1beta1', 'default')}?dryRun=All`,
      sandboxObject('Sandbox', 'v1beta1', {
        'spec.podTemplate.metadata': metadata,
        'spec.volumeClaimTemplates': [{ ...claimTemplate, metadata }],
      }),
    );
    const { name, labels, annotations } = metadata;
    expect(at(body, 'spec', 'podTemplate', 'metadata')).toEqual({ labels, annotations });
    expect(list(at(body, 'spec', 'volumeClaimTemplates'))).toMatchObject([
      { metadata: { name, labels, annotations } },
    ]);
  });

  test('shows columns out of conditions', async () => {
    const path = pathOf('Sandbox', 'v1beta1', 'default');
    const made = await bench.post(path, sandboxObject('Sandbox'));
    const condition = {
      type: 'Ready',
      status: 'False',
      reason: 'SandboxSuspended',
      message: '',
      lastTransitionTime: '2026-11-22T20:00:00Z',
    };
    await bench.put(`${path}/base/status`, { ...made.body, status: { conditions: [condition] } });
    const { body } = await bench.get(
      `${path}/base`,
      'application/json;as=Table;g=meta.k8s.io;v=v1',
    );
    expect(list(at(list(body['rows'])[0], 'cells')).slice(0, 3)).toEqual([
      'base',
      'False',
      'SandboxSuspended',
    ]);
  });
});
