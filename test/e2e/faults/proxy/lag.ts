// A queue whose items leave in order, each when its time has come: what a slow network does. Used
// for events of a watch and for bytes of a connection.

export class Lag<T> {
  readonly #emit: (item: T) => void;
  /** `due` by `performance.now()`, rising. */
  readonly #held: { readonly due: number; readonly item: T }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(emit: (item: T) => void) {
    this.#emit = emit;
  }

  /** At once where nothing is held and the lag is 0; else after what is held. */
  put(item: T, ms: number): void {
    if (ms === 0 && this.#held.length === 0) return this.#emit(item);
    const due = Math.max(performance.now() + ms, this.#held.at(-1)?.due ?? 0);
    this.#held.push({ due, item });
    this.#arm();
  }

  /** Everything leaves now. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const { item } of this.#held.splice(0)) this.#emit(item);
  }

  /** Everything is forgotten. */
  drop(): void {
    this.#held.length = 0;
    this.flush();
  }

  #arm(): void {
    const [first] = this.#held;
    if (first === undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#leave();
        this.#arm();
      },
      Math.max(1, first.due - performance.now()),
    );
  }

  #leave(): void {
    for (let [first] = this.#held; first !== undefined; [first] = this.#held) {
      if (first.due > performance.now()) return;
      this.#held.shift();
      this.#emit(first.item);
    }
  }
}
