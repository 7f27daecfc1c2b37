// A cluster on a virtual clock for the tests of the simulated controllers, with the few requests
// that they make of it.
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { Cluster, ClusterPlugin } from '#src/devcluster/cluster.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { asStored, KubeClient } from '#src/devcluster/controllers/client.ts';
import type { ControllerOptions } from '#src/devcluster/controllers/index.ts';
import { FaultPlan } from '#src/devcluster/faults.ts';
import { grovePlugin } from '#src/devcluster/plugins/grove/index.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';

export interface WorldOptions {
  readonly seed?: number;
  readonly nodes?: number;
  readonly controllers?: ControllerOptions;
  readonly faults?: FaultPlan;
  /** Default: Grove's. */
  readonly plugins?: readonly ClusterPlugin[];
}

export class World {
  readonly clock = new VirtualClock();
  readonly cluster: Cluster;
  readonly client: KubeClient;

  constructor({ seed = 1, nodes = 3, controllers = {}, faults, plugins }: WorldOptions) {
    this.cluster = createCluster({
      clock: this.clock,
      random: seeded(seed),
      nodes,
      controllers,
      plugins: plugins ?? [grovePlugin],
      faults: faults ?? new FaultPlan(),
    });
    this.client = new KubeClient(this.cluster.transport());
  }

  async create(path: string, object: JsonObject): Promise<Stored> {
    const { status, body } = await this.client.create(path, object);
    const stored = asStored(body);
    if (status !== 201 || stored === undefined) {
      throw new Error(`create at ${path}: ${status} ${textAt(body, 'message')}`);
    }
    return stored;
  }

  async createPod(name: string, spec: JsonObject = {}, metadata: JsonObject = {}): Promise<Stored> {
    return this.create('/api/v1/namespaces/default/pods', {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, ...metadata },
      spec: { containers: [{ name: 'main', image: 'nginx:1' }], ...spec },
    });
  }

  /** Undefined when it is not there. */
  async get(path: string): Promise<Stored | undefined> {
    const { status, body } = await this.client.get(path);
    return status === 200 ? asStored(body) : undefined;
  }

  async pod(name: string): Promise<Stored | undefined> {
    return this.get(`/api/v1/namespaces/default/pods/${name}`);
  }

  async list(path: string): Promise<JsonObject[]> {
    return objectsAt((await this.client.get(path)).body, 'items');
  }

  /** Objects of a built-in kind as the store holds them, `/pods`, `apps/deployments`. */
  stored(key: string): readonly Stored[] {
    return this.cluster.store.collection(key).list();
  }

  /** Advances until the claim holds; fails after the limit of virtual time. */
  async until(what: string, claim: () => boolean, limitMs = 60_000): Promise<void> {
    if (await this.clock.until(claim, limitMs)) return;
    throw new Error(`after ${limitMs} ms of virtual time: ${what}`);
  }

  readyPods(): number {
    return this.stored('/pods').filter(isReady).length;
  }
}

export const isReady = (pod: Stored): boolean =>
  objectsAt(objectAt(pod, 'status'), 'conditions').some(
    (condition) => condition['type'] === 'Ready' && condition['status'] === 'True',
  );

/** Starts a cluster, waits until it is quiet, runs the test and stops it. */
export async function withWorld(
  options: WorldOptions,
  run: (world: World) => Promise<void>,
): Promise<void> {
  const world = new World(options);
  try {
    await world.cluster.start();
    await world.until('the cluster is quiet', () => world.cluster.idle());
    await run(world);
  } finally {
    const stopped = world.cluster.stop();
    await world.clock.drain();
    await stopped;
  }
}
