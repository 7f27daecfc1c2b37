// Requests that wait for a permit of one revision, in the order in which they came. A ring of links
// through the requests themselves, so that any of them leaves without a search.
import type { Ticket, WaitHandler } from './types.ts';

class Link {
  next: Link = this;
  previous: Link = this;
}

export class Waiter extends Link implements Ticket {
  readonly handler: WaitHandler;
  readonly bodyBytes: number;
  /** Where it waits. */
  queue: Waiters | undefined;

  constructor(handler: WaitHandler, bodyBytes: number) {
    super();
    this.handler = handler;
    this.bodyBytes = bodyBytes;
  }

  get isWaiting(): boolean {
    return this.queue !== undefined;
  }
}

export class Waiters {
  readonly #ends = new Link();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  push(waiter: Waiter): void {
    const last = this.#ends.previous;
    last.next = waiter;
    waiter.previous = last;
    waiter.next = this.#ends;
    waiter.queue = this;
    this.#ends.previous = waiter;
    this.#size += 1;
  }

  /** The one that has waited longest. */
  shift(): Waiter | undefined {
    const { next } = this.#ends;
    if (!(next instanceof Waiter)) return undefined;
    this.remove(next);
    return next;
  }

  /** False: it does not wait here. */
  remove(waiter: Waiter): boolean {
    if (waiter.queue !== this) return false;
    waiter.previous.next = waiter.next;
    waiter.next.previous = waiter.previous;
    waiter.next = waiter;
    waiter.previous = waiter;
    waiter.queue = undefined;
    this.#size -= 1;
    return true;
  }
}
