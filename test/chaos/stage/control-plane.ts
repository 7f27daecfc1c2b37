// The real control plane of a day of chaos, and what strikes it: its API server and NATS end and
// come back, nodes are lost, and once etcd is restored from a backup. Everything is in one folder,
// that goes with it.
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from '#src/devcluster/api/store/store.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import type { HttpTransport } from '#src/kube/transport/http.ts';
import type { NatsServer } from '#src/natsserver/process.ts';
import { systemClock } from '#src/time/clock.ts';
import { transportOf } from '#test/cluster/client.ts';
import type { ProcessName } from '#test/cluster/commands.ts';
import { isAlive } from '#test/cluster/processes.ts';
import { readState } from '#test/cluster/state.ts';
import { down, restart, up, whileDown } from '#test/cluster/up.ts';
import { listAt, textAt } from '#test/sim/fields.ts';
import { eventually } from '#test/support/eventually.ts';
import { startTestServer } from '#test/support/nats.ts';
import { freePort } from '#test/support/ports.ts';
import { provideCrds, taint, untaint } from '../../e2e/real/cluster-wide.ts';
import { Kube } from '../../e2e/real/kube.ts';

const nodes = 6;
const limit = { qps: 1000, burst: 2000 };
const broken = { key: 'example.com/broken', effect: 'NoExecute' };
const servingMs = 120_000;
/** From one look at whether all of them run to the next. */
const keptMs = 1_000;
const others: readonly ProcessName[] = ['kube-controller-manager', 'kube-scheduler', 'kwok'];

/** Where it listens, and what it keeps, stay the same. */
interface NatsPlace {
  readonly dataDir: string;
  readonly port: number;
}

export class ControlPlane {
  readonly folder: string;
  readonly etcdUrl: string;
  readonly transport: HttpTransport;
  /** Who the controllers are to the server. */
  readonly connection: KubeConnection;
  readonly #natsPlace: NatsPlace;
  #nats: NatsServer;
  /** Processes of Kubernetes are taken away on purpose. */
  #isAway = false;
  #isEnded = false;

  private constructor(parts: {
    readonly folder: string;
    readonly etcdUrl: string;
    readonly transport: HttpTransport;
    readonly connection: KubeConnection;
    readonly natsPlace: NatsPlace;
    readonly nats: NatsServer;
  }) {
    this.folder = parts.folder;
    this.etcdUrl = parts.etcdUrl;
    this.transport = parts.transport;
    this.connection = parts.connection;
    this.#natsPlace = parts.natsPlace;
    this.#nats = parts.nats;
    void this.#keep();
  }

  /** Up, with all CRDs; or nothing is left of it. */
  static async start(root: string): Promise<ControlPlane> {
    const folder = join(root, 'cluster');
    try {
      return await ControlPlane.#start(root, folder);
    } catch (error) {
      await down(folder);
      throw error;
    }
  }

  static async #start(root: string, folder: string): Promise<ControlPlane> {
    const limits = { schedulerLimit: limit, managerLimit: limit };
    const state = await up({
      folder,
      port: 0,
      nodes,
      audit: true,
      hasPlainStorage: true,
      ...limits,
    });
    const natsPlace = { dataDir: join(root, 'nats'), port: await freePort() };
    const nats = await startTestServer(natsPlace);
    const transport = await transportOf(state.kubeconfig);
    // On a busy machine a kind may be served late.
    await patient(() => provideCrds(transport, folder));
    const connection = await loadConnection({ file: state.controllerKubeconfig }, systemClock);
    const etcdUrl = `http://127.0.0.1:${state.etcdPort}`;
    return new ControlPlane({ folder, etcdUrl, transport, connection, natsPlace, nats });
  }

  get natsUrl(): string {
    return `nats://127.0.0.1:${this.#natsPlace.port}`;
  }

  async restartApiServer(forMs: number): Promise<void> {
    await restart(this.folder, 'kube-apiserver', forMs);
    await this.#serving();
  }

  async restartNats(forMs: number): Promise<void> {
    process.kill(this.#nats.pid, 'SIGKILL');
    await this.#nats.exited;
    await pause(forMs);
    this.#nats = await startTestServer(this.#natsPlace);
  }

  /** The pods of a node are evicted, and none come to it for so long. */
  async loseNode(draw: number, forMs: number): Promise<void> {
    const node = `kwok-${Math.floor(draw * nodes)}`;
    const repair = await patient(() => taint(new Kube(this.transport), node, broken));
    await pause(forMs);
    await patient(repair);
  }

  /** No node is lost any more: one that was when the backup was made may be so again. */
  async repairNodes(): Promise<void> {
    for (let index = 0; index < nodes; index++) {
      await patient(() => untaint(new Kube(this.transport), `kwok-${index}`, broken.key));
    }
  }

  /** Where the answer to a binding is lost, the scheduler says of a pod with a node that it has
   *  none. A kubelet says that of none of its pods; KWOK leaves it. */
  async confirmPods(store: Store): Promise<void> {
    const misjudged = store
      .collection('/pods')
      .list()
      .filter((pod) => textAt(pod, 'spec', 'nodeName') !== '' && isUnscheduled(pod));
    for (const { metadata } of misjudged) {
      const [namespace, name] = [String(metadata['namespace']), String(metadata['name'])];
      await this.transport.request({
        method: 'PATCH',
        path: `/api/v1/namespaces/${namespace}/pods/${name}/status`,
        contentType: 'application/strategic-merge-patch+json',
        body: { status: { conditions: [{ type: 'PodScheduled', status: 'True' }] } },
      });
    }
  }

  async backUp(): Promise<void> {
    await whileDown(this.folder, ['etcd'], () =>
      cp(this.#data, join(this.folder, 'backup'), { recursive: true }),
    );
    await this.#serving();
  }

  /** Kubernetes' own processes are started anew, as it asks whoever restores to do. `between`:
   *  nothing serves. */
  async restore(between: () => Promise<void>): Promise<void> {
    await this.#whileDown(others, async () => {
      await whileDown(this.folder, ['kube-apiserver', 'etcd'], async () => {
        await between();
        await rm(this.#data, { recursive: true });
        await cp(join(this.folder, 'backup'), this.#data, { recursive: true });
      });
      await this.#serving();
    });
  }

  /** The garbage collector gets over an API server that was away in half a minute only. */
  async refresh(): Promise<void> {
    await this.#whileDown(['kube-controller-manager'], () => Promise.resolve());
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    while (this.#isAway) await pause(keptMs);
    await this.transport.close();
    await this.#nats.stop();
    await down(this.folder);
  }

  /** As a kubelet does it: the scheduler ends itself where a pod is on another node than it was. */
  async #keep(): Promise<void> {
    while (!this.#isEnded) {
      await pause(keptMs);
      if (this.#isAway || this.#isEnded) continue;
      const processes = readState(this.folder)?.processes ?? [];
      const ended = processes.filter((row) => !isAlive(row)).map(({ name }) => name);
      const names = others.filter((name) => ended.includes(name));
      if (names.length > 0) await this.#whileDown(names, () => Promise.resolve());
    }
  }

  async #whileDown(names: readonly ProcessName[], act: () => Promise<void>): Promise<void> {
    while (this.#isAway) await pause(keptMs);
    this.#isAway = true;
    try {
      await whileDown(this.folder, names, act);
    } finally {
      this.#isAway = false;
    }
  }

  get #data(): string {
    return readState(this.folder)?.dataFolder ?? '';
  }

  async #serving(): Promise<void> {
    const ask = () =>
      this.transport.request({ method: 'GET', path: '/readyz' }).then(
        ({ status }) => status === 200,
        () => false,
      );
    await eventually('the API server ready', ask, (isUp) => isUp, servingMs);
  }
}

const isUnscheduled = (pod: unknown): boolean =>
  listAt(pod, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'PodScheduled' && textAt(one, 'status') === 'False',
  );

/** The server may be away: what must be done is tried until it is. */
async function patient<T>(act: () => Promise<T>): Promise<T> {
  for (let left = 60; ; left--) {
    try {
      return await act();
    } catch (error) {
      if (left === 0) throw error;
      await pause(500);
    }
  }
}
