// The requests that are under way, for whoever ends all of them. A list whose links are the
// requests themselves, and no Set: a Set that is added to and deleted from makes a new table every
// few requests, and each table that was promoted keeps the next one, with all requests in it, until
// the next full collection. Young garbage then has to be copied, at a pause of several
// milliseconds.

/** A request that has begun. */
export interface UnderWay {
  /** It is of those that nobody waits for without end: connections that speak another protocol. */
  readonly isUpgraded: boolean;
  /** Ends one of those. */
  leave(): void;
  /** The process stops. */
  stop(): void;
  /** Its neighbours in the list. */
  earlier: UnderWay | undefined;
  later: UnderWay | undefined;
}

export class RequestsUnderWay {
  #first: UnderWay | undefined;
  #last: UnderWay | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(one: UnderWay): void {
    one.earlier = this.#last;
    if (this.#last === undefined) this.#first = one;
    else this.#last.later = one;
    this.#last = one;
    this.#size += 1;
  }

  /** One that was added, once. */
  remove(one: UnderWay): void {
    const { earlier, later } = one;
    if (earlier === undefined) this.#first = later;
    else earlier.later = later;
    if (later === undefined) this.#last = earlier;
    else later.earlier = earlier;
    one.earlier = undefined;
    one.later = undefined;
    this.#size -= 1;
  }

  /** As they are now: each may leave when it is called. */
  all(): readonly UnderWay[] {
    const all: UnderWay[] = [];
    for (let one = this.#first; one !== undefined; one = one.later) all.push(one);
    return all;
  }
}
