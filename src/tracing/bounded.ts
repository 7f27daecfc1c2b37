// A map that holds no more than so many: the oldest goes first. Used by the tracer for what it
// remembers of spans.
export class Bounded<T> {
  readonly #most: number;
  readonly #values = new Map<string, T>();

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#values.size;
  }

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  /** As `get`, and removes it. */
  take(key: string): T | undefined {
    const value = this.#values.get(key);
    if (value !== undefined) this.#values.delete(key);
    return value;
  }

  set(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size <= this.#most) return;
    for (const oldest of this.#values.keys()) {
      this.#values.delete(oldest);
      return;
    }
  }
}
