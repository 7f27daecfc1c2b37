// Every sample of the chart on the real control plane, under what the chart grants: each object
// that an actor looks after says Ready. The test adds what this cluster asks of pods, a toleration,
// and plays the provisioner of volumes, which it does not have.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { at, isObject, object, text } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { eventually } from '#test/support/eventually.ts';
import { isConditionMet } from '#test/support/kstatus.ts';
import { root } from '#test/tidy/sources.ts';
import { describeReal, type Stage } from './stage.ts';

const folder = join(root, 'charts/coppice/samples');

/** Samples that need more than a control plane has, and where they are ready instead. */
const elsewhere: Readonly<Record<string, string>> = {
  'compute-domain': 'needs the plugins of a DRA driver on nodes: test/e2e/process/samples.test.ts',
  'compute-domain-driver': 'makes the account of the daemons alone: as above',
};

const samples = globSync('*.yaml', { cwd: folder })
  .map((file) => file.replace('.yaml', ''))
  .filter((name) => !(name in elsewhere))
  .toSorted();

/** The collection of each kind that a sample has, and whether an actor says Ready on it. */
const kinds: Readonly<Record<string, readonly [path: string, isReady: boolean]>> = {
  PodCliqueSet: ['apis/grove.io/v1alpha1', true],
  Sandbox: ['apis/agents.x-k8s.io/v1beta1', true],
  SandboxTemplate: ['apis/extensions.agents.x-k8s.io/v1beta1', false],
  SandboxWarmPool: ['apis/extensions.agents.x-k8s.io/v1beta1', true],
  SandboxClaim: ['apis/extensions.agents.x-k8s.io/v1beta1', true],
  Service: ['api/v1', false],
};

const tolerations = [{ operator: 'Exists' }];

/** With the toleration in every spec of a pod. */
function tolerant(value: Json): Json {
  if (Array.isArray(value)) return value.map(tolerant);
  if (!isObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, tolerant(one)]));
  return Array.isArray(value['containers']) ? { ...inner, tolerations } : inner;
}

const volume: JsonObject = {
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'e2e-samples' },
  spec: {
    capacity: { storage: '1Gi' },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: '/nowhere' },
    persistentVolumeReclaimPolicy: 'Retain',
  },
};
const volumes = '/api/v1/persistentvolumes';

describeReal('A sample of the chart on the real control plane', (stageNow) => {
  let stage: Stage;

  beforeAll(async () => {
    stage = stageNow();
    await stage.controller({ settings: { modules: { agentsandbox: true } } });
  });

  async function apply(name: string, namespace: string): Promise<readonly string[]> {
    const documents = parseAllDocuments(readFileSync(join(folder, `${name}.yaml`), 'utf8'));
    const waited: string[] = [];
    for (const document of documents) {
      const body = object(tolerant(document.toJS()));
      const kind = text(body['kind']);
      const [group, isReady] = kinds[kind] ?? [];
      if (group === undefined) throw new Error(`${name} has a ${kind}, which is not known here`);
      const plural = `${kind.toLowerCase()}${kind.endsWith('x') ? 'es' : 's'}`;
      const path = `/${group}/namespaces/${namespace}/${plural}`;
      await stage.kube.send({ method: 'POST', path, body });
      if (isReady === true) waited.push(`${path}/${text(at(body, 'metadata', 'name'))}`);
    }
    return waited;
  }

  test.each(samples)('is ready after a while: %s', async (name) => {
    const namespace = await stage.namespace(`e2e-sample-${name}`);
    const hasVolume = name === 'sandbox';
    if (hasVolume) await stage.kube.send({ method: 'POST', path: volumes, body: volume });
    try {
      const paths = await apply(name, namespace);
      expect(paths.length).toBeGreaterThan(0);
      for (const path of paths) {
        const ask = () => stage.kube.send({ method: 'GET', path });
        const isReady = (found: unknown): boolean => isConditionMet(found, 'Ready');
        await eventually(`${path} ready`, ask, isReady, 180_000);
      }
    } finally {
      if (hasVolume) await stage.kube.send({ method: 'DELETE', path: `${volumes}/e2e-samples` });
    }
  });
});
