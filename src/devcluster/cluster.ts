// The embedded cluster as a whole: store, API server, HTTPS, and the simulated controllers as its
// ordinary clients. `coppice dev`, the benchmarks and the simulations start it from here.
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:https';
import { join } from 'node:path';
import type { Clock, Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { writeKubeconfig } from '#src/kube/connect/kubeconfig-file.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { createAuthority } from '#src/tls/authority.ts';
import type { Authority } from '#src/tls/authority.ts';
import { clusterWebhooks } from './admission/cluster.ts';
import { webhookPoster } from './admission/index.ts';
import type { PostReview } from './admission/index.ts';
import { noAdmission } from './api/admission.ts';
import type { Core } from './api/call.ts';
import { watchDefinitions } from './api/resources/crds.ts';
import { Registry } from './api/resources/registry.ts';
import { ApiServer } from './api/server.ts';
import { type Backup, Store } from './api/store/store.ts';
import { newUid } from './api/verbs/meta.ts';
import { userOfToken } from './auth/authenticate.ts';
import { TokenIssuer } from './auth/tokens.ts';
import { adminUser, controllerUser, serverUser } from './auth/user.ts';
import type { User } from './auth/user.ts';
import { bootstrap } from './bootstrap.ts';
import { webhookConversion } from './conversion.ts';
import { startControllers } from './controllers/index.ts';
import type { ControllerOptions, RunningControllers, TokenClaim } from './controllers/index.ts';
import { FaultPlan } from './faults.ts';
import { compactRegularly, expireEvents } from './forgetting.ts';
import { createHttpsServer } from './https.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { RequestLog } from './requests.ts';
import type { ClusterPlugin } from './plugins/contract.ts';
import { processesPlugin } from './processes/index.ts';
import { builtinResources } from './schema/builtin.ts';
import { InProcessTransport } from './transport.ts';

export type { ClusterPlugin } from './plugins/contract.ts';

export type ClusterLog = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: JsonObject,
) => void;

export interface ClusterOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Simulated nodes; default 0. */
  readonly nodes?: number;
  /** Default: no faults. */
  readonly faults?: FaultPlan;
  /** Where the kubeconfig is written by `listen`; nothing else is kept: a cluster begins anew. */
  readonly dataDir?: string;
  /** Of the scheduler, kubelet and so on; false: none of them run. */
  readonly controllers?: ControllerOptions | false;
  /** What API groups add to the scheduler and the kubelet; default: nothing. */
  readonly plugins?: readonly ClusterPlugin[];
  /** True: pods with the annotation `dev.coppice/process: "true"` run, as processes of this machine
   *  and of this user; default false, and then nothing that a pod names is ever run. */
  readonly runsProcesses?: boolean;
  /** How reviews are sent, of admission and of conversion; default: over HTTPS. */
  readonly postReview?: PostReview;
  readonly log?: ClusterLog;
}

export interface Listening {
  /** `https://127.0.0.1:6443` */
  readonly url: string;
  /** The kubeconfig file's text, for an admin. */
  readonly kubeconfig: string;
  /** Where it was written; undefined without a dataDir. */
  readonly kubeconfigPath: string | undefined;
}

export interface Cluster {
  /** A client in this process, without HTTP; default user: the admin. */
  transport(user?: User, userAgent?: string): KubeTransport;
  readonly requests: RequestLog;
  readonly faults: FaultPlan;
  readonly store: Store;
  /** Makes the initial objects and starts the controllers. */
  start(): Promise<void>;
  /** Sets the store back, as a restore of etcd does: all watches end, and the simulated controllers
   *  start anew. */
  restore(backup: Backup): Promise<void>;
  /** True when the controllers have nothing to do before something changes. */
  idle(): boolean;
  /** Serves HTTPS and writes the kubeconfig. Port 0: any free one. Rejects for a busy port. */
  listen(address?: { readonly port?: number; readonly host?: string }): Promise<Listening>;
  /** Closes everything; what was stored is forgotten. */
  stop(): Promise<void>;
}

export function createCluster(options: ClusterOptions): Cluster {
  return new EmbeddedCluster(options);
}

class EmbeddedCluster implements Cluster {
  readonly requests = new RequestLog();
  readonly faults: FaultPlan;
  readonly store = new Store();
  readonly #options: ClusterOptions;
  readonly #api: ApiServer;
  readonly #tokens = new TokenIssuer(randomBytes(32));
  readonly #ends: (() => void | Promise<void>)[] = [];
  #running: RunningControllers | undefined;
  #authority: Promise<Authority> | undefined;

  constructor(options: ClusterOptions) {
    this.#options = options;
    this.faults = options.faults ?? new FaultPlan();
    const { clock, random } = options;
    const post = this.#poster();
    const core: Core = {
      store: this.store,
      registry: new Registry(builtinResources()),
      environment: { clock, random },
      tokens: this.#tokens,
      admission: noAdmission,
      convert: webhookConversion({ post, newUid: () => newUid(random) }),
      watches: new Set(),
    };
    core.admission = clusterWebhooks(core, {
      post,
      ignored: (webhook, why) => this.#ignored(webhook, why),
    });
    this.#api = new ApiServer(core, this.faults, this.requests, (error) => this.#bug(error));
    this.#ends.push(() => core.watches.forEach((watch) => watch.close()));
    this.#ends.push(watchDefinitions(core, this.transport(serverUser, 'kube-apiserver')));
  }

  transport(user: User = adminUser, userAgent = 'coppice-in-process'): KubeTransport {
    return new InProcessTransport(this.#api, () => user, userAgent);
  }

  async start(): Promise<void> {
    await bootstrap(this.transport(serverUser, 'kube-apiserver'));
    const { clock } = this.#options;
    this.#ends.push(expireEvents(this.store, clock), compactRegularly(this.store, clock));
    this.#ends.push(() => this.#running?.stop());
    await this.#startControllers();
  }

  async restore(backup: Backup): Promise<void> {
    await this.#running?.stop();
    this.store.restore(backup);
    for (const watch of [...this.#api.core.watches]) watch.close();
    await this.#startControllers();
  }

  async #startControllers(): Promise<void> {
    const { controllers: settings, clock, random, nodes = 0, log } = this.#options;
    const { plugins = [], runsProcesses = false } = this.#options;
    if (settings === false) return;
    const { cert } = await this.#certificates();
    const credentials = {
      caCertificate: cert,
      issueToken: (claim: TokenClaim) => this.#issue(claim),
    };
    this.#running = startControllers({
      transport: this.transport(controllerUser, 'kube-controller-manager'),
      clock,
      random,
      nodes,
      plugins: runsProcesses ? [...plugins, processesPlugin] : plugins,
      connect: (token) => this.#withToken(token),
      options: { credentials, ...settings },
      ...(log === undefined ? {} : { log }),
    });
  }

  idle(): boolean {
    return this.#running?.idle() ?? true;
  }

  async listen({ port = 0, host = '127.0.0.1' } = {}): Promise<Listening> {
    const authority = await this.#certificates();
    const identity = await authority.server(serverNames(host), serverAddresses(host));
    const client = await authority.client(adminUser.name, ['system:masters']);
    const server = createHttpsServer({
      api: this.#api,
      identity,
      authority: authority.cert,
    });
    const bound = await bind(server, port, host);
    this.#ends.push(() => close(server));
    const url = `https://${host.includes(':') ? `[${host}]` : host}:${bound}`;
    const name = 'coppice';
    const text = kubeconfigText({ name, url, authority: authority.cert, client });
    const { dataDir } = this.#options;
    if (dataDir === undefined) return { url, kubeconfig: text, kubeconfigPath: undefined };
    const kubeconfigPath = join(dataDir, 'kubeconfig');
    await writeKubeconfig(kubeconfigPath, text);
    return { url, kubeconfig: text, kubeconfigPath };
  }

  async stop(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) await end();
  }

  /** What a process in a pod reaches the server with. */
  #withToken(token: string): KubeTransport {
    return new InProcessTransport(
      this.#api,
      () => userOfToken(this.#api.core, token),
      'coppice-init',
    );
  }

  #poster(): PostReview {
    if (this.#options.postReview !== undefined) return this.#options.postReview;
    const poster = webhookPoster();
    this.#ends.push(() => poster.close());
    return poster.post;
  }

  #ignored(webhook: string, why: string): void {
    const fields = { webhook, error: why };
    this.#options.log?.('warn', 'an admission webhook failed and was passed over', fields);
  }

  #issue({ namespace, account, accountUid, secret }: TokenClaim): string {
    const { audience } = this.#tokens;
    return this.#tokens.issue({
      namespace,
      name: account,
      uid: accountUid,
      audiences: [audience],
      secret,
    });
  }

  #certificates(): Promise<Authority> {
    // Certificates are read by others, on the time of day: not on the cluster's clock.
    this.#authority ??= createAuthority('coppice-embedded-cluster', Date.now());
    return this.#authority;
  }

  #bug(error: unknown): void {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    this.#options.log?.('error', 'the embedded API server failed a request', { error: text });
  }
}

const serverNames = (host: string): string[] => [
  'localhost',
  'kubernetes.default.svc',
  ...(isAddress(host) ? [] : [host]),
];
const serverAddresses = (host: string): string[] => [
  ...new Set(['127.0.0.1', '::1', ...(isAddress(host) ? [host] : [])]),
];
const isAddress = (host: string): boolean => /^[\d.]+$/.test(host) || host.includes(':');

/** The port that it listens on. */
function bind(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const busy = 'code' in error && error.code === 'EADDRINUSE';
      const why = busy ? `port ${port} on ${host} is already in use` : error.message;
      reject(new Error(`the API server cannot listen: ${why}`, { cause: error }));
    });
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
