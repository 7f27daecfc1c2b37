// What a situation is made of: a namespace of its own on the embedded cluster, the objects that
// users put there, and faults of the API server for requests about it.
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { FaultRule } from '#src/devcluster/faults.ts';
import { controllerUser } from '#src/devcluster/auth/user.ts';
import type { Cluster } from '#src/devcluster/cluster.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { eventually } from '#test/support/eventually.ts';
import { cliqueTemplate, type CliqueOptions } from '#test/support/samples.ts';
import { createNamespace, get, must, patchSet, setsIn } from '#test/support/workload.ts';

/** Of a clique besides what every test has. */
interface Clique extends CliqueOptions {
  /** By which the simulated kubelet behaves (src/devcluster/controllers/kubelet/script.ts). */
  readonly script?: Readonly<Record<string, string>>;
  readonly resourceSharing?: readonly JsonObject[];
}

export interface SetWanted {
  readonly replicas?: number;
  readonly cliques?: readonly Clique[];
  readonly metadata?: JsonObject;
  /** Besides its cliques. */
  readonly template?: JsonObject;
  readonly spec?: JsonObject;
}

const container = { name: 'main', image: 'busybox:1' };

/** No node has so many. */
export const tooMany: JsonObject = { 'nvidia.com/gpu': '9' };

export const podSpec = (resources: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  ...more,
  containers: [{ ...container, resources: { requests: resources, limits: resources } }],
});

/** For whatever is waited for, on a machine that does much else. */
export const limitMs = 120_000;

/** Without an end. */
const always = { times: Number.MAX_SAFE_INTEGER } as const;

export class Scene {
  readonly namespace: string;
  readonly cluster: Cluster;
  readonly client: KubeTransport;
  readonly #ends: (() => unknown)[] = [];

  private constructor(cluster: Cluster, namespace: string) {
    this.cluster = cluster;
    this.client = cluster.transport();
    this.namespace = namespace;
  }

  static async open(cluster: Cluster, namespace: string): Promise<Scene> {
    const scene = new Scene(cluster, namespace);
    await createNamespace(scene.client, namespace);
    return scene;
  }

  /** Takes back faults, and what else `atEnd` was told of. */
  async close(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end();
  }

  atEnd(end: () => unknown): void {
    this.#ends.push(end);
  }

  // -- what goes wrong ----------------------------------------------------------------------------

  /** For requests about this namespace, unless the rule says otherwise. */
  fault(rule: FaultRule): void {
    const { remove } = this.cluster.faults.add({ namespace: this.namespace, ...always, ...rule });
    this.atEnd(remove);
  }

  /** The API server refuses to create objects of a kind. */
  refuse(kind: string, code: number, message: string, more: { retryAfterSeconds?: number } = {}) {
    this.fault({ verb: 'create', kind, fault: { kind: 'error', code, message, ...more } });
  }

  /** The kubelet tells nothing of pods from now on: the test does, by `report`. */
  silence(): void {
    const fault = { kind: 'error', code: 403, message: 'the test tells' } as const;
    this.fault({ kind: 'Pod', subresource: 'status', user: controllerUser.name, fault });
  }

  // -- objects ------------------------------------------------------------------------------------

  create(path: string, body: JsonObject): Promise<unknown> {
    return must(this.client, { method: 'POST', path, body });
  }

  /** `replicas: 1` of one clique `worker` with two pods, unless it says otherwise. */
  createSet({ replicas = 1, cliques = [{ name: 'worker' }], ...more }: SetWanted = {}) {
    return this.create(setsIn(this.namespace), {
      apiVersion: 'grove.io/v1alpha1',
      kind: 'PodCliqueSet',
      metadata: { name: 'demo', ...more.metadata },
      spec: {
        ...more.spec,
        replicas,
        template: { ...more.template, cliques: cliques.map(templateOf) },
      },
    });
  }

  /** Another template of `worker`. */
  update(clique: Clique): Promise<unknown> {
    const template = { cliques: [templateOf(clique)] };
    return patchSet(this.client, this.namespace, 'demo', { spec: { template } });
  }

  of(group: string, plural: string, name = ''): string {
    const root = group.includes('/') ? `/apis/${group}` : `/api/${group}`;
    return `${root}/namespaces/${this.namespace}/${plural}${name === '' ? '' : `/${name}`}`;
  }

  patch(path: string, body: JsonObject): Promise<unknown> {
    const contentType = 'application/merge-patch+json';
    return must(this.client, { method: 'PATCH', path, contentType, body });
  }

  delete(path: string): Promise<unknown> {
    return must(this.client, { method: 'DELETE', path });
  }

  /** So many pods at least, once they are there. */
  async pods(prefix: string, least = 1): Promise<readonly string[]> {
    const named = async (): Promise<readonly string[]> =>
      list(at(await get(this.client, this.of('v1', 'pods')), 'items'))
        .map((pod) => text(at(pod, 'metadata', 'name')))
        .filter((name) => name.startsWith(prefix));
    return eventually(`${least} pods`, named, ({ length }) => length >= least, limitMs);
  }

  /** In the place of the kubelet and the scheduler, of all pods of a PodClique. */
  async report(prefix: string, status: JsonObject, least = 1): Promise<void> {
    for (const name of await this.pods(prefix, least)) {
      await this.patch(`${this.of('v1', 'pods', name)}/status`, { status });
    }
  }

  /** All replicas of the set. */
  async ready(name = 'demo'): Promise<void> {
    const set = () => get(this.client, `${setsIn(this.namespace)}/${name}`);
    const isReady = (one: unknown): boolean =>
      at(one, 'status', 'availableReplicas') === at(one, 'spec', 'replicas');
    await eventually('ready', set, isReady, limitMs);
  }
}

function templateOf({ script = {}, resourceSharing, ...clique }: Clique): JsonObject {
  const template = cliqueTemplate(clique);
  const annotations = Object.fromEntries(
    Object.entries(script).map(([what, value]) => [`dev.coppice/${what}`, value]),
  );
  return {
    ...template,
    annotations,
    ...(resourceSharing === undefined ? {} : { resourceSharing: [...resourceSharing] }),
  };
}
