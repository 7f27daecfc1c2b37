// The time of what is judged: that of the recording, and for each process its own, which stands
// still while the process does.
import type { Clock } from '#actors/ports.ts';

/** Nothing is timed by the oracles: they read the time and set no timers. */
class ReadClock implements Clock {
  readonly #read: () => number;

  constructor(read: () => number) {
    this.#read = read;
  }

  now(): number {
    return this.#read();
  }
  steady(): number {
    return this.#read();
  }
  at(): () => void {
    throw new Error('oracles of a recording set no timers');
  }
  soon(): void {
    throw new Error('oracles of a recording set no timers');
  }
}

export class Clocks {
  /** Milliseconds since 1970, by when the day began. */
  readonly #begunAt: number;
  readonly #offset: number;
  #t: number;
  readonly #standing = new Map<number, { since: number | undefined; ms: number }>();
  readonly all: Clock = new ReadClock(() => this.#now(this.#t));

  /** `t` and the time of day of one moment. */
  constructor(t: number, timeOfDay: number) {
    this.#begunAt = t;
    this.#offset = timeOfDay - t;
    this.#t = t;
  }

  /** Seconds of the day. */
  get second(): number {
    return (this.#t - this.#begunAt) / 1_000;
  }

  reach(t: number): void {
    this.#t = Math.max(this.#t, t);
  }

  turn(life: number, turn: 'stands still' | 'goes on'): void {
    const standing = this.#standing.get(life) ?? { since: undefined, ms: 0 };
    const ms = standing.ms + (standing.since === undefined ? 0 : this.#t - standing.since);
    this.#standing.set(life, { since: turn === 'stands still' ? this.#t : undefined, ms });
  }

  of(life: number): Clock {
    return new ReadClock(() => {
      const { since, ms } = this.#standing.get(life) ?? { since: undefined, ms: 0 };
      return this.#now((since ?? this.#t) - ms);
    });
  }

  readonly #now = (t: number): number => t + this.#offset;
}
