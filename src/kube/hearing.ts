// What a reflector last heard of the server and when, and what it says of that in the log: a long
// outage is one line. Used by reflector.ts.
import type { Kind } from '#machines/kinds.ts';
import type { Clock, Telemetry } from '#actors/ports.ts';
import { isMissing } from './backoff.ts';
import type { Failure } from './errors.ts';

export class Hearing {
  readonly #kind: Kind;
  readonly #clock: Clock;
  readonly #log: Telemetry['log'];
  #heardAt: number | null = null;
  #failures = 0;
  #lastFailure: Failure | null = null;

  constructor(kind: Kind, { clock, log }: { clock: Clock; log: Telemetry['log'] }) {
    this.#kind = kind;
    this.#clock = clock;
    this.#log = log;
  }

  /** The part of a reflector's health that is known here. */
  health(): { ageMs: number | null; failures: number; lastFailure: string | null } {
    const ageMs = this.#heardAt === null ? null : Math.max(0, this.#clock.now() - this.#heardAt);
    return { ageMs, failures: this.#failures, lastFailure: this.#lastFailure?.message ?? null };
  }

  heard(): void {
    this.#heardAt = this.#clock.now();
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
