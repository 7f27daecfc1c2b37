// What one scenario stands on: a namespace of its own, a proxy that shows the controller only that
// namespace, the controller as a process behind it, and a view of the cluster around the proxy.
// Scenarios of one file run side by side. Made and ended by describe.ts.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { eventually } from '#test/support/eventually.ts';
import { type Exposition, scrape } from '#test/support/exposition.ts';
import type { Onlooker } from '#src/bench/onlooker.ts';
import { type Program, Programs } from '#test/support/program.ts';
import { clear } from '../../real/cluster-wide.ts';
import { complaints } from '../../real/complaints.ts';
import { Kube } from '../../real/kube.ts';
import { manifest, podsOf, type SetWanted } from '../../real/sets.ts';
import { remnants, snapshot, type Snapshot } from '../../real/snapshot.ts';
import { ApiProxy } from '../proxy/api-proxy.ts';
import { kubeconfigThrough } from '../proxy/kubeconfig.ts';
import type { Cluster } from './cluster.ts';
import { NatsUnderTest } from './nats.ts';

/** Generous: the figures that count are told beside the report. */
const limitMs = 120_000;

interface Parts {
  readonly cluster: Cluster;
  readonly namespace: string;
  readonly seed: number;
  readonly proxy: ApiProxy;
  readonly folder: string;
}

export class Scene {
  readonly namespace: string;
  readonly seed: number;
  readonly proxy: ApiProxy;
  readonly kube: Kube;
  readonly onlooker: Onlooker;
  /** Where the controller may have Leases. */
  readonly leaseNamespace: string;
  /** For the scenario's own files. */
  readonly folder: string;
  readonly nats: NatsUnderTest;
  readonly #programs = new Programs();
  #program: Program | undefined;
  #url = '';

  private constructor({ cluster, namespace, seed, proxy, folder }: Parts) {
    this.namespace = namespace;
    this.seed = seed;
    this.proxy = proxy;
    this.kube = new Kube(cluster.client);
    this.onlooker = cluster.onlooker;
    this.leaseNamespace = cluster.leaseNamespace;
    this.folder = folder;
    this.nats = new NatsUnderTest(folder);
  }

  static async open(cluster: Cluster, namespace: string, seed: number): Promise<Scene> {
    const proxy = await ApiProxy.start(cluster.connection, { seed, namespace });
    const folder = mkdtempSync(join(cluster.folder, 'faults-'));
    const scene = new Scene({ cluster, namespace, seed, proxy, folder });
    await scene.kube.send({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    });
    await eventually(
      `a default service account in ${namespace}`,
      () => scene.kube.list(namespace, 'serviceaccounts'),
      (accounts) => accounts.length > 0,
    );
    return scene;
  }

  // -- the controller -----------------------------------------------------------------------------

  get tokenFile(): string {
    return join(this.folder, 'token');
  }

  /** Starts the controller behind the proxy, without NATS unless `settings` say so, and waits until
   *  it is synced. Its bearer token is `first`. */
  async controller(settings: JsonObject = {}): Promise<void> {
    writeFileSync(this.tokenFile, 'first');
    const kubeconfig = this.#write(
      'kubeconfig.json',
      kubeconfigThrough(this.proxy, { tokenFile: this.tokenFile }),
    );
    const config = this.#write('controller.json', {
      apiVersion: 'coppice.dev/v1alpha1',
      kind: 'CoppiceConfiguration',
      bus: { enabled: false },
      server: { bindAddress: '127.0.0.1', healthPort: 0, metricsPort: 0 },
      ...settings,
    });
    const flags = ['--config', config, '--kubeconfig', kubeconfig];
    this.#program = this.#programs.coppice('controller', ...flags);
    const [, url = ''] = await this.#program.line(/"health":"([^"]+)"/);
    this.#url = url;
    await this.#program.line(/controller synced/);
  }

  metrics(): Promise<Exposition> {
    return scrape(this.#url);
  }

  async metric(name: string, labels: Readonly<Record<string, string>> = {}): Promise<number> {
    return (await this.metrics()).sum(name, labels);
  }

  /** What is wrong with the process itself: sentences, empty for one that ran through. */
  async damage(): Promise<readonly string[]> {
    if (this.#program === undefined) return [];
    const ended = await Promise.race([this.#program.ended, Promise.resolve(undefined)]);
    if (ended !== undefined) return [`the controller ended: ${JSON.stringify(ended)}`];
    const metrics = await this.metrics();
    return ['coppice_actor_restarts_total', 'coppice_actors_parked']
      .map((name) => [name, metrics.sum(name)] as const)
      .filter(([, count]) => count !== 0)
      .map(([name, count]) => `${name} is ${count}`);
  }

  // -- the cluster --------------------------------------------------------------------------------

  async create(wanted: SetWanted): Promise<void> {
    await this.kube.create(this.namespace, 'podcliquesets', manifest(wanted));
  }

  /** Resolves with the milliseconds that it took until the namespace holds exactly this set. */
  async ready(wanted: SetWanted): Promise<number> {
    const begun = performance.now();
    await this.pods(podsOf(wanted));
    await eventually(
      `${wanted.name} ready as wanted, seed ${this.seed}`,
      async () => complaints(await this.look(), wanted),
      (wrong) => wrong.length === 0,
      limitMs,
    );
    return performance.now() - begun;
  }

  look(): Promise<Snapshot> {
    return snapshot(this.kube, this.namespace);
  }

  /** Until so many pods are ready, and there are no others. */
  pods(count: number, withinMs = limitMs): Promise<void> {
    const { onlooker, namespace } = this;
    const tell = () => ({
      pods: onlooker.all('pods', namespace).size,
      ready: onlooker.readyPods(namespace),
    });
    const isThere = (): boolean => tell().pods === count && tell().ready === count;
    return onlooker.until(`${count} pods ready, seed ${this.seed}`, isThere, tell, withinMs);
  }

  /** Until nothing is left of any set. */
  async empty(): Promise<void> {
    await eventually(
      `${this.namespace} empty, seed ${this.seed}`,
      () => remnants(this.kube, this.namespace),
      (rest) => rest.length === 0,
      limitMs,
    );
  }

  /** Pods that ever were in the namespace. */
  get podsEver(): number {
    return this.onlooker.podsEver(this.namespace);
  }

  /** Until the controller has written nothing for a while. */
  async quiet(forMs = 2000): Promise<void> {
    for (let before = -1; before !== this.proxy.traffic.writes.length;) {
      before = this.proxy.traffic.writes.length;
      await pause(forMs);
    }
  }

  // -- time and talk ------------------------------------------------------------------------------

  /** The only way for a scenario to let time pass. */
  idle(ms: number): Promise<void> {
    return pause(ms);
  }

  /** A figure, beside the report. */
  say(figure: string): void {
    process.stderr.write(`${this.namespace}: ${figure}\n`);
  }

  async end(): Promise<void> {
    await this.#programs.end();
    await this.nats.end();
    await this.proxy.end();
    await clear(this.kube, this.namespace);
    rmSync(this.folder, { recursive: true, force: true });
  }

  #write(name: string, content: JsonObject): string {
    const file = join(this.folder, name);
    writeFileSync(file, JSON.stringify(content));
    return file;
  }
}
