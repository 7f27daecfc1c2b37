// A request on its way to a pod by undici: the way of nearly all of them. It makes no promise and
// no stream for a request without a body.
import type { Dispatcher } from 'undici';
import type { Attempt } from '../exchange.ts';
import { returnedHeaders } from '../headers.ts';
import type { Http1Exchange } from '../http1.ts';
import type { PodClient } from '../pods.ts';
import { RequestBody } from './body.ts';

export function sendByClient(exchange: Http1Exchange): Attempt {
  const { pods } = exchange.routed.shared;
  const client = pods.take(exchange.dest);
  const attempt = new ClientAttempt(exchange, client);
  const { method, path, headers } = exchange.head;
  const body = exchange.hasBody ? new RequestBody(exchange.request) : null;
  client.dispatcher.dispatch({ method, path, headers, body }, attempt);
  return attempt;
}

type Controller = Dispatcher.DispatchController;
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2];

class ClientAttempt implements Attempt, Dispatcher.DispatchHandler {
  readonly #exchange: Http1Exchange;
  readonly #client: PodClient;
  /** Undefined: the connection is not there yet, and nothing was sent. */
  #controller: Controller | undefined;
  #isCancelled = false;
  #isGivenBack = false;

  constructor(exchange: Http1Exchange, client: PodClient) {
    this.#exchange = exchange;
    this.#client = client;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.#controller?.abort(cancelled);
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#isCancelled) controller.abort(cancelled);
  }

  onResponseStart(_: Controller, status: number, headers: Headers, message?: string): void {
    if (this.#isCancelled) return;
    this.#exchange.answerBegun(status, returnedHeaders(headers), message);
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#isCancelled || this.#exchange.answerData(chunk)) return;
    controller.pause();
    this.#exchange.response.once('drain', () => controller.resume());
  }

  onResponseEnd(_: Controller, trailers: Headers): void {
    this.#giveBack();
    if (!this.#isCancelled) this.#exchange.answerEnded(returnedHeaders(trailers));
  }

  onResponseError(_: Controller, error: Error): void {
    this.#giveBack();
    if (this.#isCancelled) return;
    this.#exchange.attemptFailed(error, this.#controller !== undefined);
  }

  #giveBack(): void {
    if (this.#isGivenBack) return;
    this.#isGivenBack = true;
    this.#exchange.routed.shared.pods.giveBack(this.#client);
  }
}

/** One for all, as nobody looks at where it was made. */
const cancelled = new Error('the request was cancelled');
