// What agents need around them where no controller is: the embedded cluster over HTTPS behind a
// door that can be shut, the clique object, and a pod each.
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { Cluster } from '#src/devcluster/cluster.ts';
import { KubeClient } from '#src/devcluster/controllers/client.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { eventually } from '#test/support/eventually.ts';
import { freePort } from '#test/support/ports.ts';
import { Programs } from '#test/support/program.ts';
import { type Agent, Agents, tokenOf } from './agents.ts';

const group = 'resource.nvidia.com';
const apis = `/apis/${group}/v1beta1/namespaces/default`;
export const cliques = `${apis}/computedomaincliques`;
export const domains = `${apis}/computedomains`;
const pods = '/api/v1/namespaces/default/pods';
export const clique = 'cd-1.fabric.7';

export type AgentRow = readonly [node: string, index: number, ip: string];

/** As the CRD has it. */
export const daemonsOf = (rows: readonly AgentRow[]): JsonObject[] =>
  rows.map(([nodeName, index, ipAddress]) => ({
    nodeName,
    index,
    ipAddress,
    cliqueID: 'fabric.7',
    status: 'NotReady',
  }));

/** Open to all fields: what is tested is who reads them. */
const crd = (kind: string): JsonObject => {
  const singular = kind.toLowerCase();
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${singular}s.${group}` },
    spec: {
      group,
      names: { kind, plural: `${singular}s`, singular, listKind: `${kind}List` },
      scope: 'Namespaced',
      versions: [
        { name: 'v1beta1', served: true, storage: true, schema: { openAPIV3Schema: schema } },
      ],
    },
  };
};

/** A TCP way to a server that can be cut. */
class Door {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  port = 0;

  /** On the same port as before. */
  async open(to: number): Promise<void> {
    if (this.port === 0) this.port = await freePort();
    const server = createServer((socket) => {
      const beyond = connect({ host: '127.0.0.1', port: to });
      for (const end of [socket, beyond]) {
        this.#sockets.add(end);
        end.on('error', () => end.destroy()).on('close', () => this.#sockets.delete(end));
      }
      socket.on('close', () => beyond.destroy()).pipe(beyond);
      beyond.on('close', () => socket.destroy()).pipe(socket);
    });
    this.#server = server;
    await new Promise<void>((resolve) => void server.listen(this.port, '127.0.0.1', resolve));
  }

  async shut(): Promise<void> {
    const server = this.#server;
    const closed = new Promise((resolve) => server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

export class Stage {
  readonly programs = new Programs();
  #found: Agents | undefined;
  #cluster: Cluster | undefined;
  #client: KubeClient | undefined;
  #port = 0;
  readonly door = new Door();

  get #agents(): Agents {
    if (this.#found === undefined) throw new Error('the stage has not started');
    return this.#found;
  }

  get client(): KubeClient {
    if (this.#client === undefined) throw new Error('the stage has not started');
    return this.#client;
  }

  async start(): Promise<void> {
    const cluster = createCluster({ clock: systemClock, random: systemRandom });
    this.#cluster = cluster;
    await cluster.start();
    this.#port = Number(new URL((await cluster.listen()).url).port);
    await this.door.open(this.#port);
    const client = new KubeClient(cluster.transport());
    this.#client = client;
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await client.create(definitions, crd('ComputeDomainClique'));
    await client.create(definitions, crd('ComputeDomain'));
    const account = { kind: 'ServiceAccount', apiVersion: 'v1', metadata: { name: 'daemon' } };
    await client.create('/api/v1/namespaces/default/serviceaccounts', account);
    const secret = await tokenOf(client, 'default', 'daemon');
    this.#found = new Agents(this.programs, { ...secret, port: this.door.port });
    for (const path of [cliques, domains]) {
      await eventually(
        'served',
        () => client.get(path),
        ({ status }) => status === 200,
      );
    }
  }

  async end(): Promise<void> {
    await this.programs.end();
    await this.door.shut();
    await this.#cluster?.stop();
    this.#found?.end();
  }

  openDoor(): Promise<void> {
    return this.door.open(this.#port);
  }

  /** Its pod, files and process. `name` is that of the pod and of the node. */
  async agent(
    name: string,
    ip: string,
    over: Readonly<Record<string, string>> = {},
    args: readonly string[] = [],
  ): Promise<Agent> {
    const { body } = await this.client.create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'main', image: 'driver:1' }] },
    });
    const uid = textAt(objectAt(body, 'metadata'), 'uid');
    const pod = { name, uid, namespace: 'default', node: name, ip };
    const domain = { uid: 'cd-1', name: 'domain', namespace: 'default', cliqueID: 'fabric.7' };
    return this.#agents.run({ pod, domain, maxNodes: 4 }, over, args);
  }

  /** Writes the rows, as the controller does. */
  async rows(...rows: readonly AgentRow[]): Promise<string> {
    const daemons = daemonsOf(rows);
    const path = `${cliques}/${clique}`;
    const before = await this.client.get(path);
    const object = {
      apiVersion: `${group}/v1beta1`,
      kind: 'ComputeDomainClique',
      metadata: { name: clique },
      daemons,
    };
    const version = textAt(objectAt(before.body, 'metadata'), 'resourceVersion');
    const { body } =
      before.status === 404
        ? await this.client.create(cliques, object)
        : await this.client.replace(path, {
            ...object,
            metadata: { name: clique, resourceVersion: version },
          });
    return textAt(objectAt(body, 'metadata'), 'resourceVersion');
  }

  async removeClique(): Promise<void> {
    const path = `${cliques}/${clique}`;
    const { body, status } = await this.client.get(path);
    if (status === 200) {
      await this.client.remove(path, textAt(objectAt(body, 'metadata'), 'uid'));
    }
  }

  async podOf({ pod }: Agent): Promise<JsonObject> {
    return objectAt((await this.client.get(`${pods}/${pod.name}`)).body, 'metadata') ?? {};
  }
}
