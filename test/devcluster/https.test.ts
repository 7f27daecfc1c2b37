// The embedded cluster over real HTTPS: who gets in, bodies, watch streams, faults on the wire, and
// the kubeconfig. kubectl.test.ts drives it with the real kubectl.
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Clock } from '#actors/ports.ts';
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { Cluster, Listening } from '#src/devcluster/cluster.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { eventually } from '#test/support/eventually.ts';
import { configMap, configMaps } from './api/support.ts';

/** Timers that wait; a watch always has one. */
const pending = new Set<object>();
const countingClock: Clock = {
  ...systemClock,
  at: (at, run) => {
    const timer = {};
    pending.add(timer);
    const cancel = systemClock.at(at, () => {
      pending.delete(timer);
      run();
    });
    return () => {
      pending.delete(timer);
      cancel();
    };
  },
};

let cluster: Cluster;
let listening: Listening;
let folder: string;
let admin: Agent;
let anonymous: Agent;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'devcluster-'));
  cluster = createCluster({
    clock: countingClock,
    random: systemRandom,
    controllers: false,
    dataDir: folder,
  });
  await cluster.start();
  listening = await cluster.listen();
  const config: unknown = parse(listening.kubeconfig);
  if (!isObject(config)) throw new Error('the kubeconfig is not an object');
  const decode = (section: string, inner: string, key: string): string =>
    Buffer.from(textAt(objectAt(objectsAt(config, section)[0], inner), key), 'base64').toString();
  const ca = decode('clusters', 'cluster', 'certificate-authority-data');
  const cert = decode('users', 'user', 'client-certificate-data');
  const key = decode('users', 'user', 'client-key-data');
  admin = new Agent({ connect: { ca, cert, key } });
  anonymous = new Agent({ connect: { ca } });
});

afterAll(async () => {
  await admin.destroy();
  await anonymous.destroy();
  await cluster.stop();
  await rm(folder, { recursive: true });
});

interface Options {
  readonly agent?: Agent;
  readonly method?: 'GET' | 'PATCH' | 'POST' | 'PUT';
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
}

async function send(path: string, { agent = admin, method = 'GET', ...rest }: Options = {}) {
  const origin = listening.url;
  const answer = await agent.request({ origin, path, method, ...rest });
  const text = await answer.body.text();
  const body: unknown = text.startsWith('{') ? JSON.parse(text) : text;
  return { status: answer.statusCode, headers: answer.headers, body, text };
}

const json = { 'content-type': 'application/json' };

describe('the HTTPS server', () => {
  test('lets nobody in without credentials, but to health and version', async () => {
    const agent = anonymous;
    expect((await send('/readyz', { agent })).text).toBe('ok');
    expect((await send('/version', { agent })).body).toMatchObject({ major: '1' });
    expect((await send(configMaps, { agent })).status).toBe(401);
    const headers = { authorization: 'Bearer nonsense' };
    expect((await send(configMaps, { agent, headers })).status).toBe(401);
  });

  test('knows the admin by certificate and accounts by token', async () => {
    const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    const post = { method: 'POST', body: '{}', headers: json } as const;
    expect((await send(reviews, post)).body).toMatchObject({
      status: {
        userInfo: {
          username: 'kubernetes-admin',
          groups: ['system:masters', 'system:authenticated'],
        },
      },
    });
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    const body = JSON.stringify({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'robot' },
    });
    await send(accounts, { ...post, body });
    const issued = await send(`${accounts}/robot/token`, post);
    expect(issued.status).toBe(201);
    const token = isObject(issued.body) ? textAt(objectAt(issued.body, 'status'), 'token') : '';
    const headers = { ...json, authorization: `Bearer ${token}` };
    const review = await send(reviews, { ...post, headers, agent: anonymous });
    expect(review.body).toMatchObject({
      status: { userInfo: { username: 'system:serviceaccount:default:robot' } },
    });
    const asked = JSON.stringify({ spec: { token } });
    const reviewed = await send('/apis/authentication.k8s.io/v1/tokenreviews', {
      ...post,
      body: asked,
    });
    expect(reviewed.body).toMatchObject({ status: { authenticated: true } });
  });

  test('acts in the name of somebody else when asked to', async () => {
    const headers = { ...json, 'impersonate-user': 'bob', 'impersonate-group': 'dev' };
    const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
    expect((await send(reviews, { method: 'POST', body: '{}', headers })).body).toMatchObject({
      status: { userInfo: { username: 'bob', groups: ['dev', 'system:authenticated'] } },
    });
  });

  test('takes YAML, and refuses what is too large or of no known type', async () => {
    const post = { method: 'POST' } as const;
    const yaml = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: b\n';
    const headers = { 'content-type': 'application/yaml' };
    expect((await send(configMaps, { ...post, headers, body: yaml })).status).toBe(201);
    const large = JSON.stringify(configMap('large', { x: 'x'.repeat(4 * 1024 * 1024) }));
    expect((await send(configMaps, { ...post, headers: json, body: large })).status).toBe(413);
    const other = { 'content-type': 'application/cbor' };
    expect((await send(configMaps, { ...post, headers: other, body: 'x' })).status).toBe(415);
    expect((await send(configMaps, { ...post, headers: json, body: '{"a"' })).status).toBe(400);
  });

  test('tells of a field that was sent twice, or refuses it', async () => {
    const body = '{"metadata":{"name":"twice"},"data":{"a":"1","a":"2"}}';
    const post = { method: 'POST', headers: json, body } as const;
    const warned = await send(`${configMaps}?dryRun=All`, post);
    expect(warned.headers['warning']).toBe('299 - "duplicate field \\"data.a\\""');
    const refused = await send(`${configMaps}?dryRun=All&fieldValidation=Strict`, post);
    expect(refused.status).toBe(400);
    const applied = await send(`${configMaps}/twice?dryRun=All&fieldManager=test`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: `{"apiVersion":"v1","kind":"ConfigMap",${body.slice(1)}`,
    });
    expect(applied.status).toBe(400);
  });

  test('streams a watch line by line until it is closed', async () => {
    const { body } = await admin.request({
      origin: listening.url,
      path: `${configMaps}?watch=1&timeoutSeconds=20`,
      method: 'GET',
    });
    await cluster
      .transport()
      .request({ method: 'POST', path: configMaps, body: configMap('seen') });
    let text = '';
    for await (const part of body) {
      text += String(part);
      if (text.includes('"seen"')) break;
    }
    const last = text.trim().split('\n').at(-1) ?? '';
    expect(JSON.parse(last)).toMatchObject({
      type: 'ADDED',
      object: { metadata: { name: 'seen' } },
    });
  });

  test('starts no watch for somebody who left before it began', async () => {
    const path = '/api/v1/secrets';
    const before = new Set(pending);
    const ownTimers = (): number => pending.difference(before).size;
    cluster.faults.add({ verb: 'watch', kind: 'secrets', fault: { kind: 'delay', ms: 300 } });
    const leave = new AbortController();
    const asked = admin.request({
      origin: listening.url,
      path: `${path}?watch=1`,
      method: 'GET',
      signal: leave.signal,
    });
    await eventually('waiting', ownTimers, (count) => count > 0);
    leave.abort();
    await expect(asked).rejects.toThrow('abort');
    await eventually('forgotten', ownTimers, (count) => count === 0, 5000);
  });

  test('cuts off a watcher that does not read', async () => {
    const origin = listening.url;
    const path = `${configMaps}?watch=1`;
    const { body } = await admin.request({ origin, path, method: 'GET' });
    const transport = cluster.transport();
    const data = { x: 'x'.repeat(900_000) };
    for (let n = 0; n < 40; n++) {
      const sent = configMap(`big-${n}`, data);
      await transport.request({ method: 'POST', path: configMaps, body: sent });
      await new Promise<void>((resolve) => systemClock.soon(resolve));
    }
    await expect(body.text()).rejects.toThrow(/terminated|closed|reset|aborted/);
    await transport.request({ method: 'DELETE', path: configMaps });
  });

  test('breaks the connection where a fault says so', async () => {
    cluster.faults.add({ verb: 'create', name: 'committed', fault: { kind: 'dropReply' } });
    const body = JSON.stringify(configMap('committed'));
    await expect(send(configMaps, { method: 'POST', headers: json, body })).rejects.toThrow(
      /closed|reset/,
    );
    expect((await send(`${configMaps}/committed`)).status).toBe(200);
  });

  test('writes its kubeconfig for the owner alone', async () => {
    const path = join(folder, 'kubeconfig');
    expect(listening.kubeconfigPath).toBe(path);
    expect(await readFile(path, 'utf8')).toBe(listening.kubeconfig);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  test('names a port that is taken', async () => {
    const port = Number(new URL(listening.url).port);
    const second = createCluster({ clock: systemClock, random: systemRandom });
    await expect(second.listen({ port })).rejects.toThrow(
      `port ${port} on 127.0.0.1 is already in use`,
    );
    await second.stop();
  });
});
