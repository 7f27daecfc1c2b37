// A limited number of places, given in turn to groups that want some: a group that wants many does
// not keep others from theirs (spec activator A-11). Used by probe.ts.

interface Waiting {
  readonly enter: () => void;
}

export class Places {
  #free: number;
  /** By group, in the order of their turns. */
  readonly #queues = new Map<string, Set<Waiting>>();

  constructor(places: number) {
    this.#free = places;
  }

  /** Resolves with what gives the place back, to be called once. Rejects with the reason of the
   *  signal where nobody wants it any more. */
  async enter(group: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#wait(group, signal);
    return () => this.#leave();
  }

  async #wait(group: string, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting: Waiting = { enter: resolve };
    const queue = this.#queues.get(group) ?? new Set();
    this.#queues.set(group, queue.add(waiting));
    const giveUp = (): void => {
      // One that was just given its place keeps it, and gives it back itself.
      if (!queue.delete(waiting)) return;
      if (queue.size === 0 && this.#queues.get(group) === queue) this.#queues.delete(group);
      reject(signal.reason);
    };
    signal.addEventListener('abort', giveUp, { once: true });
    try {
      await promise;
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }

  #leave(): void {
    const [first] = this.#queues;
    if (first === undefined) {
      this.#free += 1;
      return;
    }
    const [group, queue] = first;
    const [waiting] = queue;
    // To the end of the line, if it wants another one.
    this.#queues.delete(group);
    if (waiting !== undefined) queue.delete(waiting);
    if (queue.size > 0) this.#queues.set(group, queue);
    waiting?.enter();
  }
}
