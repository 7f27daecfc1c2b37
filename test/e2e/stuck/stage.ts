// What the situations stand on: an embedded cluster in this process, so that it fails as a test
// wants it, a NATS that can be cut off, and one controller with all modules, as a process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { announce } from '#src/dev/announce.ts';
import { installCrds } from '#src/dev/crds.ts';
import { type Cluster, createCluster } from '#src/devcluster/cluster.ts';
import { clusterPlugins } from '#src/modules/index.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { kaiPodGroupCrd } from '#test/support/backends.ts';
import { Programs } from '#test/support/program.ts';
import { tokenOf } from '#test/support/tokens.ts';
import { must } from '#test/support/workload.ts';
import { NatsUnderTest } from '../faults/stage/nats.ts';
import type { Asking } from './asking.ts';
import { mostNodes } from './kinds.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

export class StuckStage {
  readonly #folder = mkdtempSync(join(tmpdir(), 'coppice-stuck-'));
  readonly #programs = new Programs();
  readonly #ends: (() => unknown)[] = [];
  readonly nats = new NatsUnderTest(this.#folder);
  readonly cluster: Cluster;
  #asking: Asking | undefined;

  private constructor(cluster: Cluster) {
    this.cluster = cluster;
    this.#ends.push(() => cluster.stop());
  }

  /** `pageFolder`: the built page, where a browser opens it. */
  static async start(pageFolder?: string): Promise<StuckStage> {
    const plugins = await clusterPlugins();
    const ports = { clock: systemClock, random: systemRandom };
    const dataDir = mkdtempSync(join(tmpdir(), 'coppice-stuck-cluster-'));
    const stage = new StuckStage(createCluster({ ...ports, nodes: 4, plugins, dataDir }));
    stage.#ends.push(() => rmSync(dataDir, { recursive: true, force: true }));
    await stage.#start(pageFolder);
    return stage;
  }

  get asking(): Asking {
    if (this.#asking === undefined) throw new Error('the stage has not been started');
    return this.#asking;
  }

  /** By the page's own API. Throws with what it answers where it refuses. */
  async park(namespace: string, set: string, reason: string): Promise<void> {
    const { url, token } = this.asking.page;
    const response = await fetch(`${url}/api/v1/actors/podcliqueset/${namespace}/${set}/park`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ reason }),
    });
    if (!response.ok) throw new Error(await response.text());
  }

  async end(): Promise<void> {
    await this.#programs.end();
    await this.nats.end();
    for (const end of this.#ends.toReversed()) await end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #start(pageFolder: string | undefined): Promise<void> {
    const { cluster, nats } = this;
    await cluster.start();
    const client = cluster.transport();
    await installCrds(client);
    await must(client, { method: 'POST', path: definitions, body: kaiPodGroupCrd() });
    const { kubeconfigPath: kubeconfig = '' } = await cluster.listen();
    await nats.start();
    const file = join(this.#folder, 'controller.json');
    writeFileSync(file, JSON.stringify(configuration(nats.url, pageFolder)));
    const flags = ['--config', file, '--kubeconfig', kubeconfig];
    const program = this.#programs.coppice('controller', ...flags);
    const [, url = ''] = await program.line(/"inspector":"([^"]+)"/);
    const [, port = ''] = await program.line(/"port":(\d+).*answers questions over HTTPS/);
    await announce({
      kubeconfig,
      transport: client,
      clock: systemClock,
      namespace: 'default',
      secretName: 'coppice-questions-cert',
      address: () => `https://127.0.0.1:${port}`,
    });
    await program.line(/controller synced/);
    this.#asking = {
      page: { url, token: await tokenOf(client, 'viewer') },
      kubeconfig,
      nats: await nats.client(),
    };
  }
}

/** Every module, and every scheduler that a situation names but one. */
const configuration = (nats: string, pageFolder: string | undefined) => ({
  apiVersion: 'coppice.dev/v1alpha1',
  kind: 'CoppiceConfiguration',
  modules: { grove: true, nvidia: true, agentsandbox: true },
  bus: { servers: [nats] },
  server: { bindAddress: '127.0.0.1', healthPort: 0, metricsPort: 0 },
  questions: { enabled: true, bindAddress: '127.0.0.1', host: '127.0.0.1', port: 0 },
  inspector: { enabled: true, port: 0, ...(pageFolder === undefined ? {} : { pageFolder }) },
  // Long enough for a machine that does much else.
  leases: { enabled: true, identity: 'c0', durationSeconds: 40, renewSeconds: 30, retrySeconds: 2 },
  scheduler: { profiles: [{ name: 'kai-scheduler' }, { name: 'lpx-scheduler' }] },
  topologyAwareScheduling: { enabled: true },
  computeDomains: {
    image: 'driver:simulated',
    maxNodesPerImexDomain: mostNodes,
    statusIntervalSeconds: 1,
  },
});
