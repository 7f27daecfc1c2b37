// What agents need around them: the embedded cluster over HTTPS behind a door that can be shut, the
// clique object, a pod each, its files, and a stand-in for IMEX.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import type { Cluster } from '#src/devcluster/cluster.ts';
import { KubeClient } from '#src/devcluster/controllers/client.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { eventually } from '#test/support/eventually.ts';
import { Programs } from '#test/support/program.ts';
import type { Program } from '#test/support/program.ts';

const main = fileURLToPath(new URL('../../../../src/clique-agent.ts', import.meta.url));
const imex = fileURLToPath(new URL('./imex.mjs', import.meta.url));

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
  open(to: number): Promise<void> {
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
    return new Promise((resolve) => {
      server.listen(this.port, '127.0.0.1', () => {
        const address = server.address();
        if (typeof address === 'object' && address !== null) this.port = address.port;
        resolve();
      });
    });
  }

  async shut(): Promise<void> {
    const server = this.#server;
    const closed = new Promise((resolve) => server?.close(resolve));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }
}

export interface Agent {
  readonly program: Program;
  readonly folder: string;
  readonly pod: { readonly name: string; readonly uid: string };
  hosts(): string;
  /** Puts an empty file there. */
  touch(name: string): void;
}

export class Stage {
  readonly programs = new Programs();
  readonly #folders: string[] = [];
  #cluster: Cluster | undefined;
  #client: KubeClient | undefined;
  #port = 0;
  readonly door = new Door();
  readonly #secret = { token: '', ca: '' };

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
    await this.#makeToken(client);
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
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }

  openDoor(): Promise<void> {
    return this.door.open(this.#port);
  }

  async #makeToken(client: KubeClient): Promise<void> {
    const base = '/api/v1/namespaces/default';
    await client.create(`${base}/serviceaccounts`, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'daemon' },
    });
    const annotations = { 'kubernetes.io/service-account.name': 'daemon' };
    await client.create(`${base}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'daemon-token', annotations },
      type: 'kubernetes.io/service-account-token',
    });
    const filled = await eventually(
      'the token',
      async () => objectAt((await client.get(`${base}/secrets/daemon-token`)).body, 'data'),
      (data) => textAt(data, 'token') !== '',
    );
    const decode = (key: string): string =>
      Buffer.from(textAt(filled, key), 'base64').toString('utf8');
    this.#secret.token = decode('token');
    this.#secret.ca = decode('ca.crt');
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
    const folder = this.#files();
    const env = {
      CLIQUE_ID: 'fabric.7',
      COMPUTE_DOMAIN_UUID: 'cd-1',
      COMPUTE_DOMAIN_NAME: 'domain',
      COMPUTE_DOMAIN_NAMESPACE: 'default',
      NODE_NAME: name,
      POD_IP: ip,
      POD_UID: uid,
      POD_NAME: name,
      POD_NAMESPACE: 'default',
      MAX_NODES_PER_IMEX_DOMAIN: '4',
      LOG_VERBOSITY: '4',
      COPPICE_IMEX_CONFIG: join(folder, 'imexd.cfg'),
      COPPICE_IMEX_NODES: join(folder, 'nodes.cfg'),
      COPPICE_HOSTS_FILE: join(folder, 'hosts'),
      COPPICE_ROOT: folder,
      COPPICE_IMEX_COMMAND: `${process.execPath} ${imex} ${folder}`,
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(this.door.port),
      ...over,
    };
    const words = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    const program = this.programs.run('/usr/bin/env', [...words, process.execPath, main, ...args]);
    return {
      program,
      folder,
      pod: { name, uid },
      hosts: () => readFileSync(join(folder, 'hosts'), 'utf8'),
      touch: (file) => writeFileSync(join(folder, file), ''),
    };
  }

  #files(): string {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-agent-'));
    this.#folders.push(folder);
    const account = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
    mkdirSync(account, { recursive: true });
    writeFileSync(join(account, 'token'), this.#secret.token);
    writeFileSync(join(account, 'ca.crt'), this.#secret.ca);
    writeFileSync(join(folder, 'imexd.cfg.tmpl'), 'IP={{ .BindIP }}\nNODES={{ .NodesPath }}\n');
    writeFileSync(join(folder, 'hosts'), '127.0.0.1\tlocalhost\n');
    return folder;
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
