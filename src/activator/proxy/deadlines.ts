// The ends of requests that have a limit of time: all with the same limit are in one list in the
// order in which they began, so one timer for the first of them does, and no request has a timer of
// its own (spec activator A-7, H-108). Used by exchange.ts.

/** What is ended when its time is over; it is a link of its list itself. */
export abstract class Limited {
  next: Limited | undefined;
  previous: Limited | undefined;
  list: DeadlineList | undefined;
  dueAt = 0;

  abstract expired(): void;
}

class DeadlineList {
  readonly #ms: number;
  #first: Limited | undefined;
  #last: Limited | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(ms: number) {
    this.#ms = ms;
  }

  add(one: Limited, now: number): void {
    one.dueAt = now + this.#ms;
    one.list = this;
    one.previous = this.#last;
    one.next = undefined;
    if (this.#last === undefined) this.#first = one;
    else this.#last.next = one;
    this.#last = one;
    if (this.#timer === undefined) this.#arm(this.#ms);
  }

  /** The timer stays: at its time it goes on with who is first then. */
  remove(one: Limited): void {
    if (one.previous === undefined) this.#first = one.next;
    else one.previous.next = one.next;
    if (one.next === undefined) this.#last = one.previous;
    else one.next.previous = one.previous;
    one.list = undefined;
    one.next = undefined;
    one.previous = undefined;
  }

  get isEmpty(): boolean {
    return this.#first === undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** Without holding up the end of the process. */
  #arm(ms: number): void {
    this.#timer = setTimeout(() => this.#fire(), Math.max(1, Math.ceil(ms))).unref();
  }

  #fire(): void {
    this.#timer = undefined;
    const now = performance.now();
    for (let one = this.#first; one !== undefined && one.dueAt <= now; one = this.#first) {
      this.remove(one);
      one.expired();
    }
    if (this.#first !== undefined && this.#timer === undefined) this.#arm(this.#first.dueAt - now);
  }
}

export class Deadlines {
  readonly #lists = new Map<number, DeadlineList>();

  /** `expired` is called after `ms`, unless it was removed. */
  add(one: Limited, ms: number, now: number): void {
    let list = this.#lists.get(ms);
    if (list === undefined) {
      this.#forgetEmpty();
      list = new DeadlineList(ms);
      this.#lists.set(ms, list);
    }
    list.add(one, now);
  }

  stop(): void {
    for (const list of this.#lists.values()) list.stop();
  }

  /** Revisions come and go with limits of their own. */
  #forgetEmpty(): void {
    for (const [ms, list] of this.#lists) {
      if (!list.isEmpty) continue;
      list.stop();
      this.#lists.delete(ms);
    }
  }
}
