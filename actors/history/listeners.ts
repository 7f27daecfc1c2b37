// Those who are told of facts and rows as they come. Used by ring.ts and rows.ts: nobody who only
// looks on breaks who is looked at.
export class Listeners<T> {
  readonly #listeners = new Set<(news: T) => void>();
  readonly #broken: ((error: unknown) => void) | undefined;

  /** `broken` hears of a listener that threw, and is not called again. */
  constructor(broken?: (error: unknown) => void) {
    this.#broken = broken;
  }

  /** The result ends it. */
  add(listener: (news: T) => void): () => void {
    // One of its own, so that who subscribes twice is called twice.
    const own = (news: T): void => listener(news);
    this.#listeners.add(own);
    return () => void this.#listeners.delete(own);
  }

  tell(news: T): void {
    for (const listener of this.#listeners) {
      try {
        listener(news);
      } catch (error) {
        this.#listeners.delete(listener);
        this.#broken?.(error);
      }
    }
  }
}
