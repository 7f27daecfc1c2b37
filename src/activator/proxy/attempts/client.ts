// A request on its way to a pod by undici: the way of nearly all of them. It makes no promise and
// no stream for a request without a body.
import type { Dispatcher } from 'undici';
import type { Attempt, OutgoingHttp1 } from '../types.ts';
import { returnedHeaders } from '../headers.ts';
import type { PodClient } from '../pods.ts';
import { RequestBody } from './body.ts';

export function sendByClient(exchange: OutgoingHttp1): Attempt {
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
  readonly #exchange: OutgoingHttp1;
  readonly #client: PodClient;
  /** Undefined: the connection is not there yet, and nothing was sent. */
  #controller: Controller | undefined;
  #isCancelled = false;
  #isGivenBack = false;
  #left = (): void => undefined;

  constructor(exchange: OutgoingHttp1, client: PodClient) {
    this.#exchange = exchange;
    this.#client = client;
  }

  cancel(left: () => void): void {
    this.#isCancelled = true;
    // Without a connection there is nothing to abort, and nobody to tell.
    if (this.#controller === undefined) {
      this.#giveBack();
      return left();
    }
    this.#left = left;
    this.#client.leave(() => this.#controller?.abort(cancelled));
    // What it still sends is read, so that its end is seen.
    this.#controller.resume();
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller;
    if (this.#isCancelled) controller.abort(cancelled);
  }

  onResponseStart(_: Controller, status: number, headers: Headers, message?: string): void {
    if (this.#isCancelled) return;
    this.#exchange.answerBegun(
      status,
      returnedHeaders(headers),
      message === undefined ? undefined : { message },
    );
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    if (this.#isCancelled || this.#exchange.answerData(chunk)) return;
    controller.pause();
    this.#exchange.whenDrained(() => controller.resume());
  }

  onResponseEnd(_: Controller, trailers: Headers): void {
    this.#giveBack();
    if (!this.#isCancelled) this.#exchange.answerEnded(returnedHeaders(trailers));
  }

  onResponseError(_: Controller, error: Error): void {
    // undici tells of a connection that failed while it still holds its queue, before it tells that
    // it is disconnected. A next attempt that went there now would end the process (an assertion).
    if (!isRefused(error)) this.#client.isConnected = false;
    this.#giveBack();
    if (this.#isCancelled) return;
    if (isRefused(error)) this.#exchange.refuseAsBad(error.message);
    else this.#exchange.attemptFailed(error, this.#controller !== undefined);
  }

  #giveBack(): void {
    if (this.#isGivenBack) return;
    this.#isGivenBack = true;
    this.#exchange.routed.shared.pods.giveBack(this.#client);
    this.#left();
  }
}

/** One for all, as nobody looks at where it was made. */
const cancelled = new Error('the request was cancelled');

/** The client library does not send such a request, which is no fault of the pod. */
const isRefused = (error: Error & { readonly code?: unknown }): boolean =>
  error.code === 'UND_ERR_INVALID_ARG' || error.code === 'UND_ERR_NOT_SUPPORTED';
