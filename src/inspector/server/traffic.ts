// What the API server answers this process, counted: by code since the start, and writes within the
// last seconds. Told by the kube client for each request, as the metrics are.
import { putNewest } from '#actors/maps.ts';

const windowSeconds = 10;

export class Traffic {
  readonly #answers = new Map<string, number>();
  readonly #now: () => number;
  /** By second, of the window alone. */
  readonly #writes = new Map<number, number>();

  /** `now`: milliseconds that never go back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  request({ code, method }: { readonly code: string; readonly method: string }): void {
    this.#answers.set(code, (this.#answers.get(code) ?? 0) + 1);
    if (method === 'GET') return;
    const second = Math.floor(this.#now() / 1_000);
    putNewest(this.#writes, second, (this.#writes.get(second) ?? 0) + 1, windowSeconds);
  }

  answers(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#answers);
  }

  writesPerSecond(): number {
    const first = Math.floor(this.#now() / 1_000) - windowSeconds;
    let sum = 0;
    for (const [second, count] of this.#writes) if (second > first) sum += count;
    return sum / windowSeconds;
  }
}
