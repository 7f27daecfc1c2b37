// `node test/replay/main.ts`: records the log anew, on a real control plane that it brings up and
// takes away: 50 replicas are deployed, scaled to 40 and to 45, and deleted. Needs the binaries of
// `npm run cluster -- build`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { objectsAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import type { Configuration } from '#src/config/schema.ts';
import { startController } from '#src/controller/start.ts';
import { installCrds } from '#src/dev/crds.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { httpTransport } from '#src/kube/transport/http.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { createLog } from '#src/log/log.ts';
import { systemClock, systemIds, systemRandom } from '#src/time/clock.ts';
import { transportOf } from '#test/cluster/client.ts';
import { down, up, whyNotUp } from '#test/cluster/up.ts';
import { manifest, pairs } from '#test/e2e/real/sets.ts';
import { eventually } from '#test/support/eventually.ts';
import { type Entry, writeLog } from './log.ts';
import { inOrder } from './order.ts';
import { Recorder, withoutSecrets } from './recorder.ts';

const sets = '/apis/grove.io/v1alpha1/namespaces/default/podcliquesets';
const quick = { qps: 1000, burst: 2000 };

async function record(folder: string): Promise<readonly Entry[]> {
  const state = await up({
    folder,
    port: 0,
    nodes: 10,
    audit: false,
    schedulerLimit: quick,
    managerLimit: quick,
  });
  const admin = await transportOf(state.kubeconfig);
  await installCrds(admin);
  const nodes = await admin.request({ method: 'GET', path: '/api/v1/nodes' });
  const recorder = new Recorder();
  const connection = await loadConnection({ file: state.controllerKubeconfig }, systemClock);
  const log = createLog({ level: 'error', format: 'text', destination: 2, now: systemClock.now });
  const raw = httpTransport(connection, { userAgent: 'coppice-controller/recorded' });
  const controller = await startController({
    configuration: configuration(),
    connection,
    transport: recorder.around(raw, 'controller'),
    clock: systemClock,
    random: systemRandom,
    ids: systemIds(),
    log,
    version: 'recorded',
  });
  try {
    await controller.synced;
    await useIt(recorder.around(admin, 'user'), admin);
  } finally {
    await controller.stop();
    await admin.close();
    log.close();
  }
  const objects = objectsAt(isObject(nodes.body) ? nodes.body : {}, 'items');
  return [{ type: 'given', objects: objects.map(bareNode) }, ...inOrder(recorder.passed)];
}

/** What the run is about. Looking on is not part of the log. */
async function useIt(user: KubeTransport, onlooker: KubeTransport): Promise<void> {
  const available = (count: number): Promise<unknown> =>
    eventually(
      `${count} replicas available`,
      () => onlooker.request({ method: 'GET', path: `${sets}/demo` }),
      ({ body }) =>
        isObject(body) &&
        isObject(body['status']) &&
        body['status']['availableReplicas'] === count &&
        body['status']['replicas'] === count,
      60_000,
    );
  const scale = (replicas: number): Promise<unknown> =>
    user.request({
      method: 'PATCH',
      path: `${sets}/demo`,
      contentType: 'application/merge-patch+json',
      body: { spec: { replicas } },
    });
  await user.request({ method: 'POST', path: sets, body: manifest(pairs('demo', 50)) });
  await available(50);
  await scale(40);
  await available(40);
  await scale(45);
  await available(45);
  await user.request({ method: 'DELETE', path: `${sets}/demo` });
  for (const path of [`${sets}/demo`, '/api/v1/namespaces/default/pods']) {
    await eventually(
      'everything gone',
      () => onlooker.request({ method: 'GET', path }),
      ({ status, body }) =>
        status === 404 || (isObject(body) && objectsAt(body, 'items').length === 0),
      60_000,
    );
  }
}

const configuration = (): Configuration => ({
  ...defaultConfiguration,
  bus: { ...defaultConfiguration.bus, enabled: false, servers: [] },
  server: {
    bindAddress: '127.0.0.1',
    metricsBindAddress: undefined,
    healthPort: 0,
    metricsPort: 0,
  },
});

/** All that a pod takes from its node. */
const bareNode = ({ metadata }: JsonObject): JsonObject => {
  const { name, labels } = isObject(metadata) ? metadata : {};
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: name ?? '', labels: labels ?? {} } };
};

const normalized = (entry: Entry): Entry => {
  if (entry.type === 'given') return entry;
  if (entry.type !== 'request') return { ...entry, object: withoutSecrets(entry.object) };
  return isObject(entry.answer) ? { ...entry, answer: withoutSecrets(entry.answer) } : entry;
};

const problem = await whyNotUp();
if (problem !== undefined) {
  process.stderr.write(`${problem}\n`);
  process.exitCode = 1;
} else {
  const folder = join(mkdtempSync(join(tmpdir(), 'coppice-replay-')), 'cluster');
  try {
    const entries = (await record(folder)).map(normalized);
    const requests = entries.filter(({ type }) => type === 'request').length;
    const bytes = writeLog(entries);
    process.stdout.write(`${requests} requests among ${entries.length} entries, ${bytes} bytes\n`);
  } finally {
    await down(folder);
    rmSync(join(folder, '..'), { recursive: true, force: true });
  }
}
