// The way of a watch's events from the API server to a client, when it is slow or broken: events
// come in order, each no earlier than its lag, or at some point no more; beyond what any server
// does, some come again or are overtaken. One per watch.
import type { Clock } from '#actors/ports.ts';
import type { WatchEnd, WatchSink } from '#src/kube/transport/transport.ts';
import { handOver } from '#src/kube/watch/echo.ts';

export class LaggingPipe {
  readonly #clock: Clock;
  readonly #deliver: (run: () => void) => void;
  readonly #sink: WatchSink;
  #last = -Infinity;
  /** When the last of those comes that others may overtake. */
  #lastStraggler = -Infinity;
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

  /** Others may overtake it, but not the end. */
  straggler(event: { readonly type: string; readonly object: unknown }, lagMs: number): void {
    const at = this.#clock.now() + Math.ceil(lagMs);
    this.#lastStraggler = Math.max(this.#lastStraggler, at);
    this.#at(at, () => handOver(this.#sink, event));
  }

  /** After what is under way; an abort is heard at once. */
  end(reason: WatchEnd): void {
    if (reason.kind === 'aborted') return this.#close(reason);
    this.#last = Math.max(this.#last, this.#lastStraggler);
    this.#later(0, () => this.#close(reason));
  }

  /** Half open: the connection looks alive and nothing comes any more. */
  hang(): void {
    this.#isSilent = true;
  }

  /** The client was not told of its end. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  #close(reason: WatchEnd): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#sink.closed(reason);
  }

  #later(lagMs: number, run: () => void): void {
    const at = Math.max(this.#last, this.#clock.now() + Math.ceil(lagMs));
    this.#last = at;
    this.#at(at, run);
  }

  #at(at: number, run: () => void): void {
    this.#clock.at(at, () => {
      if (this.#isSilent) return;
      this.#deliver(() => {
        if (this.#isOpen) run();
      });
    });
  }
}
