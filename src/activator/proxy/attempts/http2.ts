// A request on its way to a pod by HTTP/2, as it came: a stream of a session with the pod. Bodies
// go both ways at once, and trailers at the end of each (spec activator 1.13).
import { type ClientHttp2Stream, constants } from 'node:http2';
import { asError } from '../as-error.ts';
import type { Attempt, OutgoingHttp2 } from '../types.ts';
import { grouped, withoutPseudo } from '../headers.ts';
import type { PodSession } from '../sessions.ts';

export function sendByHttp2(exchange: OutgoingHttp2): Attempt {
  const attempt = new Http2Attempt(exchange);
  attempt.begin();
  return attempt;
}

const endsStream = (flags: number): boolean => (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;

class Http2Attempt implements Attempt {
  readonly #exchange: OutgoingHttp2;
  #leave = (): void => undefined;
  #to: ClientHttp2Stream | undefined;
  #isOver = false;
  #trailers: string[] = [];

  constructor(exchange: OutgoingHttp2) {
    this.#exchange = exchange;
  }

  /** A reset is not answered, so nothing tells when the pod knows. */
  cancel(left: () => void): void {
    this.#isOver = true;
    this.#leave();
    this.#to?.close(constants.NGHTTP2_CANCEL);
    left();
  }

  begin(): void {
    const { routed, dest } = this.#exchange;
    this.#leave = routed.shared.pods.sessions.take(dest, (error, session) => {
      if (session === undefined) return this.#fail(error ?? new Error('no session'), false);
      try {
        this.#send(session);
      } catch (cause) {
        session.giveBack();
        this.#fail(asError(cause), false);
      }
    });
  }

  #send(session: PodSession): void {
    const exchange = this.#exchange;
    const { hasBody } = exchange;
    const to = session.request(exchange.head, { endStream: !hasBody, waitForTrailers: hasBody });
    this.#to = to;
    to.on('error', (error) => this.#fail(error, true));
    to.on('close', () => {
      session.giveBack();
      this.#fail(new Error(`the pod closed the stream with code ${to.rstCode}`), true);
    });
    this.#readAnswer(to);
    if (hasBody) this.#sendBody(to);
  }

  #readAnswer(to: ClientHttp2Stream): void {
    const exchange = this.#exchange;
    to.on('headers', (headers, _, raw) => {
      if (!this.#isOver) exchange.answerBegun(Number(headers[':status']), withoutPseudo(raw));
    });
    to.on('response', (headers, flags, raw) => {
      if (this.#isOver) return;
      const isWhole = endsStream(flags);
      exchange.answerBegun(Number(headers[':status']), withoutPseudo(raw), { isWhole });
    });
    to.on('data', (chunk: Buffer) => {
      if (this.#isOver || exchange.answerData(chunk)) return;
      to.pause();
      exchange.whenDrained(() => to.resume());
    });
    to.on('trailers', (_, __, raw) => {
      this.#trailers = withoutPseudo(raw);
    });
    to.on('end', () => {
      // A stream that is reset ends too.
      if (this.#isOver || to.rstCode !== constants.NGHTTP2_NO_ERROR) return;
      this.#isOver = true;
      exchange.answerEnded(this.#trailers);
      // The pod has said all, so what the client still sends is for nobody.
      if (!to.writableEnded) to.close(constants.NGHTTP2_CANCEL);
    });
  }

  #sendBody(to: ClientHttp2Stream): void {
    const exchange = this.#exchange;
    const { stream: from } = exchange;
    from.on('data', (chunk: Buffer) => {
      if (!this.#isOver && !to.write(chunk)) from.pause();
    });
    to.on('drain', () => from.resume());
    from.on('end', () => {
      if (!this.#isOver) to.end();
    });
    to.on('wantTrailers', () => {
      try {
        to.sendTrailers(grouped(exchange.arrivedTrailers));
      } catch (error) {
        // Node throws for some of what clients send: that costs the attempt.
        to.close(constants.NGHTTP2_INTERNAL_ERROR);
        this.#fail(asError(error), true);
      }
    });
  }

  #fail(error: Error, wasSent: boolean): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#exchange.attemptFailed(error, wasSent);
  }
}
