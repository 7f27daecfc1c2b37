// The policies `first-available` and `round-robin`: the candidates are bits by slot, of which the
// lowest is taken, or the next after the last one that was.
import { Bitmap } from '../bitmap.ts';
import type { Policy } from './policy.ts';

export class Scanned implements Policy {
  readonly #candidates = new Bitmap();
  readonly #rotates: boolean;
  /** Where the search begins: at the lowest candidate, or after the last choice. */
  #cursor = 0;

  constructor(rotates: boolean) {
    this.#rotates = rotates;
  }

  enter(index: number): void {
    this.#candidates.add(index);
    if (index < this.#cursor && !this.#rotates) this.#cursor = index;
  }

  leave(index: number): void {
    this.#candidates.remove(index);
  }

  move(): void {}

  get isEmpty(): boolean {
    return this.#candidates.first() < 0;
  }

  pick(): number {
    let index = this.#candidates.next(this.#cursor);
    if (index < 0) index = this.#candidates.first();
    if (index >= 0) this.#cursor = this.#rotates ? index + 1 : index;
    return index;
  }

  resize(length: number): void {
    this.#candidates.resize(length);
  }

  clear(): void {
    this.#candidates.clear();
  }

  members(): readonly number[] {
    return this.#candidates.members();
  }
}
