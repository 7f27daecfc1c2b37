// Admission as a whole on the embedded cluster: it makes its certificate, serves, registers itself,
// and what people send to the API server is defaulted, refused or protected.
import { X509Certificate } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Admission } from '#src/admission/start.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { installCrds } from '#src/dev/crds.ts';
import type { User } from '#src/devcluster/auth/user.ts';
import { type Cluster, createCluster } from '#src/devcluster/cluster.ts';
import type { KubeResponse } from '#src/kube/transport/transport.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { patient } from '#test/support/eventually.ts';
import { startGroveAdmission } from '#test/support/admission.ts';
import { baseBinding, baseSet, replaced } from './examples.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const operator: User = {
  name: 'system:serviceaccount:default:grove-operator',
  groups: ['system:masters'],
};
const alice: User = { name: 'alice', groups: ['system:masters'] };

function configuration(
  more: Partial<Configuration> = {},
  registration: Configuration['admission']['registration'] = 'url',
): Configuration {
  return {
    ...defaultConfiguration,
    ...more,
    admission: {
      ...defaultConfiguration.admission,
      enabled: true,
      bindAddress: '127.0.0.1',
      port: 0,
      registration,
    },
  };
}

interface Running {
  readonly cluster: Cluster;
  readonly admission: Admission;
  send(
    method: 'POST' | 'PUT' | 'DELETE' | 'GET',
    path: string,
    body?: JsonObject,
    user?: User,
  ): Promise<KubeResponse>;
}

async function start(
  more: Partial<Configuration> = {},
  { registration }: Pick<Configuration['admission'], 'registration'> = { registration: 'url' },
): Promise<Running> {
  const ports = { clock: systemClock, random: systemRandom };
  const cluster = createCluster({ ...ports, controllers: false });
  ends.push(() => cluster.stop());
  await cluster.start();
  await installCrds(cluster.transport());
  const admission = startGroveAdmission({
    configuration: configuration(more, registration),
    transport: cluster.transport(operator),
    namespace: 'default',
    clock: systemClock,
    log: () => {},
  });
  ends.push(() => admission.stop());
  await vi.waitFor(() => expect(admission.ready.run()).toBeUndefined(), patient);
  return {
    cluster,
    admission,
    send: (method, path, body, user = alice) =>
      cluster.transport(user).request({ method, path, ...(body === undefined ? {} : { body }) }),
  };
}

const sets = '/apis/grove.io/v1alpha1/namespaces/default/podcliquesets';
const minimal = replaced(baseSet, {
  'spec.template.terminationDelay': null,
  'spec.template.headlessServiceConfig': null,
  'spec.template.cliques[0].spec.minAvailable': null,
});
const managed: JsonObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'base-0-router',
    labels: {
      'app.kubernetes.io/managed-by': 'grove-operator',
      'app.kubernetes.io/part-of': 'base',
    },
  },
};

describe('Admission', () => {
  it('fills in defaults of what is created', async () => {
    const { send } = await start();
    const { status, body } = await send('POST', sets, minimal);
    expect(status).toBe(201);
    expect(at(body, 'spec', 'template', 'terminationDelay')).toBe('4h0m0s');
    expect(at(body, 'spec', 'template', 'headlessServiceConfig')).toEqual({
      publishNotReadyAddresses: true,
    });
  });

  it('says how long the certificate is good for that it serves', async () => {
    const { admission } = await start();
    const { certificateDays } = configuration().admission.certificates;
    const days = ((admission.servedUntil() ?? 0) - systemClock.now()) / 86_400_000;
    expect(Math.round(days)).toBe(certificateDays);
  });

  it.each([
    ['url', true],
    ['service', false],
  ] as const)(
    'registered by %s is certified for this machine: %s',
    async (registration, isLocal) => {
      const usual = configuration().admission;
      const { send } = await start({}, { registration });
      const path = `/api/v1/namespaces/default/secrets/${usual.certificates.secretName}`;
      const { body } = await send('GET', path);
      const pem = Buffer.from(String(at(body, 'data', 'tls.crt')), 'base64');
      const { subjectAltName = '' } = new X509Certificate(pem);
      expect(subjectAltName).toContain(`DNS:${usual.serviceName}.default.svc,`);
      expect(subjectAltName.includes('DNS:localhost')).toBe(isLocal);
      expect(subjectAltName.includes('127.0.0.1')).toBe(isLocal);
    },
  );

  it('refuses with every error, as Kubernetes writes them', async () => {
    const { send } = await start();
    const broken = replaced(minimal, {
      'spec.template.cliques[0].spec.minAvailable': 7,
      'spec.template.cliques[1].spec.roleName': 'router',
    });
    const { status, body } = await send('POST', sets, broken);
    expect(status).toBe(403);
    expect(at(body, 'message')).toBe(
      'admission webhook "pcs.validating.webhooks.grove.io" denied the request: ' +
        '[spec.template.cliques[0].spec.minAvailable: Invalid value: 7:' +
        ' must not be greater than replicas (2), ' +
        'spec.template.cliques.roleName: Duplicate value: "router"]',
    );
    expect(at(body, 'details', 'causes')).toHaveLength(2);
  });

  it('refuses an update of what cannot change and accepts one of what can', async () => {
    const { send } = await start();
    const created = (await send('POST', sets, minimal)).body;
    const stored = JSON.parse(JSON.stringify(created)) as JsonObject;
    const fixed = replaced(stored, { 'spec.template.cliques[0].spec.roleName': 'front' });
    const refused = await send('PUT', `${sets}/base`, fixed);
    expect(at(refused.body, 'message')).toContain(
      'spec.template.cliques.spec.roleName: Invalid value: "front": field is immutable',
    );
    const scaled = replaced(stored, { 'spec.replicas': 3 });
    expect((await send('PUT', `${sets}/base`, scaled)).status).toBe(200);
  });

  it('has what cannot change refused by the schema too, so also while it is away', async () => {
    const { send, admission } = await start();
    const created = (await send('POST', sets, minimal)).body;
    const stored = JSON.parse(JSON.stringify(created)) as JsonObject;
    await admission.stop();
    const template = 'spec.template';
    const said = async (values: Parameters<typeof replaced>[1]): Promise<unknown> =>
      at((await send('PUT', `${sets}/base`, replaced(stored, values))).body, 'message');
    // The webhooks fail first; without them registered the schema is what is left.
    for (const kind of ['mutating', 'validating']) {
      const path = `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`;
      await send('DELETE', path);
    }
    expect(await said({ [`${template}.cliqueStartupType`]: 'CliqueStartupTypeInOrder' })).toContain(
      'spec.template.cliqueStartupType: Invalid value',
    );
    expect(await said({ [`${template}.cliques[2]`]: null })).toContain(
      'spec.template.cliques: Forbidden: the number of cliques cannot change',
    );
    expect(await said({ [`${template}.podCliqueScalingGroups`]: null })).toContain(
      'spec.template.podCliqueScalingGroups: Forbidden: the number of scaling groups cannot change',
    );
    expect(
      (await send('PUT', `${sets}/base`, replaced(stored, { 'spec.replicas': 2 }))).status,
    ).toBe(200);
  });

  it('judges bindings', async () => {
    const { send } = await start();
    const path = '/apis/grove.io/v1alpha1/clustertopologybindings';
    const twice = replaced(baseBinding, { 'spec.levels[0].key': 'topology.io/rack' });
    const { body } = await send('POST', path, twice);
    expect(at(body, 'message')).toContain('spec.levels[1].key: Duplicate value');
    expect((await send('POST', path, baseBinding)).status).toBe(201);
  });

  it('looks topologies up in the cluster', async () => {
    const { send } = await start({ topologyAwareScheduling: { enabled: true } });
    const path = 'spec.template.topologyConstraint';
    const set = replaced(minimal, {
      [path]: { topologyName: 'fabric', pack: { required: 'rack' } },
    });
    expect(at((await send('POST', sets, set)).body, 'message')).toContain(
      `${path}.topologyName: Invalid value: "fabric": there is no ClusterTopologyBinding`,
    );
    await send('POST', '/apis/grove.io/v1alpha1/clustertopologybindings', baseBinding);
    expect((await send('POST', sets, set)).status).toBe(201);
  });

  it('protects what the controller manages from everybody else', async () => {
    const { send } = await start({
      authorizer: { enabled: true, exemptServiceAccountUserNames: ['bob'] },
    });
    await send('POST', sets, minimal);
    const path = '/api/v1/namespaces/default/services';
    const service: JsonObject = { ...managed, kind: 'Service', spec: { clusterIP: 'None' } };
    expect((await send('POST', path, service, operator)).status).toBe(201);
    const deleted = await send('DELETE', `${path}/base-0-router`);
    expect(deleted.status).toBe(403);
    expect(at(deleted.body, 'message')).toContain('"alice" may not delete it');
    const bob = { name: 'bob', groups: ['system:masters'] };
    expect((await send('DELETE', `${path}/base-0-router`, undefined, bob)).status).toBe(200);
  });

  it("is in nobody's way while it is away, but in that of what it judges", async () => {
    const { send, admission } = await start({
      authorizer: { enabled: true, exemptServiceAccountUserNames: [] },
    });
    await send('POST', sets, { ...minimal, metadata: { name: 'old', namespace: 'default' } });
    await admission.stop();
    const { status, body } = await send('POST', sets, minimal);
    expect(status).toBe(500);
    expect(at(body, 'message')).toContain(
      'failed calling webhook "pcs.defaulting.webhooks.grove.io"',
    );
    // Others' objects, status, deletion and what is being deleted.
    const maps = '/api/v1/namespaces/default/configmaps';
    expect((await send('POST', maps, managed)).status).toBe(201);
    const old = JSON.parse(JSON.stringify((await send('GET', `${sets}/old`)).body)) as JsonObject;
    expect((await send('PUT', `${sets}/old/status`, old)).status).toBe(200);
    expect((await send('DELETE', `${sets}/old`)).status).toBe(200);
  });

  it('lets finalizers go from an object that is being deleted while it is away', async () => {
    const { send, admission } = await start();
    const finalizers = ['grove.io/podcliqueset.grove.io'];
    await send('POST', sets, replaced(minimal, { 'metadata.finalizers': finalizers }));
    await send('DELETE', `${sets}/base`);
    await admission.stop();
    const stored = JSON.parse(
      JSON.stringify((await send('GET', `${sets}/base`)).body),
    ) as JsonObject;
    expect(at(stored, 'metadata', 'deletionTimestamp')).toBeDefined();
    const freed = replaced(stored, { 'metadata.finalizers': [] });
    expect((await send('PUT', `${sets}/base`, freed)).status).toBe(200);
    expect((await send('GET', `${sets}/base`)).status).toBe(404);
  });
});
