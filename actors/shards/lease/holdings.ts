// The shards whose actors run in this process, and those whose last writes it waits for. Tells the
// actor system of every change. Used by keeper.ts alone.
import type { ShardListener, Versions } from '../../ports.ts';

interface Holding {
  readonly epoch: number;
  isClosing: boolean;
}

export class Holdings {
  readonly #held = new Map<number, Holding>();
  readonly #listeners = new Set<ShardListener>();
  /** How often a shard was taken or lost. */
  changes = 0;

  get size(): number {
    return this.#held.size;
  }

  isOpen(shard: number): boolean {
    return this.#held.get(shard)?.isClosing === false;
  }

  isClosing(shard: number): boolean {
    return this.#held.get(shard)?.isClosing === true;
  }

  /** Some shard is on its way to another process. */
  get isMoving(): boolean {
    return this.#held.values().some(({ isClosing }) => isClosing);
  }

  epoch(shard: number): number | undefined {
    return this.#held.get(shard)?.epoch;
  }

  onChange(listener: ShardListener): () => void {
    // A wrapper, so that a listener registered twice is there twice.
    const own: ShardListener = (...change) => listener(...change);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  open(shard: number, epoch: number, written: Versions): void {
    this.#held.set(shard, { epoch, isClosing: false });
    this.changes++;
    for (const listener of this.#listeners) void listener(shard, true, written);
  }

  /** At once: whatever is in flight, another one may own it by now. */
  close(shard: number): void {
    const isOpen = this.isOpen(shard);
    this.#held.delete(shard);
    if (!isOpen) return;
    this.changes++;
    for (const listener of this.#listeners) void listener(shard, false);
  }

  closeAll(): void {
    for (const shard of [...this.#held.keys()]) this.close(shard);
  }

  /** Ends the actors and waits for their writes; what they wrote. Undefined: nothing was held. */
  async drain(shard: number): Promise<Versions | undefined> {
    const holding = this.#held.get(shard);
    if (holding === undefined || holding.isClosing) return undefined;
    holding.isClosing = true;
    this.changes++;
    const ends = [...this.#listeners].map((listener) => Promise.resolve(listener(shard, false)));
    const written = await Promise.all(ends);
    return Object.assign({}, ...written.map((versions) => versions ?? {}));
  }

  /** The shard was handed over, or that failed. */
  drained(shard: number): void {
    if (this.isClosing(shard)) this.#held.delete(shard);
  }
}
