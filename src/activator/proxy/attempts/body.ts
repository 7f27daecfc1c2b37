// The body of a client's request, as a stream that a client of pods may destroy: that ends what it
// reads, and not the connection of the client, whose answer may be under way. Nothing is read
// before somebody reads, so a request whose pod cannot be reached still has its body.
import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

export class RequestBody extends Readable {
  readonly #source: IncomingMessage;
  #isAttached = false;

  constructor(source: IncomingMessage) {
    super({ highWaterMark: 64 * 1_024 });
    this.#source = source;
  }

  override _read(): void {
    if (!this.#isAttached) {
      this.#isAttached = true;
      this.#source.on('data', this.#take).on('end', this.#end);
    }
    this.#source.resume();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (this.#isAttached) {
      this.#source.off('data', this.#take).off('end', this.#end);
      this.#source.pause();
    }
    done(error);
  }

  readonly #take = (chunk: Buffer): void => {
    if (!this.push(chunk)) this.#source.pause();
  };

  readonly #end = (): void => {
    this.push(null);
  };
}
