// Who waits for a list that is asked for from now on: who asks while one is under way waits for the
// next. A list that fails is repeated, and they go on waiting. Used by reflector.ts.
import type { Outages } from './outages.ts';

export class Refreshes {
  /** For whom no list was asked for yet. */
  readonly #waiting: (() => void)[] = [];
  /** For whom the list under way is, or the next where that fails. */
  readonly #served: (() => void)[] = [];
  #endWatch: (() => void) | undefined;
  readonly #outages: Outages;
  /** How many outages had been noticed when the last list was asked for. */
  askedAfter = 0;

  constructor(outages: Outages) {
    this.#outages = outages;
    outages.join(this);
  }

  get isWanted(): boolean {
    return this.#waiting.length > 0;
  }

  /** Resolves when a list is complete that was asked for after this call. */
  ask(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#endWatch?.();
    });
  }

  /** `end` closes the watch that is open now; absent: none is. */
  watching(end?: () => void): void {
    this.#endWatch = end;
  }

  listing(): void {
    this.askedAfter = this.#outages.noticed;
    this.#served.push(...this.#waiting.splice(0));
  }

  listed(): void {
    for (const resolve of this.#served.splice(0)) resolve();
    this.#outages.listed(this);
  }
}
