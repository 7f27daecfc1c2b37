// The start-up order on the real control plane: `coppice init` as a process, with the arguments,
// the token and the files that the container of a pod would find, against the real API server.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Program } from '#test/support/program.ts';
import type { KubeObject } from './kube.ts';
import { describeReal, type Stage } from './stage.ts';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const nodeLabel = 'e2e.coppice.dev/parents';

const clique = (name: string, replicas: number, more: object = {}): object => ({
  name,
  spec: {
    roleName: name,
    replicas,
    podSpec: {
      tolerations: [{ operator: 'Exists' }],
      containers: [{ name: 'main', image: 'registry.example/none:1' }],
      ...more,
    },
  },
});

/** `w` starts after `worker`, whose pods find no node before one is labelled. */
const inOrder = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name: 'order' },
  spec: {
    replicas: 1,
    template: {
      cliqueStartupType: 'CliqueStartupTypeInOrder',
      cliques: [clique('worker', 2, { nodeSelector: { [nodeLabel]: 'yes' } }), clique('w', 1)],
    },
  },
};

describeReal('coppice init on the real control plane', (stageNow) => {
  const folders: string[] = [];
  afterAll(() => folders.forEach((folder) => rmSync(folder, { recursive: true, force: true })));

  /** What the kubelet would put into the pod. */
  async function filesOf(stage: Stage, pod: KubeObject, volume: unknown): Promise<string> {
    const namespace = pod.metadata.namespace ?? '';
    const name = text(at(volume, 'secret', 'secretName'));
    // A kubelet does not start the pod before.
    const secret = await eventually(
      'the token',
      () => stage.kube.get(namespace, 'secrets', name),
      (found) => at(found, 'data', 'token') !== undefined,
    );
    const decode = (key: string): string =>
      Buffer.from(text(at(secret, 'data', key)), 'base64').toString('utf8');
    const root = mkdtempSync(join(tmpdir(), 'coppice-init-'));
    folders.push(root);
    const put = (folder: string, files: Record<string, string>): void => {
      mkdirSync(join(root, folder), { recursive: true });
      for (const [file, content] of Object.entries(files)) {
        writeFileSync(join(root, folder, file), content);
      }
    };
    const podgangname = pod.metadata.labels?.['grove.io/podgang'] ?? '';
    put('var/grove/pod-info', { namespace, podgangname });
    const account = { token: decode('token'), 'ca.crt': decode('ca.crt') };
    put('var/run/secrets/kubernetes.io/serviceaccount', account);
    return root;
  }

  function run(stage: Stage, args: readonly string[], root: string): Program {
    const [host = '', port = ''] = stage.transport.host.split(':');
    const env = [`KUBERNETES_SERVICE_HOST=${host}`, `KUBERNETES_SERVICE_PORT=${port}`];
    return stage.run('/usr/bin/env', [...env, process.execPath, main, ...args, `--root=${root}`]);
  }

  test('ends with 0 when all that it waits for are ready, not before (10.3 scenario 15)', async () => {
    const stage = stageNow();
    const here = await stage.namespace('e2e-init');
    await stage.controller();
    await stage.kube.create(here, 'podcliquesets', inOrder);
    const pods = await eventually(
      'all pods',
      () => stage.kube.list(here, 'pods'),
      (found) => found.length === 3,
    );
    const waiting = pods.find((pod) => pod.metadata.labels?.['grove.io/podclique'] === 'order-0-w');
    const [container] = list(at(waiting, 'spec', 'initContainers'));
    const args = list(at(container, 'args')).map(text);
    expect(at(container, 'name')).toBe('grove-initc');
    expect(args).toEqual(['--podcliques=order-0-worker:2']);
    const volume = list(at(waiting, 'spec', 'volumes')).find(
      (one) => at(one, 'name') === 'sa-token-secret-vol',
    );
    if (waiting === undefined) throw new Error('there is no pod of order-0-w');
    const program = run(stage, args, await filesOf(stage, waiting, volume));
    await program.line(/first list is complete/);
    const [node] = list(
      at(await stage.kube.send({ method: 'GET', path: '/api/v1/nodes' }), 'items'),
    );
    const path = `/api/v1/nodes/${text(at(node, 'metadata', 'name'))}`;
    const label = (value: string | null): Promise<unknown> =>
      stage.kube.send({
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body: { metadata: { labels: { [nodeLabel]: value } } },
      });
    await label('yes');
    expect(await program.ended).toEqual({ code: 0, signal: null });
    expect(program.stderr.join('\n')).toMatch(/"msg":"all are ready"/);
    await label(null);
  });
});
