// One client's own way to the API server: sockets of its own, the client-side limit, requests
// counted with the reason of a 409, and events and bytes of its watches. Each simulated daemon has
// one, so that none profits from what another has read.
import { Pool } from 'undici';
import { at, isObject, text } from '#machines/kubernetes/json.ts';
import { loadConnection } from '#src/kube/connect/config.ts';
import { requestInfo } from '#src/kube/paths.ts';
import * as limits from '#src/kube/limits.ts';
import { exchange } from '#src/kube/transport/exchange.ts';
import { LineSplitter } from '#src/kube/transport/lines.ts';
import { limited, type RateLimit } from '#src/kube/transport/ratelimit.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { systemClock } from '#src/time/clock.ts';
import type { RequestCounts } from '../requests.ts';

/** Where the server is and who asks; goes from process to process. */
export interface Access {
  readonly server: string;
  readonly ca: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export async function accessOf(kubeconfig: string): Promise<Access> {
  const { server, tls, credentials } = await loadConnection({ file: kubeconfig }, systemClock);
  return { server, ca: tls.ca ?? '', ...(await credentials.current()) };
}

/** The same server for the bearer of a token. */
export const withToken = ({ server, ca }: Access, token: string): Access => ({
  server,
  ca,
  // The server calls whoever updates a field by it.
  headers: { authorization: `Bearer ${token}`, 'user-agent': 'coppice-bench' },
});

export interface WireOptions {
  readonly sockets?: number;
  readonly limit?: RateLimit | undefined;
}

/** client-go sends a request again so often that the server has asked to come back. */
const mostTries = 10;

/** More than one client ever has in flight here. */
const noBound = { maxInFlight: 4096 };

export class Wire {
  readonly #access: Access;
  readonly #requests: Pool;
  readonly #watches: Pool;
  readonly #send: (request: KubeRequest) => Promise<KubeResponse>;
  readonly #counts: Record<string, number> = {};
  /** Delivered by all watches so far. */
  events = 0;
  bytes = 0;

  constructor(access: Access, { sockets = 1, limit }: WireOptions = {}) {
    this.#access = access;
    const { server, ca, cert, key } = access;
    const connect = { ca, ...(cert === undefined ? {} : { cert }), ...(key && { key }) };
    const shared = { connect, allowH2: false, keepAliveTimeout: limits.idleSocketMs };
    this.#requests = new Pool(server, { ...shared, connections: sockets });
    this.#watches = new Pool(server, { ...shared, connections: null, bodyTimeout: 0 });
    const transport = { request: (one: KubeRequest) => this.#once(one), watch: noWatch };
    const rate = limit === undefined ? {} : { rate: limit };
    this.#send = limited(transport, systemClock, { ...noBound, ...rate }).request;
  }

  get counts(): RequestCounts {
    return this.#counts;
  }

  /** Waits and asks again where the server says so. Rejects where there is no answer. */
  async request(request: KubeRequest): Promise<KubeResponse> {
    for (let tries = 1; ; tries++) {
      const reply = await this.#send(request);
      const after = Number(reply.headers['retry-after'] ?? Number.NaN);
      if (reply.status !== 429 || Number.isNaN(after) || tries > mostTries) return reply;
      await new Promise((resolve) => setTimeout(resolve, after * 1000));
    }
  }

  /** The body of a successful answer; else rejects with the server's words. */
  async must(request: KubeRequest): Promise<unknown> {
    const { status, body } = await this.request(request);
    if (status < 300) return body;
    throw new Error(`${request.method} ${request.path}: ${status} ${text(at(body, 'message'))}`);
  }

  /** Resolves when the stream has ended, for whatever reason, with the status of the answer. */
  async watch(
    path: string,
    take: (type: string, body: unknown) => void,
    signal: AbortSignal,
  ): Promise<number | undefined> {
    const lines = new LineSplitter(limits.maxWatchLineBytes);
    const line = (content: string): void => {
      const event: unknown = JSON.parse(content);
      const type = text(at(event, 'type'));
      if (type !== 'BOOKMARK') this.events++;
      take(type, at(event, 'object'));
    };
    const onData = (chunk: Buffer): void => {
      this.bytes += chunk.length;
      lines.push(chunk, line);
    };
    const { headers } = this.#access;
    const request = { method: 'GET', path, headers, reset: false } as const;
    const options = { signal, onData };
    const reply = await exchange(this.#watches, request, options).catch(() => undefined);
    return reply?.status;
  }

  async close(): Promise<void> {
    await Promise.all([this.#requests.destroy(), this.#watches.destroy()]);
  }

  async #once(request: KubeRequest): Promise<KubeResponse> {
    const { method, path, body, contentType } = request;
    const headers = {
      ...this.#access.headers,
      ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
    };
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const sent = { method, path, headers, reset: false, ...content };
    const reply = await exchange(this.#requests, sent, {});
    const answer = parsed(reply.text);
    this.#count(request, reply.status, answer);
    return { status: reply.status, headers: flat(reply.headers), body: answer };
  }

  #count({ method, path, contentType }: KubeRequest, status: number, answer: unknown): void {
    const { verb, resource } = requestInfo(method, path);
    const own = contentType === applyType ? 'apply' : verb;
    const reason = status === 409 ? ` ${text(at(answer, 'reason'))}` : '';
    const key = `${own} ${resource} ${status}${reason}`;
    this.#counts[key] = (this.#counts[key] ?? 0) + 1;
  }
}

export const applyType = 'application/apply-patch+yaml';
export const mergeType = 'application/merge-patch+json';

const noWatch = (): never => {
  throw new Error('a wire watches by itself');
};

const flat = (
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value ?? '')]),
  );

function parsed(content: string): unknown {
  try {
    const value: unknown = JSON.parse(content);
    return isObject(value) ? value : content;
  } catch {
    return content;
  }
}
