// An installation of Coppice as objects of an embedded cluster, as the chart and a controller leave
// it, healthy, and what a test needs to break it. For check.test.ts.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339Micro } from '#machines/kubernetes/time.ts';
import { webhookConfigurations } from '#src/admission/registration.ts';
import { enabledWebhooks } from '#src/admission/webhooks.ts';
import type { Finding, FindingCode } from '#src/check/finding.ts';
import { checkInstallation, configuredBy, podsOf } from '#src/check/run.ts';
import { type Cluster, createCluster } from '#src/devcluster/cluster.ts';
import { installCrds } from '#src/dev/crds.ts';
import type { KubeRequest, KubeResponse, KubeTransport } from '#src/kube/transport/transport.ts';
import { leaseBody } from '#src/leases/objects.ts';
import { createAuthority, validFrom } from '#src/tls/authority.ts';
import { systemClock } from '#src/time/clock.ts';
import { eventually } from '#test/support/eventually.ts';
import { seeded } from '#test/support/virtual-clock.ts';

export const namespace = 'coppice-system';
export const shards = 2;

const core = `/api/v1/namespaces/${namespace}`;
export const paths = {
  configMap: `${core}/configmaps/coppice`,
  service: `${core}/services/coppice`,
  secret: `${core}/secrets/grove-webhook-server-cert`,
  pod: `${core}/pods/coppice-0`,
  leases: `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`,
  crds: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  webhook:
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/podcliqueset-validating-webhook',
} as const;

export const configuration = (more: JsonObject = {}): JsonObject => ({
  apiVersion: 'coppice.dev/v1alpha1',
  kind: 'CoppiceConfiguration',
  modules: { grove: true, agentsandbox: false },
  bus: { enabled: false },
  leases: { enabled: true, durationSeconds: 15 },
  shards,
  admission: { enabled: true, registration: 'service', serviceName: 'coppice' },
  ...more,
});

export class Installation {
  readonly cluster: Cluster = createCluster({
    clock: systemClock,
    random: seeded(1),
    controllers: false,
  });
  readonly transport: KubeTransport = this.cluster.transport();

  async start(): Promise<void> {
    await this.cluster.start();
    await installCrds(this.transport);
    await this.post('/api/v1/namespaces', { metadata: { name: namespace } }, 'v1', 'Namespace');
    await this.post(
      `${core}/configmaps`,
      {
        metadata: { name: 'coppice' },
        data: { 'config.yaml': JSON.stringify(configuration()) },
      },
      'v1',
      'ConfigMap',
    );
    const ports = [{ name: 'webhooks', port: 2750 }];
    await this.post(
      `${core}/services`,
      { metadata: { name: 'coppice' }, spec: { ports } },
      'v1',
      'Service',
    );
    const account = { metadata: { name: 'coppice' } };
    await this.post(`${core}/serviceaccounts`, account, 'v1', 'ServiceAccount');
    await this.pod();
    await this.webhooks();
    await this.lease({ type: 'member', member: 'c0', joinedAt: 1, leaving: false });
    for (let shard = 0; shard < shards; shard++) await this.shard(shard, 'c0');
  }

  /** What is found now; `path` is answered as this test wants it. */
  async findings(instead?: Instead, at = systemClock): Promise<readonly Finding[]> {
    const transport = instead === undefined ? this.transport : answering(this.transport, instead);
    const pods = await podsOf(this.transport, undefined);
    const report = await checkInstallation({
      transport,
      clock: at,
      version: '0.1.0',
      configured: await configuredBy(this.transport, pods?.[0]),
      namespace,
      pods,
      isInPods: true,
      account: `system:serviceaccount:${namespace}:coppice`,
    });
    return report.results.flatMap(({ findings }) => findings);
  }

  async send(method: KubeRequest['method'], path: string, body?: JsonObject): Promise<JsonObject> {
    const contentType = 'application/merge-patch+json';
    const response = await this.transport.request({
      ...{ method, path, body },
      ...(method === 'PATCH' ? { contentType } : {}),
    });
    if (response.status >= 300) {
      throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(response.body)}`);
    }
    // It is what the server sent.
    return response.body as JsonObject;
  }

  async post(path: string, body: JsonObject, apiVersion: string, kind: string): Promise<void> {
    await this.send('POST', path, { apiVersion, kind, ...body });
  }

  /** Takes an object away while a test runs; the result puts it back. */
  async without(path: string): Promise<() => Promise<void>> {
    const { status: _, ...object } = await this.send('GET', path);
    await this.delete(path);
    const { resourceVersion: _version, uid: _uid, ...metadata } = object['metadata'] as JsonObject;
    const collection = path.slice(0, path.lastIndexOf('/'));
    return async () => void (await this.send('POST', collection, { ...object, metadata }));
  }

  /** Until it is gone: a CRD takes a moment. */
  async delete(path: string): Promise<void> {
    await this.send('DELETE', path);
    const ask = async () => (await this.transport.request({ method: 'GET', path })).status;
    await eventually('gone', ask, (status) => status === 404);
  }

  async pod(image = 'coppice:0.1.0', name = 'coppice-0'): Promise<void> {
    const labels = { 'app.kubernetes.io/name': 'coppice' };
    const spec = {
      serviceAccountName: 'coppice',
      containers: [{ name: 'controller', image }],
      volumes: [{ name: 'configuration', configMap: { name: 'coppice' } }],
    };
    await this.post(`${core}/pods`, { metadata: { name, labels }, spec }, 'v1', 'Pod');
    const conditions = [{ type: 'Ready', status: 'True' }];
    await this.send('PATCH', `${core}/pods/${name}/status`, { status: { conditions } });
  }

  async webhooks(days = 30): Promise<void> {
    const authority = await createAuthority('coppice', Date.now());
    const past = Date.now() - 40 * 24 * 3_600_000;
    const validity = days > 0 ? undefined : validFrom(past, 1);
    const server = await authority.server(['coppice.coppice-system.svc'], [], validity);
    const base64 = (text: string): string => Buffer.from(text).toString('base64');
    const data = { 'ca.crt': base64(authority.cert), 'tls.crt': base64(server.cert) };
    const metadata = { name: 'grove-webhook-server-cert' };
    await this.post(`${core}/secrets`, { metadata, data }, 'v1', 'Secret');
    const service = { name: 'coppice', namespace, port: 2750 };
    const all = webhookConfigurations({
      clientConfig: (path) => ({ service: { ...service, path } }),
      authorities: authority.cert,
      webhooks: enabledWebhooks(false),
      trusted: [],
    });
    for (const one of all) {
      const plural = `${String(one['kind']).toLowerCase()}s`;
      await this.send('POST', `/apis/admissionregistration.k8s.io/v1/${plural}`, one);
    }
  }

  lease(draft: Parameters<typeof leaseBody>[0], renewedMs = 0): Promise<JsonObject> {
    const stamp = { namespace, durationSeconds: 15, now: Date.now() + renewedMs };
    return this.send('POST', paths.leases, leaseBody(draft, stamp));
  }

  shard(shard: number, holder: string): Promise<JsonObject> {
    return this.lease({ type: 'shard', shard, holder, epoch: 1, written: {} });
  }

  async renewed(offsetMs: number): Promise<void> {
    const renewTime = rfc3339Micro(Date.now() + offsetMs);
    await this.send('PATCH', `${paths.leases}/coppice-member-c0`, { spec: { renewTime } });
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }
}

/** A path and its answer; an error stands for none. */
export interface Instead {
  readonly path: RegExp;
  readonly answer: () => Partial<KubeResponse>;
}

function answering(transport: KubeTransport, { path, answer }: Instead): KubeTransport {
  return {
    watch: (watched, sink) => transport.watch(watched, sink),
    request: (request) =>
      path.test(request.path)
        ? Promise.resolve().then(() => ({ status: 200, headers: {}, body: {}, ...answer() }))
        : transport.request(request),
  };
}

export const codes = (findings: readonly Finding[]): readonly FindingCode[] => [
  ...new Set(findings.map(({ code }) => code)),
];
