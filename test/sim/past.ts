// Values as they were lately: what a controller with late watches may still believe. The oracles
// judge a deed by the most favourable of them.
import type { Clock } from '#actors/ports.ts';

/** A half-open watch is noticed within a minute; what was sent before arrives some time after. */
const memoryMs = 150_000;

export class Past<T extends number | boolean> {
  readonly #clock: Clock;
  readonly #entries = new Map<string, { readonly value: T | undefined; until: number }[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** From now on it is this; undefined: there is none. */
  put(key: string, value: T | undefined): void {
    const now = this.#clock.now();
    const rows = this.#recent(key);
    const last = rows.at(-1);
    if (last !== undefined) last.until = now;
    rows.push({ value, until: Infinity });
    this.#entries.set(key, rows);
  }

  /** The largest, or undefined where there was none. */
  most(key: string): T | undefined {
    return this.#values(key).reduce<T | undefined>(
      (most, value) => (most !== undefined && most > value ? most : value),
      undefined,
    );
  }

  /** The smallest; undefined where there was none for a moment. */
  least(key: string): T | undefined {
    const rows = this.#recent(key);
    if (rows.length === 0 || rows.some(({ value }) => value === undefined)) return undefined;
    return this.#values(key).reduce<T | undefined>(
      (least, value) => (least !== undefined && least < value ? least : value),
      undefined,
    );
  }

  #values(key: string): T[] {
    return this.#recent(key).flatMap(({ value }) => (value === undefined ? [] : [value]));
  }

  #recent(key: string): { readonly value: T | undefined; until: number }[] {
    const since = this.#clock.now() - memoryMs;
    return (this.#entries.get(key) ?? []).filter(({ until }) => until >= since);
  }
}
