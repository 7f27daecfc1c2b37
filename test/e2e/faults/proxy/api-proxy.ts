// A proxy between a controller and an API server: terminates TLS with a CA of its own, reads each
// request, and does to it what the rules say. Scenarios start one each.
import { X509Certificate } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubeConnection } from '#src/kube/connect/connection.ts';
import type { TLSSocket } from 'node:tls';
import { type Authority, createAuthority, type Issued } from '#src/tls/authority.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { Listener } from './listener.ts';
import { deliver, headersOf, refuse, tellExpired } from './replies.ts';
import { type ProxiedRequest, readRequest, withinNamespace } from './request.ts';
import { type Fault, matches, type Rule, Rules } from './rules.ts';
import { type Passage, Traffic } from './traffic.ts';
import { Upstream } from './upstream.ts';
import { WatchPipe } from './watch-pipe.ts';

export interface ApiProxyOptions {
  /** Of the rules that strike a share of what they match. */
  readonly seed: number;
  /** Lists and watches of all namespaces show this one only, so that several controllers can work
   *  side by side on one cluster without knowing of each other. */
  readonly namespace?: string;
  /** Is told of each write that the server has answered, also where its answer is lost. */
  readonly answered?: (exchange: Exchange) => void;
}

export interface Exchange {
  /** Milliseconds of the clock of `process.hrtime`, when the server got it. */
  readonly askedAt: number;
  readonly method: string;
  readonly path: string;
  readonly body: Buffer;
  readonly status: number;
  readonly answer: Buffer;
}

export class ApiProxy {
  readonly traffic = new Traffic();
  /** PEM of the authority to trust. */
  readonly ca: string;
  readonly #options: ApiProxyOptions;
  readonly #authority: Authority;
  readonly #server: Server;
  readonly #upstream: Upstream;
  readonly #listener: Listener;
  readonly #rules: Rules;
  readonly #watches = new Set<WatchPipe>();
  readonly #timers = new Set<NodeJS.Timeout>();
  #token: string | undefined;
  #certificate: string | undefined;

  private constructor(
    connection: KubeConnection,
    options: ApiProxyOptions,
    authority: Authority,
    own: Issued,
  ) {
    this.ca = authority.cert;
    this.#authority = authority;
    this.#options = options;
    this.#upstream = new Upstream(connection);
    this.#rules = new Rules(seeded(options.seed));
    // Idle connections stay as long as those of kube-apiserver do.
    const trust = { ca: authority.cert, requestCert: true, rejectUnauthorized: false };
    const settings = { ...own, ...trust, keepAliveTimeout: 90_000 };
    this.#server = createServer(settings, (request, response) => {
      this.#serve(request, response).catch(() => response.socket?.destroy());
    });
    this.#listener = new Listener(this.#server);
  }

  /** Listens on a free port of loopback. `connection`: the server, and who the proxy is to it. */
  static async start(connection: KubeConnection, options: ApiProxyOptions): Promise<ApiProxy> {
    const authority = await createAuthority('coppice-faults', Date.now(), 2);
    const own = await authority.server(['localhost'], ['127.0.0.1']);
    const proxy = new ApiProxy(connection, options, authority, own);
    await proxy.back();
    return proxy;
  }

  get url(): string {
    return `https://127.0.0.1:${this.#listener.port}`;
  }

  /** In force until the returned function lifts it. */
  inflict(rule: Rule): () => void {
    const drop = this.#rules.add(rule);
    const hit = rule.alsoOpen === true ? this.#open(rule) : [];
    for (const watch of hit) watch.suffer(rule.fault);
    return () => {
      drop();
      for (const watch of this.#open(rule)) watch.recover(rule.fault);
    };
  }

  /** Only requests with this bearer token are let through, others get 401; undefined: all are. */
  accept(token: string | undefined): void {
    this.#token = token;
  }

  /** Serves with a new certificate of the same authority, and returns one for a client: from now on
   *  only requests with that are let through. Connections are reset. */
  async renew(): Promise<Issued> {
    const client = await this.#authority.client('controller', []);
    const own = await this.#authority.server(['localhost'], ['127.0.0.1']);
    this.#server.setSecureContext({ ...own, ca: this.ca });
    this.#certificate = new X509Certificate(client.cert).fingerprint256;
    this.cut();
    return client;
  }

  /** Resets all connections, at once or again and again until the returned function is called. */
  cut(): void {
    this.#listener.cut();
  }
  cutEvery(ms: number): () => void {
    const timer = setInterval(() => this.cut(), ms);
    this.#timers.add(timer);
    return () => clearInterval(timer);
  }

  /** As if the API server were gone: connections are reset, then refused. */
  away(): Promise<void> {
    return this.#listener.close();
  }
  /** On the same port. */
  back(): Promise<void> {
    return this.#listener.open();
  }

  async end(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    await this.#listener.close();
    this.#upstream.close();
  }

  #open(rule: Rule): readonly WatchPipe[] {
    return [...this.#watches].filter(({ request }) => matches(rule, request));
  }

  async #serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(incoming);
    const request = readRequest(incoming.method ?? 'GET', incoming.url ?? '/', body);
    const passage = this.traffic.begin(request);
    response.once('close', () => passage.over());
    if (!this.#knows(incoming) || !this.#trusts(incoming)) {
      passage.answered(401);
      return refuse(response, { status: 401 });
    }
    const fault = this.#rules.draw(request);
    if (fault !== undefined) passage.hit(fault.type);
    if (fault?.type === 'halfOpen') return; // until the client has had enough
    if (fault?.type === 'reset') return void response.socket?.destroy();
    if (fault?.type === 'answer') {
      passage.answered(fault.status);
      return refuse(response, fault);
    }
    if (fault?.type === 'expiredEvent') {
      passage.answered(200);
      return tellExpired(response);
    }
    if (fault?.type === 'delay') await pause(fault.ms);
    await this.#forward({ incoming, request, body, passage, response, fault });
  }

  async #forward({ incoming, request, body, passage, response, fault }: Visit): Promise<void> {
    const { namespace } = this.#options;
    const path = namespace === undefined ? request.path : withinNamespace(request, namespace);
    const { method = 'GET', headers } = incoming;
    passage.forwarded();
    const askedAt = Number(process.hrtime.bigint()) / 1e6;
    const reply = await this.#upstream.send(method, path, headers, body);
    passage.answered(reply.statusCode ?? 0);
    if (request.verb === 'watch' && reply.statusCode === 200) {
      return this.#follow(request, reply, response, fault);
    }
    const answer = await bytesOf(reply);
    const status = reply.statusCode ?? 0;
    if (method !== 'GET') this.#options.answered?.({ askedAt, method, path, body, status, answer });
    if (fault?.type === 'delayReply') await pause(fault.ms);
    await deliver(response, reply, answer, fault);
  }

  #follow(
    request: ProxiedRequest,
    reply: IncomingMessage,
    response: ServerResponse,
    fault: Fault | undefined,
  ): void {
    const watch = new WatchPipe(request, response);
    if (fault !== undefined) watch.suffer(fault);
    this.#watches.add(watch);
    response.once('close', () => {
      this.#watches.delete(watch);
      reply.destroy();
    });
    reply.on('data', (chunk: Buffer) => watch.take(chunk));
    reply.once('end', () => watch.end());
    // The server broke off; so does the proxy.
    reply.once('error', () => response.socket?.destroy());
    response.writeHead(200, headersOf(reply));
    response.flushHeaders();
  }

  #knows({ headers }: IncomingMessage): boolean {
    return this.#token === undefined || headers.authorization === `Bearer ${this.#token}`;
  }

  #trusts({ socket }: IncomingMessage): boolean {
    const shown = (socket as TLSSocket).getPeerCertificate().fingerprint256;
    return this.#certificate === undefined || shown === this.#certificate;
  }
}

interface Visit {
  readonly incoming: IncomingMessage;
  readonly request: ProxiedRequest;
  readonly body: Buffer;
  readonly passage: Passage;
  readonly response: ServerResponse;
  readonly fault: Fault | undefined;
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) if (Buffer.isBuffer(chunk)) chunks.push(chunk);
  return Buffer.concat(chunks);
}
