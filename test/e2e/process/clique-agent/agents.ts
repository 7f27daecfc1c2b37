// Clique agents as processes, each with files of its own and a stand-in for IMEX.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { objectAt, textAt } from '#machines/kubernetes/fields.ts';
import type { KubeClient } from '#src/devcluster/controllers/client.ts';
import { eventually } from '#test/support/eventually.ts';
import type { Program, Programs } from '#test/support/program.ts';

const main = fileURLToPath(new URL('../../../../src/clique-agent.ts', import.meta.url));
const imex = fileURLToPath(new URL('./imex.mjs', import.meta.url));

export interface Agent {
  readonly program: Program;
  readonly folder: string;
  readonly pod: { readonly name: string; readonly uid: string };
  hosts(): string;
  /** Puts an empty file there. */
  touch(name: string): void;
}

/** What the DaemonSet and the claim tell an agent. */
export interface AgentOf {
  readonly pod: {
    readonly name: string;
    readonly uid: string;
    readonly namespace: string;
    readonly node: string;
    readonly ip: string;
  };
  readonly domain: {
    readonly uid: string;
    readonly name: string;
    readonly namespace: string;
    readonly cliqueID: string;
  };
  readonly maxNodes: number;
}

interface Secret {
  readonly token: string;
  readonly ca: string;
}

/** Of the API server, on this machine. */
interface Server extends Secret {
  readonly port: number;
}

/** `end` belongs in an `afterAll`, after that of the programs. */
export class Agents {
  readonly #programs: Programs;
  readonly #server: Server;
  readonly #folders: string[] = [];

  constructor(programs: Programs, server: Server) {
    this.#programs = programs;
    this.#server = server;
  }

  end(): void {
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }

  run(
    { pod, domain, maxNodes }: AgentOf,
    over: Readonly<Record<string, string>> = {},
    args: readonly string[] = [],
  ): Agent {
    const folder = this.#files();
    const env = {
      CLIQUE_ID: domain.cliqueID,
      COMPUTE_DOMAIN_UUID: domain.uid,
      COMPUTE_DOMAIN_NAME: domain.name,
      COMPUTE_DOMAIN_NAMESPACE: domain.namespace,
      NODE_NAME: pod.node,
      POD_IP: pod.ip,
      POD_UID: pod.uid,
      POD_NAME: pod.name,
      POD_NAMESPACE: pod.namespace,
      MAX_NODES_PER_IMEX_DOMAIN: String(maxNodes),
      LOG_VERBOSITY: '4',
      COPPICE_IMEX_CONFIG: join(folder, 'imexd.cfg'),
      COPPICE_IMEX_NODES: join(folder, 'nodes.cfg'),
      COPPICE_HOSTS_FILE: join(folder, 'hosts'),
      COPPICE_ROOT: folder,
      COPPICE_IMEX_COMMAND: `${process.execPath} ${imex} ${folder}`,
      KUBERNETES_SERVICE_HOST: '127.0.0.1',
      KUBERNETES_SERVICE_PORT: String(this.#server.port),
      ...over,
    };
    const words = Object.entries(env).map(([key, value]) => `${key}=${value}`);
    return {
      program: this.#programs.run('/usr/bin/env', [...words, process.execPath, main, ...args]),
      folder,
      pod,
      hosts: () => readFileSync(join(folder, 'hosts'), 'utf8'),
      touch: (file) => writeFileSync(join(folder, file), ''),
    };
  }

  #files(): string {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-agent-'));
    this.#folders.push(folder);
    const account = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
    mkdirSync(account, { recursive: true });
    writeFileSync(join(account, 'token'), this.#server.token);
    writeFileSync(join(account, 'ca.crt'), this.#server.ca);
    writeFileSync(join(folder, 'imexd.cfg.tmpl'), 'IP={{ .BindIP }}\nNODES={{ .NodesPath }}\n');
    writeFileSync(join(folder, 'hosts'), '127.0.0.1\tlocalhost\n');
    return folder;
  }
}

/** A lasting token of an account that is there. */
export async function tokenOf(
  client: KubeClient,
  namespace: string,
  account: string,
): Promise<Secret> {
  const base = `/api/v1/namespaces/${namespace}/secrets`;
  const annotations = { 'kubernetes.io/service-account.name': account };
  await client.create(base, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'daemon-token', annotations },
    type: 'kubernetes.io/service-account-token',
  });
  const filled = await eventually(
    'the token',
    async () => objectAt((await client.get(`${base}/daemon-token`)).body, 'data'),
    (data) => textAt(data, 'token') !== '',
  );
  const decode = (key: string): string =>
    Buffer.from(textAt(filled, key), 'base64').toString('utf8');
  return { token: decode('token'), ca: decode('ca.crt') };
}
