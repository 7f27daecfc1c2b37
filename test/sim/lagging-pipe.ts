// The way of a watch's events from the API server to a client, when it is slow or broken: events
// come in order, each no earlier than its lag, or at some point no more. One per watch.
import type { Clock } from '#actors/ports.ts';
import { handOver } from '#src/kube/echo.ts';
import type { WatchEnd, WatchSink } from '#src/kube/transport.ts';

export class LaggingPipe {
  readonly #clock: Clock;
  readonly #deliver: (run: () => void) => void;
  readonly #sink: WatchSink;
  #last = -Infinity;
  #isOpen = true;
  #isSilent = false;

  /** `deliver` brings what arrived into the process. */
  constructor(clock: Clock, deliver: (run: () => void) => void, sink: WatchSink) {
    this.#clock = clock;
    this.#deliver = deliver;
    this.#sink = sink;
  }

  event(event: { readonly type: string; readonly object: unknown }, lagMs: number): void {
    this.#later(lagMs, () => handOver(this.#sink, event));
  }

  /** After what is under way; an abort is heard at once. */
  end(reason: WatchEnd): void {
    if (reason.kind === 'aborted') return this.#close(reason);
    this.#later(0, () => this.#close(reason));
  }

  /** Half open: the connection looks alive and nothing comes any more. */
  hang(): void {
    this.#isSilent = true;
  }

  #close(reason: WatchEnd): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#sink.closed(reason);
  }

  #later(lagMs: number, run: () => void): void {
    const at = Math.max(this.#last, this.#clock.now() + Math.ceil(lagMs));
    this.#last = at;
    this.#clock.at(at, () => {
      if (this.#isSilent) return;
      this.#deliver(() => {
        if (this.#isOpen) run();
      });
    });
  }
}
