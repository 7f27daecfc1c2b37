// The whole activator on real sockets, without Knative: a request for a revision that has no pod
// wakes it, is answered by its first pod, and leaves it to go to zero again.
import { createServer, type Server } from 'node:http';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { at, count } from '#machines/kubernetes/json.ts';
import { startActivatorProcess } from '#src/activator/process.ts';
import { decodeText } from '#src/config/decode.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { createLog } from '#src/log/log.ts';
import { systemClock, systemIds, systemRandom } from '#src/time/clock.ts';
import { activatorConfiguration } from '#test/support/activator-configuration.ts';
import { freePort } from '#test/support/ports.ts';

const namespace = 'default';
const apps = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const slices = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;

/** The part of Kubernetes that makes pods of a Deployment: each is a server on an address of its
 *  own, and the slice lists those that there are. */
class Kubelet {
  readonly #transport: KubeTransport;
  readonly #servers: Server[] = [];
  readonly #port: number;
  readonly #close: () => void;
  #work = Promise.resolve();
  started = 0;

  constructor(transport: KubeTransport, port: number) {
    this.#transport = transport;
    this.#port = port;
    this.#close = transport.watch('/apis/apps/v1/deployments?watch=1&resourceVersion=0', {
      event: ({ object }) => {
        const replicas = count(at(object, 'spec', 'replicas')) ?? 0;
        this.#work = this.#work.then(() => this.#follow(replicas));
      },
      closed: () => {},
    });
  }

  get pods(): number {
    return this.#servers.length;
  }

  async stop(): Promise<void> {
    this.#close();
    await this.#work;
    for (const server of this.#servers) server.close().closeAllConnections();
  }

  async #follow(replicas: number): Promise<void> {
    while (this.#servers.length < replicas) {
      const name = `pod-${++this.started}`;
      const server = createServer((request, reply) => {
        if (request.url === '/healthz') return void reply.end('fine');
        let size = 0;
        request.on('data', (chunk: Buffer) => (size += chunk.length));
        request.on('end', () => void reply.end(`${name} got ${size}`));
      });
      const host = `127.0.0.${this.#servers.length + 1}`;
      await new Promise<void>((resolve) => void server.listen(this.#port, host, resolve));
      this.#servers.push(server);
    }
    for (const gone of this.#servers.splice(replicas)) gone.close().closeIdleConnections();
    await this.#publish();
  }

  async #publish(): Promise<void> {
    const body = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'web-1', namespace, labels: { 'kubernetes.io/service-name': 'web' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port: this.#port }],
      endpoints: this.#servers.map((_, place) => ({
        addresses: [`127.0.0.${place + 1}`],
        // The pod is asked, so nothing waits for Kubernetes.
        conditions: { ready: false },
        targetRef: { kind: 'Pod', name: `pod-${place}`, uid: `uid-${place}-${this.started}` },
      })),
    };
    const created = await this.#transport.request({ method: 'POST', path: slices, body });
    if (created.status !== 409) return;
    await this.#transport.request({ method: 'PUT', path: `${slices}/web-1`, body });
  }
}

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'web', image: 'web' }] },
    },
  },
};

function configuration(activator: object) {
  const result = decodeText(activatorConfiguration(activator));
  if (result.ok) return result.configuration;
  throw new Error(JSON.stringify(result.problems));
}

async function world(activator: object) {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-activator-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cluster = createCluster({ clock: systemClock, random: systemRandom, controllers: false });
  onTestFinished(() => cluster.stop());
  await cluster.start();
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, (await cluster.listen({ port: 0 })).kubeconfig);
  const transport = cluster.transport();
  await transport.request({ method: 'POST', path: apps, body: deployment });
  const kubelet = new Kubelet(transport, await freePort());
  onTestFinished(() => kubelet.stop());
  const log = createLog({
    level: 'error',
    format: 'text',
    destination: 2,
    now: systemClock.now,
  });
  const process = await startActivatorProcess({
    configuration: configuration(activator),
    connection: await loadConnection({ file }, systemClock),
    clock: systemClock,
    random: systemRandom,
    ids: systemIds(),
    log,
    version: 'test',
    withProcess: false,
  });
  onTestFinished(() => process.stop());
  await process.synced;
  const replicas = async () => {
    const { body } = await transport.request({ method: 'GET', path: `${apps}/web` });
    return at(body, 'spec', 'replicas');
  };
  const ask = (body = '') =>
    fetch(process.url, {
      method: 'POST',
      body,
      headers: { 'Knative-Serving-Namespace': namespace, 'Knative-Serving-Revision': 'web' },
    });
  return { cluster, kubelet, process, replicas, ask };
}

const web = {
  revisions: [
    {
      name: 'web',
      containerConcurrency: 1,
      maxScale: 3,
      probePath: '/healthz',
      scale: { kind: 'Deployment' },
    },
  ],
  autoscaler: { enabled: true, windowSeconds: 1, graceSeconds: 0 },
};

describe('A revision without a pod', () => {
  it('is woken by a request, which its first pod answers, and goes to zero again', async () => {
    const { ask, kubelet, replicas, process } = await world(web);
    expect([kubelet.pods, await replicas()]).toEqual([0, 0]);
    const reply = await ask('hello');
    expect([reply.status, await reply.text()]).toEqual([200, 'pod-1 got 5']);
    await expect.poll(() => replicas(), { timeout: 20_000 }).toBe(0);
    await expect.poll(() => kubelet.pods).toBe(0);
    const again = await ask('again!');
    const last = expect.stringMatching(/^pod-[2-9] got 6$/);
    expect([again.status, await again.text()]).toEqual([200, last]);
    const ready = await fetch(`${process.healthUrl}/readyz`);
    expect([ready.status, await ready.text()]).toEqual([200, 'ok\n']);
    const metrics = await (await fetch(`${process.healthUrl}/metrics`)).text();
    expect(metrics).toContain('activator_tracker_table');
    const counted = `k8s_namespace_name="${namespace}",kn_revision_name="web",ending="answered"`;
    expect(metrics).toContain(`activator_requests_total{${counted}} 2`);
  });

  it('loses none of many requests that come at once', async () => {
    const { ask, kubelet } = await world(web);
    const replies = await Promise.all(Array.from({ length: 200 }, () => ask('x')));
    const texts = await Promise.all(replies.map((reply) => reply.text()));
    expect(texts.every((text) => /^pod-\d+ got 1$/.test(text))).toBe(true);
    expect(kubelet.pods).toBeLessThanOrEqual(3);
  });

  it('loses none of them with several workers, which count together', async () => {
    const { ask, kubelet, process } = await world({ ...web, workers: 2 });
    const replies = await Promise.all(Array.from({ length: 100 }, () => ask('x')));
    const texts = await Promise.all(replies.map((reply) => reply.text()));
    expect(texts.every((text) => /^pod-\d+ got 1$/.test(text))).toBe(true);
    expect(kubelet.pods).toBeLessThanOrEqual(3);
    const counted = `k8s_namespace_name="${namespace}",kn_revision_name="web",ending="answered"`;
    const metrics = async () => (await fetch(`${process.healthUrl}/metrics`)).text();
    await expect.poll(metrics).toContain(`activator_requests_total{${counted}} 100`);
    await process.drain();
  });

  it('is not scaled while nobody is told to: the request waits for somebody else', async () => {
    const [row] = web.revisions;
    const { ask, replicas, cluster } = await world({
      revisions: [{ ...row, scale: { kind: 'none' } }],
    });
    const reply = ask('x');
    expect(await replicas()).toBe(0);
    const path = `${apps}/web`;
    const patch = { spec: { replicas: 1 } };
    const contentType = 'application/merge-patch+json';
    await cluster.transport().request({ method: 'PATCH', path, contentType, body: patch });
    expect(await (await reply).text()).toBe('pod-1 got 1');
  });
});

describe('An activator that is to end', () => {
  it('answers what waits, and says to the kubelet that it ends (H-125)', async () => {
    const { ask, process } = await world({ ...web, drainSeconds: 1 });
    const waiting = ask('x');
    const drained = process.drain();
    const ready = await fetch(`${process.healthUrl}/readyz?verbose`);
    expect([ready.status, await ready.text()]).toEqual([
      500,
      expect.stringContaining('received SIGTERM'),
    ]);
    expect((await waiting).status).toBe(200);
    await drained;
  });
});
