// What a reflector last heard of the server and when, and what it says of that in the log: a long
// outage is one line. Used by reflector.ts.
import type { Clock, Telemetry } from '#actors/ports.ts';
import type { Kind } from '#machines/kinds.ts';
import type { Failure } from '../errors.ts';
import { unprovenMs, noNewsMs } from '../limits.ts';
import { isMissing } from './backoff.ts';

export interface ReflectorHealth {
  readonly kind: Kind;
  readonly phase: 'listing' | 'watching' | 'waiting' | 'paused';
  readonly synced: boolean;
  /** Objects known now. */
  readonly objects: number;
  /** Since the server last proved that we are up to date: list, event, bookmark, orderly end. Null
   *  before the first list. */
  readonly ageMs: number | null;
  readonly lists: number;
  readonly watches: number;
  readonly failures: number;
  readonly lastFailure: string | null;
}

export class WatchHealth {
  readonly #kind: Kind;
  readonly #clock: Clock;
  readonly #log: Telemetry['log'];
  #heardAt: number | null = null;
  /** The same on the steady clock, and when it last told something. */
  #provenAt: number;
  #lastNewsAt: number;
  #failures = 0;
  #lastFailure: Failure | null = null;

  constructor(kind: Kind, { clock, log }: { clock: Clock; log: Telemetry['log'] }) {
    this.#kind = kind;
    this.#clock = clock;
    this.#log = log;
    this.#provenAt = clock.steady();
    this.#lastNewsAt = this.#provenAt;
  }

  /** Since the server last proved that we are up to date, whatever the time of day does. */
  get unprovenMs(): number {
    return this.#clock.steady() - this.#provenAt;
  }

  /** What may have been withheld has to be listed. */
  get isListDue(): boolean {
    return this.unprovenMs >= unprovenMs || this.#clock.steady() - this.#lastNewsAt >= noNewsMs;
  }

  /** The part of a reflector's health that is known here. */
  health(): Pick<ReflectorHealth, 'ageMs' | 'failures' | 'lastFailure'> {
    const ageMs = this.#heardAt === null ? null : Math.max(0, this.#clock.now() - this.#heardAt);
    return { ageMs, failures: this.#failures, lastFailure: this.#lastFailure?.message ?? null };
  }

  /** A list, an event, a bookmark. */
  heard(): void {
    this.proved();
    this.#lastNewsAt = this.#provenAt;
  }

  /** The server is where it was, and says that there is nothing to tell. */
  proved(): void {
    this.#heardAt = this.#clock.now();
    this.#provenAt = this.#clock.steady();
    this.#lastFailure = null;
  }

  /** Logs a failure when it is another one than the last. */
  failed(what: 'list' | 'watch', failure: Failure): void {
    this.#failures += 1;
    const isNews = this.#lastFailure?.code !== failure.code;
    this.#lastFailure = failure;
    // An expired version is everyday life, and the list that follows is the cure.
    if (!isNews || failure.code === 'GONE') return;
    const hint = isMissing(failure) ? ': is the CRD installed, and may we list and watch it?' : '';
    this.say('warn', `cannot ${what}${hint}`, { code: failure.code, error: failure.message });
  }

  say(
    level: 'info' | 'warn' | 'error',
    message: string,
    fields: Record<string, string | number> = {},
  ): void {
    this.#log(level, message, { kind: this.#kind, ...fields });
  }
}
