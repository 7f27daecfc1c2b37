// The kube edge on the embedded cluster: in this process on a virtual clock under every fault that
// the cluster can make, and over real HTTPS with the kubeconfig that it writes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ClusterPort, Observation } from '#actors/ports.ts';
import { list, object } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { FaultRule } from '#src/devcluster/faults.ts';
import { createKubeClient } from '#src/kube/client.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { isSelected } from '#src/kube/paths.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import { prune } from '#src/kube/watch/prune.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

const labels = { 'app.kubernetes.io/managed-by': 'grove-operator' };
const refOf = (name: string) => ({ kind: 'Service', namespace: 'default', name }) as const;

const service = (name: string, count: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default', labels, annotations: { count: String(count) } },
  spec: { clusterIP: 'None', selector: { app: name } },
});

/** A cache that believes what it is told: `name uid version` of every object. */
class Cache {
  readonly #objects = new Map<string, KubeObject>();

  readonly observe = (observation: Observation): void => {
    if (observation.type === 'seen') {
      this.#objects.set(observation.object.metadata.name, observation.object);
      return;
    }
    const { name } = observation.ref;
    if (this.#objects.get(name)?.metadata.uid === observation.uid) this.#objects.delete(name);
  };

  lines(): string[] {
    return linesOf([...this.#objects.values()]);
  }
}

const linesOf = (objects: readonly { readonly metadata: KubeObject['metadata'] }[]): string[] =>
  objects
    .map(({ metadata }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`)
    .toSorted();

/** Creates, changes, deletes and creates again; an answer may get lost. */
async function churn(cluster: ClusterPort, round: number): Promise<void> {
  const name = `s${round % 5}`;
  const live = await cluster.read(refOf(name));
  if (!live.ok || live.object === undefined) {
    await cluster.write({ op: 'create', ref: refOf(name), body: service(name, round) });
    return;
  }
  const { uid = '' } = live.object.metadata;
  if (round % 3 === 0) await cluster.write({ op: 'delete', ref: refOf(name), uid });
  else {
    const patch = { metadata: { uid, annotations: { count: String(round) } } };
    await cluster.write({ op: 'patch', ref: refOf(name), patch });
  }
}

const services = { kind: 'services', times: 1_000 } as const;

test.each<[string, FaultRule | undefined]>([
  ['no fault', undefined],
  [
    'watches that break',
    { ...services, verb: 'watch', fault: { kind: 'dropWatch', afterEvents: 3 } },
  ],
  ['watches that lag', { ...services, verb: 'watch', fault: { kind: 'lagWatch', ms: 3_000 } }],
  ['watches that expire', { ...services, verb: 'watch', rate: 0.5, fault: { kind: 'expire' } }],
  [
    'watches that are refused',
    {
      ...services,
      verb: 'watch',
      rate: 0.7,
      fault: { kind: 'error', code: 429, retryAfterSeconds: 1 },
    },
  ],
  [
    'lists that are refused',
    { ...services, verb: 'list', rate: 0.7, fault: { kind: 'error', code: 500 } },
  ],
  [
    'lists that are stale',
    { ...services, verb: 'list', rate: 0.7, fault: { kind: 'stale', versions: 6 } },
  ],
  [
    'answers that get lost',
    { ...services, verb: 'create', rate: 0.5, fault: { kind: 'dropReply' } },
  ],
  ['requests that get lost', { ...services, rate: 0.2, fault: { kind: 'dropRequest' } }],
])('the reflector agrees with the embedded cluster after %s', async (_what, rule) => {
  const clock = new VirtualClock();
  const random = seeded(7);
  const embedded = createCluster({ clock, random, controllers: false });
  await embedded.start();
  const transport = embedded.transport();
  const options = { transport, clock, random, host: 'embedded', log: () => {} };
  const client = createKubeClient(options);
  const cache = new Cache();
  const reflection = client.reflect(['Service'], cache.observe);
  const expiry: FaultRule = {
    ...services,
    verb: 'watch',
    nth: 5,
    times: 1,
    fault: { kind: 'expire' },
  };
  for (const each of rule === undefined ? [expiry] : [expiry, rule]) embedded.faults.add(each);
  for (let round = 0; round < 60; round++) {
    const done = churn(client.cluster, round);
    await clock.advance(1_000);
    await done;
  }
  embedded.faults.clear();
  await clock.advance(120_000);
  const answer = await transport.request({ method: 'GET', path: '/api/v1/services' });
  const managed = list(object(answer.body)['items'])
    .flatMap((item) => prune('Service', item) ?? [])
    .filter((item) => isSelected('Service', item));
  expect(cache.lines()).toEqual(linesOf(managed));
  expect(managed.length).toBeGreaterThan(0);
  reflection.stop();
  await embedded.stop();
});

test('the edge works over HTTPS with the kubeconfig of the embedded cluster', async () => {
  const embedded = createCluster({ clock: systemClock, random: systemRandom, controllers: false });
  const folder = mkdtempSync(join(tmpdir(), 'coppice-embedded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  onTestFinished(() => embedded.stop());
  await embedded.start();
  const file = join(folder, 'kubeconfig');
  writeFileSync(file, (await embedded.listen({ port: 0 })).kubeconfig);
  const transport = httpTransport(await loadConnection({ file }, systemClock), {
    userAgent: 'test',
  });
  onTestFinished(() => transport.close());
  const client = createKubeClient({
    transport,
    clock: systemClock,
    random: systemRandom,
    host: transport.host,
    log: () => {},
  });
  const cache = new Cache();
  const { cluster } = client;
  const reflection = client.reflect(['Service'], cache.observe);
  onTestFinished(() => reflection.stop());
  await reflection.synced;

  const created = await cluster.write({ op: 'create', ref: refOf('a'), body: service('a', 1) });
  expect(created).toMatchObject({ ok: true, object: { kind: 'Service' } });
  const again = await cluster.write({ op: 'create', ref: refOf('a'), body: service('a', 1) });
  expect(again).toMatchObject({ ok: false, code: 'ALREADY_EXISTS' });
  const uid = (created.ok && created.object?.metadata.uid) || '';
  const stale = { metadata: { uid, resourceVersion: '1', annotations: { x: 'y' } } };
  const conflict = await cluster.write({ op: 'patch', ref: refOf('a'), patch: stale });
  expect(conflict).toMatchObject({ ok: false, code: 'CONFLICT' });
  await expect.poll(() => cache.lines()).toHaveLength(1);
  const wrong = await cluster.write({ op: 'delete', ref: refOf('a'), uid: 'other' });
  expect(wrong).toMatchObject({ ok: false, code: 'CONFLICT' });
  const deleted = await cluster.write({ op: 'delete', ref: refOf('a'), uid });
  expect(deleted).toMatchObject({ ok: true, gone: true });
  await expect.poll(() => cache.lines()).toEqual([]);
});
