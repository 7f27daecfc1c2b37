// One HTTP exchange without a stream in between: an answer is small, and a stream for it costs more
// than the reading. The body of a watch goes to its reader as it comes. Used by http.ts.
import type { Dispatcher } from 'undici';
import { bytesPerTurn } from '../limits.ts';
import { NotWanted } from './transport.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface ExchangeOptions {
  readonly signal?: AbortSignal | undefined;
  /** Asked when the request is at the head of its socket; false: rejects with NotWanted. */
  readonly isWanted?: (() => boolean) | undefined;
  /** Takes the body of a 200, whose `text` is empty then, with a turn of the event loop for others
   *  now and then. What it throws ends the exchange. */
  readonly onData?: ((chunk: Buffer) => void) | undefined;
}

/** Resolves with the whole answer; rejects when there was none, or only a part of it. */
export function exchange(
  pool: Dispatcher,
  request: Dispatcher.DispatchOptions,
  { signal, isWanted, onData }: ExchangeOptions,
): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  let controller: Dispatcher.DispatchController | undefined;
  const abort = (): void => {
    reject(signal?.reason);
    controller?.abort(signal?.reason);
  };
  if (signal?.aborted === true) return Promise.reject(signal.reason);
  signal?.addEventListener('abort', abort, { once: true });
  let reply: Omit<Reply, 'text'> | undefined;
  const chunks: Buffer[] = [];
  let untilTurn = bytesPerTurn;
  pool.dispatch(request, {
    onRequestStart: (own) => {
      // Thrown, it costs the request alone; an abort would cost the socket too.
      if (signal?.aborted === true) throw signal.reason;
      if (isWanted?.() === false) throw new NotWanted();
      controller = own;
    },
    onResponseStart: (_controller, status, headers) => {
      reply = { status, headers };
    },
    onResponseData: (own, chunk) => {
      if (reply?.status !== 200 || onData === undefined) return void chunks.push(chunk);
      onData(chunk);
      untilTurn -= chunk.length;
      if (untilTurn > 0) return;
      untilTurn = bytesPerTurn;
      own.pause();
      setImmediate(() => own.resume());
    },
    onResponseEnd: () => {
      signal?.removeEventListener('abort', abort);
      if (reply === undefined) reject(new Error('an answer without a status'));
      else resolve({ ...reply, text: Buffer.concat(chunks).toString('utf8') });
    },
    onResponseError: (_controller, error) => {
      signal?.removeEventListener('abort', abort);
      reject(error);
    },
  });
  return promise;
}
