// The policies `first-available` and `round-robin`: the candidates are bits by slot, of which the
// lowest is taken, or the next after the last one that was.
import { Bitmap } from '../bitmap.ts';
import type { Policy } from './policy.ts';

export class Scanned implements Policy {
  readonly #candidates = new Bitmap();
  readonly #rotates: boolean;
  /** The slot after the last choice. */
  #cursor = 0;

  constructor(rotates: boolean) {
    this.#rotates = rotates;
  }

  enter(index: number): void {
    this.#candidates.add(index);
  }

  leave(index: number): void {
    this.#candidates.remove(index);
  }

  move(): void {}

  get isEmpty(): boolean {
    return this.#candidates.first() < 0;
  }

  pick(): number {
    if (!this.#rotates) return this.#candidates.first();
    const next = this.#candidates.next(this.#cursor);
    const index = next < 0 ? this.#candidates.first() : next;
    if (index >= 0) this.#cursor = index + 1;
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
