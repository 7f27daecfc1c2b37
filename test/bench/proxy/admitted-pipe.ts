// Admission in front of a proxy that is as small as can be: what permits and waiting cost beside
// the pipe alone, and what is the rest of the request path. A request that could not be sent goes
// back to admission once; what was sent is never repeated (spec activator A-9). Contender
// `admitted`.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Dispatcher, Pool } from 'undici';
import { mustWait } from '#src/activator/admission/types.ts';
import type { Requests } from '#src/activator/served-revision.ts';
import { endToEnd } from './contenders/end-to-end.ts';

/** `find`: undefined where the revision is not known (404). */
export function admittedPipe(find: () => Requests | undefined): Server {
  const pools = new Pools();
  return createServer((request, response) => {
    const requests = find();
    if (requests === undefined) return void response.writeHead(404).end();
    new Passage(requests, pools, request, response).admit();
  });
}

/** A pool of connections for each pod. */
class Pools {
  readonly #pools = new Map<string, Pool>();

  to(dest: string): Pool {
    const known = this.#pools.get(dest);
    if (known !== undefined) return known;
    const pool = new Pool(`http://${dest}`, { pipelining: 1 });
    this.#pools.set(dest, pool);
    return pool;
  }
}

/** One request from its arrival to its answer. */
class Passage implements Dispatcher.DispatchHandler {
  readonly #requests: Requests;
  readonly #pools: Pools;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  #permit: { readonly index: number; readonly gen: number } | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #isRetried = false;
  #pod = { dest: '', id: '' };

  constructor(
    requests: Requests,
    pools: Pools,
    request: IncomingMessage,
    response: ServerResponse,
  ) {
    this.#requests = requests;
    this.#pools = pools;
    this.#request = request;
    this.#response = response;
  }

  admit(): void {
    const { admission } = this.#requests;
    const index = admission.admit();
    if (index >= 0) return this.#granted(index);
    if (index !== mustWait) return this.#end(503);
    const ticket = this.#requests.wait({
      granted: (granted) => this.#granted(granted),
      refused: () => this.#end(503),
    });
    if (typeof ticket === 'string') return this.#end(503);
    this.#response.once('close', () => admission.cancel(ticket));
  }

  #granted(index: number): void {
    const { table } = this.#requests.admission;
    this.#permit = { index, gen: table.genOf(index) };
    this.#pod = { dest: table.destOf(index), id: table.idOf(index) };
    if (this.#response.destroyed) return this.#complete();
    const { method, url, headers, rawHeaders } = this.#request;
    const hasBody = 'content-length' in headers || 'transfer-encoding' in headers;
    this.#pools.to(this.#pod.dest).dispatch(
      {
        path: url ?? '/',
        method: method ?? 'GET',
        headers: endToEnd(rawHeaders),
        body: hasBody ? this.#request : null,
      },
      this,
    );
  }

  /** Once for each permit. */
  #complete(): void {
    const permit = this.#permit;
    this.#permit = undefined;
    if (permit !== undefined) this.#requests.admission.complete(permit.index, permit.gen);
  }

  #end(status: number): void {
    this.#complete();
    if (this.#response.headersSent) this.#response.destroy();
    else this.#response.writeHead(status, { 'x-refused': 'by the proxy' }).end();
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#response.once('close', () => {
      if (!this.#response.writableFinished) controller.abort(new Error('the client is gone'));
    });
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    const { rawHeaders } = controller;
    this.#response.writeHead(status, endToEnd(Array.isArray(rawHeaders) ? rawHeaders : []));
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#response.write(chunk)) return;
    controller.pause();
    this.#response.once('drain', () => controller.resume());
  }

  onResponseEnd(): void {
    this.#complete();
    this.#response.end();
  }

  onResponseError(): void {
    const isSent = this.#controller !== undefined;
    if (!isSent) this.#requests.failed(this.#pod.dest, this.#pod.id);
    if (isSent || this.#isRetried || this.#response.destroyed) return this.#end(502);
    this.#isRetried = true;
    this.#complete();
    this.admit();
  }
}
