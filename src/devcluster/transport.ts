// The embedded cluster as a KubeTransport without HTTP: what simulations and the cluster's own
// controllers use. Everything that goes in or comes out is a copy, so no object is ever shared.
import type { Json } from '#machines/kubernetes/objects.ts';
import { NotWanted } from '#src/kube/transport/transport.ts';
import type {
  KubeRequest,
  KubeResponse,
  KubeTransport,
  WatchSink,
} from '#src/kube/transport/transport.ts';
import { handOver } from '#src/kube/watch/echo.ts';
import type { ApiServer } from './api/server.ts';
import { copyJson } from './api/store/copy.ts';
import { runWatch } from './api/verbs/watch-run.ts';
import { bodyValue, contentTypeOf } from './api/wire/reply.ts';
import type { Reply } from './api/wire/reply.ts';
import type { ApiRequest, RequestBody } from './api/wire/request.ts';
import type { User } from './auth/user.ts';

/** Thrown by requests that an injected fault left without an answer. */
export class ConnectionLost extends Error {
  constructor() {
    super('the connection broke before an answer came (injected fault)');
    this.name = 'ConnectionLost';
  }
}

export class InProcessTransport implements KubeTransport {
  readonly #server: ApiServer;
  readonly #userNow: () => User | undefined;
  readonly #userAgent: string;

  /** `userNow` is asked for every request, as a token may lose its account; undefined: nobody. */
  constructor(server: ApiServer, userNow: () => User | undefined, userAgent: string) {
    this.#server = server;
    this.#userNow = userNow;
    this.#userAgent = userAgent;
  }

  async request(request: KubeRequest): Promise<KubeResponse> {
    request.signal?.throwIfAborted();
    if (request.isWanted?.() === false) throw new NotWanted();
    const answer = await unlessAborted(
      this.#server.handle(this.#incoming(request)),
      request.signal,
    );
    if (answer.kind === 'reply') return response(answer.reply);
    throw answer.kind === 'dropped' ? new ConnectionLost() : new Error('a watch is not a request');
  }

  watch(path: string, sink: WatchSink): () => void {
    let close: (() => void) | undefined;
    let state: 'open' | 'aborted' | 'closed' = 'open';
    const finish = (reason: Parameters<WatchSink['closed']>[0]): void => {
      if (state === 'closed') return;
      state = 'closed';
      sink.closed(reason);
    };
    void this.#server.handle(this.#incoming({ method: 'GET', path })).then((answer) => {
      if (state !== 'open') return;
      if (answer.kind === 'reply') finish({ kind: 'refused', response: response(answer.reply) });
      else if (answer.kind === 'dropped') finish({ kind: 'ended', error: new ConnectionLost() });
      else {
        close = runWatch(answer, {
          events: (events) => {
            for (const { type, value } of events) {
              if (state === 'open') handOver(sink, { type, object: value() });
            }
          },
          end: (broken) => {
            if (state !== 'open') return;
            finish(broken ? { kind: 'ended', error: new ConnectionLost() } : { kind: 'ended' });
          },
        });
      }
    });
    return () => {
      if (state !== 'open') return;
      state = 'aborted';
      close?.();
      finish({ kind: 'aborted' });
    };
  }

  #incoming({ method, path, contentType, accept, body }: KubeRequest): ApiRequest {
    return {
      method,
      path,
      headers: {
        'user-agent': this.#userAgent,
        ...(accept === undefined ? {} : { accept }),
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
      },
      body: bodyOf(body),
      user: this.#userNow(),
    };
  }
}

/** Rejects when the caller gives up, as the wire would; what was asked may still be done. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', abort));
}

function bodyOf(body: unknown): RequestBody {
  if (body === undefined) return { kind: 'none' };
  if (typeof body === 'string') return { kind: 'text', text: body };
  return { kind: 'value', value: copyJson(asJson(body)) };
}

/** What JSON would make of it; plain data, which is what clients send, passes as it is. */
function asJson(body: unknown): Json {
  return isPlain(body) ? body : JSON.parse(JSON.stringify(body));
}

function isPlain(value: unknown): value is Json {
  if (value === null || value === undefined) return true;
  if (typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every((item) => item !== undefined && isPlain(item));
  if (typeof value !== 'object') return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null) && Object.values(value).every(isPlain)
  );
}

const response = ({ status, headers, body }: Reply): KubeResponse => ({
  status,
  headers: { 'content-type': contentTypeOf(body), ...headers },
  body: bodyValue(body),
});
