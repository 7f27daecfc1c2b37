// What the API server answers this process, counted: by code since the start, and writes within the
// last seconds. Told by the kube client for each request, as the metrics are.
const windowMs = 10_000;

export class Traffic {
  readonly #answers = new Map<string, number>();
  readonly #now: () => number;
  /** Of each second of the window, in a circle. */
  readonly #writes = new Array<{ second: number; count: number } | undefined>(windowMs / 1_000);

  /** `now`: milliseconds that never go back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  readonly request = ({
    code,
    method,
  }: {
    readonly code: string;
    readonly method: string;
  }): void => {
    this.#answers.set(code, (this.#answers.get(code) ?? 0) + 1);
    if (method === 'GET') return;
    const second = Math.floor(this.#now() / 1_000);
    const place = second % this.#writes.length;
    const count = this.#writes[place]?.second === second ? this.#writes[place].count : 0;
    this.#writes[place] = { second, count: count + 1 };
  };

  answers(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#answers);
  }

  writesPerSecond(): number {
    const first = Math.floor(this.#now() / 1_000) - this.#writes.length;
    const recent = this.#writes.filter((one) => one !== undefined && one.second > first);
    return recent.reduce((sum, one) => sum + (one?.count ?? 0), 0) / this.#writes.length;
  }
}
