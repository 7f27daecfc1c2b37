// What the chart sets by default, and what its switches change: high availability, NATS, monitors,
// certificates, roles for people.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { crdFolder } from '#src/modules/crds.ts';
import { release, rendered, unbuilt } from '#test/cluster/chart.ts';
import { combinations } from './combinations.ts';
import { nameOf, objectsIn, ofKind, podsIn } from './manifests.ts';

const skip = unbuilt('helm');

describe.skipIf(skip !== '')(`The chart${skip}`, () => {
  let folder = '';
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-values-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const render = async (values: JsonObject = {}): Promise<readonly JsonObject[]> =>
    objectsIn(await rendered(folder, values));
  const combined = (name: string) => render(combinations[name]?.values);

  it('runs two processes, apart from each other, of which a drain takes one at a time', async () => {
    const manifests = await render();
    const deployment = ofKind(manifests, 'Deployment')[release];
    expect(at(deployment, 'spec', 'replicas')).toBe(2);
    const selector = object(at(deployment, 'spec', 'selector', 'matchLabels'));
    const spec = object(at(deployment, 'spec', 'template', 'spec'));
    expect(spec['priorityClassName']).toBe('system-cluster-critical');
    expect(
      list(spec['topologySpreadConstraints']).map((each) => [
        text(at(each, 'topologyKey')),
        at(each, 'labelSelector', 'matchLabels'),
      ]),
    ).toEqual([
      ['kubernetes.io/hostname', selector],
      ['topology.kubernetes.io/zone', selector],
    ]);
    const budget = ofKind(manifests, 'PodDisruptionBudget')[release];
    expect(at(budget, 'spec')).toEqual({
      maxUnavailable: 1,
      unhealthyPodEvictionPolicy: 'AlwaysAllow',
      selector: { matchLabels: selector },
    });
  });

  it('never runs two processes that know nothing of each other', async () => {
    const strategy = async (name: string): Promise<unknown> =>
      at(ofKind(await combined(name), 'Deployment')[release], 'spec', 'strategy');
    expect(await strategy('single')).toEqual({ type: 'Recreate' });
    expect(await strategy('defaults')).toEqual({
      rollingUpdate: { maxSurge: 1, maxUnavailable: 0 },
    });
  });

  it('gives the controller further variables', async () => {
    const env = [
      { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'http://collector:4318' },
      {
        name: 'OTEL_EXPORTER_OTLP_HEADERS',
        valueFrom: { secretKeyRef: { name: 'collector', key: 'headers' } },
      },
    ];
    const [container] = list(at(podsIn(await render({ env }))[release], 'spec', 'containers'));
    expect(at(container, 'env')).toEqual(expect.arrayContaining(env));
  });

  it('asks a process whether it lives, and whether it is ready', async () => {
    const [container] = list(at(podsIn(await render())[release], 'spec', 'containers'));
    const asked = ['startupProbe', 'livenessProbe', 'readinessProbe'].map((probe) =>
      at(container, probe, 'httpGet', 'path'),
    );
    expect(asked).toEqual(['/livez', '/livez', '/readyz']);
  });

  it('has neither a NATS server nor a word of one by default', async () => {
    const manifests = await render();
    expect(Object.keys(podsIn(manifests))).not.toContain(`${release}-nats`);
    const config: unknown = parse(configOf(manifests));
    expect(at(config, 'bus')).toEqual({ enabled: false });
  });

  it('leads its processes to the NATS server that it brings, with the token of both', async () => {
    const manifests = await combined('with NATS');
    const service = ofKind(manifests, 'Service')[`${release}-nats`];
    const bus = object(at(parse(configOf(manifests)), 'bus'));
    const host = `${nameOf(service)}.${text(at(service, 'metadata', 'namespace'))}.svc`;
    expect(bus).toEqual({
      enabled: true,
      servers: [`nats://${host}:4222`],
      tokenFile: '/var/run/secrets/nats/token',
    });
    const [server] = list(at(podsIn(manifests)[`${release}-nats`], 'spec', 'containers'));
    const [token] = list(at(server, 'env'));
    expect(at(token, 'valueFrom', 'secretKeyRef')).toEqual({
      name: 'coppice-nats-token',
      key: 'token',
    });
  });

  it('mounts credentials of NATS and the authority of its servers', async () => {
    const pod = podsIn(await combined('with your NATS'))[release];
    const [container] = list(at(pod, 'spec', 'containers'));
    const mounts = list(at(container, 'volumeMounts')).map((each) => text(at(each, 'mountPath')));
    expect(mounts).toEqual(['/etc/coppice', '/var/run/secrets/nats', '/var/run/secrets/nats-ca']);
    const secrets = list(at(pod, 'spec', 'volumes')).map((each) =>
      at(each, 'secret', 'secretName'),
    );
    expect(secrets).toEqual([undefined, 'nats-access', 'nats-authority']);
  });

  it('has metrics on loopback and over TLS, or, where the values say so, in plain HTTP', async () => {
    const ports = (manifests: readonly JsonObject[]): readonly string[] =>
      list(at(ofKind(manifests, 'Service')[release], 'spec', 'ports')).map((port) =>
        text(at(port, 'name')),
      );
    const manifests = await render();
    expect(ports(manifests)).toEqual(['webhooks', 'questions']);
    expect(at(parse(configOf(manifests)), 'server')).toEqual({ metricsBindAddress: '127.0.0.1' });
    const plain = await combined('single');
    expect(ports(plain)).toEqual(['metrics']);
    expect(ofKind(plain, 'ClusterRole')).not.toHaveProperty(`${release}-metrics`);
  });

  it('lets the Prometheus operator scrape over TLS, with a token for that alone', async () => {
    const manifests = await combined('monitored');
    const role = ofKind(manifests, 'ClusterRole')[`${release}-metrics`];
    expect(at(role, 'rules')).toEqual([{ nonResourceURLs: ['/metrics'], verbs: ['get'] }]);
    const service = text(at(ofKind(manifests, 'Service')[release], 'metadata', 'namespace'));
    const endpoint = {
      port: 'questions',
      path: '/metrics',
      scheme: 'https',
      authorization: { credentials: { name: `${release}-metrics`, key: 'token' } },
      tlsConfig: {
        serverName: `${release}.${service}.svc`,
        ca: { secret: { name: 'coppice-questions-cert', key: 'ca.crt' } },
      },
    };
    const [servicemonitor, podmonitor] = ['ServiceMonitor', 'PodMonitor'].map((kind) =>
      at(ofKind(manifests, kind)[release], 'spec'),
    );
    expect(at(servicemonitor, 'endpoints')).toEqual([endpoint]);
    expect(at(podmonitor, 'podMetricsEndpoints')).toEqual([endpoint]);
  });

  it('has its certificate of cert-manager for the names of its Service, where they are asked', async () => {
    const manifests = await combined('with cert-manager');
    const certificate = at(ofKind(manifests, 'Certificate')[`${release}-webhooks`], 'spec');
    const volume = list(at(podsIn(manifests)[release], 'spec', 'volumes')).find(
      (each) => at(each, 'name') === 'webhooks',
    );
    expect(at(volume, 'secret', 'secretName')).toBe(at(certificate, 'secretName'));
    expect(list(at(certificate, 'dnsNames'))[0]).toBe(`${release}.coppice-system.svc`);
    const issuerRef = { name: 'company', kind: 'ClusterIssuer' };
    const named = await render({ certManager: { enabled: true, issuerRef } });
    expect(Object.keys(ofKind(named, 'Issuer'))).toEqual([]);
    const [only] = Object.values(ofKind(named, 'Certificate'));
    expect(at(only, 'spec', 'issuerRef')).toEqual(issuerRef);
  });

  it('gives people who may view, edit or administer the rights on all kinds of its modules', async () => {
    const manifests = await combined('everything');
    const roles = ofKind(manifests, 'ClusterRole');
    const rights = (name: string): ReadonlyMap<string, readonly string[]> =>
      new Map(
        list(at(roles[`${release}-${name}`], 'rules')).flatMap((rule) =>
          list(at(rule, 'resources')).map((resource) => [
            `${text(resource)}.${text(list(at(rule, 'apiGroups'))[0])}`,
            list(at(rule, 'verbs')).map(text),
          ]),
        ),
      );
    const kinds = ['grove', 'nvidia', 'agentsandbox'].flatMap((module) =>
      readdirSync(crdFolder(module)).map((file) =>
        nameOf(parse(readFileSync(crdFolder(module) + file, 'utf8'))),
      ),
    );
    expect([...rights('view').keys()].toSorted()).toEqual(kinds.toSorted());
    for (const [, verbs] of rights('view')) expect(verbs).toEqual(['get', 'list', 'watch']);
    // What is made by Coppice is for administrators.
    const made = kinds.filter((kind) => !rights('edit').has(kind));
    expect(made.toSorted()).toEqual([
      'computedomaincliques.resource.nvidia.com',
      'podcliques.grove.io',
      'podcliquescalinggroups.grove.io',
      'podgangs.scheduler.grove.io',
    ]);
    expect([...rights('admin').keys()].toSorted()).toEqual(kinds.toSorted());
    const labels = ['view', 'edit', 'admin'].map((name) =>
      at(
        roles[`${release}-${name}`],
        'metadata',
        'labels',
        `rbac.authorization.k8s.io/aggregate-to-${name}`,
      ),
    );
    expect(labels).toEqual(['true', 'true', 'true']);
    const none = ofKind(await render({ aggregatedRoles: false }), 'ClusterRole');
    expect(Object.keys(none)).not.toContain(`${release}-view`);
  });

  it('applies the CRDs before an upgrade by an account that may do nothing else', async () => {
    const manifests = await combined('sandboxes');
    const names = readdirSync(crdFolder('agentsandbox')).map((file) =>
      nameOf(parse(readFileSync(crdFolder('agentsandbox') + file, 'utf8'))),
    );
    expect(at(ofKind(manifests, 'ClusterRole')[`${release}-crds`], 'rules')).toEqual([
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        resourceNames: names.toSorted(),
        verbs: ['get', 'create', 'patch'],
      },
    ]);
    const off = await render({ crds: { upgrade: false } });
    expect(Object.keys(podsIn(off))).toEqual([release]);
    const nothing = await render({ config: { modules: { grove: false } } });
    expect(Object.keys(podsIn(nothing))).toEqual([release]);
  });
});

const configOf = (manifests: readonly JsonObject[]): string =>
  text(at(ofKind(manifests, 'ConfigMap')[release], 'data', 'config.yaml'));
