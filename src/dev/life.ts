// What `coppice dev` has started, in its order, and whether it is time to go. Used by dev.ts.
import { stopSignal } from '#src/cli/signals.ts';

export class Life {
  readonly signal = stopSignal();
  #isAsked = false;
  readonly #ends: (() => unknown)[] = [];

  constructor() {
    void this.signal.then(() => {
      this.#isAsked = true;
    });
  }

  get isAsked(): boolean {
    return this.#isAsked;
  }

  /** Is called at the end, before what was started earlier. */
  atEnd(end: () => unknown): void {
    this.#ends.push(end);
  }

  /** Waits, but not beyond the signal. */
  async until(what: Promise<unknown>): Promise<void> {
    await Promise.race([what, this.signal]);
  }

  /** One that fails keeps nothing else from being stopped. */
  async end(): Promise<void> {
    for (const end of this.#ends.splice(0).toReversed()) {
      try {
        await end();
      } catch (error) {
        process.stderr.write(`coppice: while stopping: ${String(error)}\n`);
      }
    }
  }
}
