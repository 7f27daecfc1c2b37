// `coppice init` as a process with the token of a pod, against the embedded cluster over HTTPS.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { Cluster } from '#src/devcluster/cluster.ts';
import { KubeClient } from '#src/devcluster/controllers/client.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { eventually } from '#test/support/eventually.ts';
import { Programs } from '#test/support/program.ts';
import type { Program } from '#test/support/program.ts';

const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const base = '/api/v1/namespaces/default';

describe('coppice init', () => {
  const programs = new Programs();
  const folders: string[] = [];
  let cluster: Cluster;
  let client: KubeClient;
  let url: URL;
  const secret = { token: '', ca: '' };

  beforeAll(async () => {
    cluster = createCluster({ clock: systemClock, random: systemRandom, nodes: 2 });
    await cluster.start();
    url = new URL((await cluster.listen()).url);
    client = new KubeClient(cluster.transport());
    await client.create(`${base}/serviceaccounts`, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'demo' },
    });
    const annotations = { 'kubernetes.io/service-account.name': 'demo' };
    await client.create(`${base}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'demo-ic-sat', annotations },
      type: 'kubernetes.io/service-account-token',
    });
    const path = `${base}/secrets/demo-ic-sat`;
    const filled = await eventually(
      'the token',
      async () => objectAt((await client.get(path)).body, 'data'),
      (data) => textAt(data, 'token') !== '',
    );
    const decode = (key: string): string =>
      Buffer.from(textAt(filled, key), 'base64').toString('utf8');
    secret.token = decode('token');
    secret.ca = decode('ca.crt');
  });
  afterAll(async () => {
    await programs.end();
    await cluster.stop();
    for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  });

  /** The files that a kubelet would put into the pod. */
  function podFiles(gang: string, token = secret.token): string {
    const root = mkdtempSync(join(tmpdir(), 'coppice-init-'));
    folders.push(root);
    const put = (folder: string, files: Record<string, string>): void => {
      mkdirSync(join(root, folder), { recursive: true });
      for (const [name, text] of Object.entries(files))
        writeFileSync(join(root, folder, name), text);
    };
    put('var/grove/pod-info', { namespace: 'default', podgangname: gang });
    put('var/run/secrets/kubernetes.io/serviceaccount', { token, 'ca.crt': secret.ca });
    return root;
  }

  /** As the container is started: with arguments only. */
  function init(root: string, ...args: string[]): Program {
    const env = [`KUBERNETES_SERVICE_HOST=${url.hostname}`, `KUBERNETES_SERVICE_PORT=${url.port}`];
    const flags = [...args, `--root=${root}`];
    return programs.run('/usr/bin/env', [...env, process.execPath, main, ...flags]);
  }

  async function createPod(name: string, gang: string, clique: string): Promise<void> {
    const labels = { 'grove.io/podgang': gang, 'grove.io/podclique': clique };
    const answer = await client.create(`${base}/pods`, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels },
      spec: { containers: [{ name: 'main', image: 'nginx:1' }] },
    });
    expect(answer.status).toBe(201);
  }

  test('ends with 0 when its parents are ready, and says what it waits for', async () => {
    const program = init(podFiles('one'), '--podcliques=one-w:2', '-p', 'one-x:1');
    await program.line(/"waiting for PodCliques"/);
    await createPod('one-worker-1', 'one', 'one-worker');
    await createPod('one-w-1', 'one', 'one-w');
    await createPod('one-x-1', 'one', 'one-x');
    await program.line(/"missing":\[\{"name":"one-w","ready":\d,"count":2\}\]/);
    await createPod('one-w-2', 'one', 'one-w');
    expect(await program.ended).toEqual({ code: 0, signal: null });
  });

  test('ends with 0 at once where the parents are ready before it', async () => {
    await createPod('two-w-1', 'two', 'two-w');
    await eventually(
      'the parent',
      async () =>
        textAt(objectAt((await client.get(`${base}/pods/two-w-1`)).body, 'status'), 'phase'),
      (phase) => phase === 'Running',
    );
    const program = init(podFiles('two'), '--podcliques=two-w:1');
    expect(await program.ended).toEqual({ code: 0, signal: null });
  });

  test('ends with 1 on a signal', async () => {
    const program = init(podFiles('three'), '--podcliques=never:1');
    await program.line(/first list is complete/);
    program.signal('SIGTERM');
    expect(await program.ended).toEqual({ code: 1, signal: null });
  });

  test('ends with 1 and a reason where an argument or a file is wrong', async () => {
    const wrong = init(podFiles('four'), '--podcliques=a');
    await wrong.line(/"code":"ERR_INVALID_INPUT".*must hold exactly one colon/);
    expect(await wrong.ended).toEqual({ code: 1, signal: null });
    const bare = init(join(tmpdir(), 'coppice-nothing-here'), '--podcliques=a:1');
    await bare.line(/pod-info\/namespace cannot be read: the volume pod-info-vol/);
    expect(await bare.ended).toEqual({ code: 1, signal: null });
    const empty = init(podFiles('four', ''), '--podcliques=a:1');
    await empty.line(/token is empty: the volume sa-token-secret-vol/);
    expect(await empty.ended).toEqual({ code: 1, signal: null });
  });

  test('says that its token is refused, and goes on trying', async () => {
    const program = init(podFiles('five', 'no-token'), '--podcliques=a:1');
    await program.line(/"cannot list".*Unauthorized|Unauthorized.*"cannot list"/);
    program.signal('SIGINT');
    expect(await program.ended).toEqual({ code: 1, signal: null });
  });
});
